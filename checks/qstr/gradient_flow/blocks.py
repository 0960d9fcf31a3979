r"""With codes turned for every prompt the gradient in a whole matrix of scores moves one number: a multiple of $I$.

Setting    As in gradient_flow, at $W=\beta I$, $v^{(h)}=\frac c{\sqrt q}u$; codes with integer coordinates, turned by
           all $2^{d_e}d_e!$ signed permutations of coordinates.
Statement  Averaged over the turns the gradient in the first head's $W$ is $\frac1{qd_e}\partial_\beta R\,I$: no entry
           off the diagonal, equal ones on it.
Proof      Turns leave all products of codes, hence weights and forces. $E\,(Q\omega)(Q\omega')^\top$ commutes with
           every signed permutation, so it is a multiple of $I$, of trace $\langle\omega,\omega'\rangle$.
Witness    Orthonormal codes and a simplex of signs; all turns.
Measured   The sum of outer products of codes times forces, entry by entry; $\partial_\beta R$ is that of gradient_flow.
Control    Codes that are not turned; permutations without signs; no reflections in the plane; the force of a read-out
           twice as long.
Reads      Derived here. Orthogonal maps, of which signed permutations are some, average to the same. Proper rotations
           of the plane do not: they commute with each other, and leave a part off the diagonal.
"""

from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, DomainError, Quantity, points
from theorytools.codes.families import hadamard
from theorytools.numbers import fraction

from ..notation import N, d_e, q, rho, scale
from ._lookup_heads import LookupHeads, turned_gradient
from .gradient_flow import e, rise

heat = Quantity("gradient in the scores", r"-(\nabla_WR)_{rr}", "the diagonal entry farthest from their mean")
rest = Quantity("rest of the gradient", r"\max_{r\ne s}|(\nabla_WR)_{rs}|", "off the diagonal", (0, None))


def words(p) -> np.ndarray:
    if p.code == "orthonormal" and p.d_e >= p.N:
        return np.eye(p.N, p.d_e, dtype=int)
    if p.code == "simplex" and p.d_e == p.N - 1 and not p.N & (p.N - 1):
        return np.asarray(hadamard(p.N).signs, dtype=int)[:, 1:]
    raise DomainError(f"{p.code}, N = {p.N}, d_e = {p.d_e}", required="orthonormal codes with d_e >= N, or "
                      "a simplex of N = 2^k signs with d_e = N - 1", why="all products of codes are one number")


def product(p) -> Fraction:
    return Fraction(int(words(p)[0] @ words(p)[1]), int(words(p)[0] @ words(p)[0]))


def construct(p, turns="signed", times=1) -> np.ndarray:
    heads = LookupHeads.equiangular(p.N, p.q, product(p), p.lead)
    return turned_gradient(words(p), heads, times * Fraction(p.scale), turns)


def measure(gradient, p):
    on = gradient.diagonal()
    mean = on.sum() / len(on)
    off = gradient[~np.eye(len(on), dtype=bool)]
    return {heat: -fraction(max(on, key=lambda x: abs(x - mean))), rest: fraction(max(map(abs, off)))}


claim = Claim(
    "Gradient flow, all entries",
    role="variant", source="derived here: question (d)",
    scope={"every code, N, q, d_e, lead, scale": "proof", "every turn": "proof"},
    asserts=[heat.equals(rise * scale * (1 - scale * e) / (q * d_e)), rest.equals(0)],
    requires=[q < N, d_e >= 2], derived=[rho], derive=lambda gradient, p: {rho: product(p)},
    construct=construct, measure=measure,
    grid=points("code N q d_e lead scale", ("orthonormal", 2, 1, 2, 3, "1/2"), ("orthonormal", 3, 2, 3, "3/2", 1),
                ("orthonormal", 3, 1, 4, 40, 1), ("simplex", 4, 1, 3, 5, "4/5"), ("simplex", 4, 3, 3, 2, 2)),
    controls=[
        Control("codes that are not turned", breaks=rest, asserts=[rest.equals(0)],
                construct=lambda p: construct(p, "none")),
        Control("permutations without signs", breaks=rest, construct=lambda p: construct(p, "permuted")),
        Control("turns of the plane without reflections", breaks=rest, where=d_e <= 2,
                construct=lambda p: construct(p, "proper")),
        Control("a read-out twice as long", breaks=heat, construct=lambda p: construct(p, times=2)),
    ],
)
