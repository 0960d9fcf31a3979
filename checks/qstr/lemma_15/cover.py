r"""An explicit cover of one attention head at every width of a token: as many cells as a power $D_e^2$ allows.

Setting    One head, $\Theta\in\mathbb R^{D_e\times D_e}$, $\|\Theta\|_F\le R_F$, tokens $\|z_j\|\le r_z$; outputs
           $\sum_i\mathrm{softmax}(z_i^\top\Theta z_j)_iz_i$, compared at all prompts and queries; $\epsilon\le\frac14$.
Statement  The cubes of side $s=2\epsilon/(D_er_z^3)$ around $s\mathbb Z^{D_e\times D_e}$ that meet the ball, their
           centres projected on it, are an $\epsilon$-cover. For $D_e\le4$ and $R_Fr_z^3/\epsilon\ge4$ they are at most
           $(1+2R_Fr_z^3/\epsilon)^{D_e^2}$, the bound of lemma_15 with lemma_16; without the second condition they can
           be more, at $D_e=3$ and ratio 1 19701 against 19683, and from $D_e=5$ on with it. A cover of the parameters
           has at least $(R_Fr_z^3/\epsilon)^{D_e^2}$ members for $D_e\le4$.
Witness    The cubes, counted.
Measured   Their number by adding up squares of integers, exactly; the largest distance of outputs from those of the
           cube's centre, in ball arithmetic: at the corner next to 0 with the prompt $\pm r_z(1,\dots,1)/\sqrt{D_e}$,
           where $\epsilon$ is the first-order change, and at drawn parameters with drawn prompts.
Control    Cubes twice as large; $r_z^2$ for $r_z^3$; the exponent $D_e$; the radius for the diameter; cubes for half
           of the radius.
Proof      A point of the ball is within $\frac12sD_e=\epsilon/r_z^3$ of its cube's centre, and no farther from the
           projection of that, as the ball is convex; outputs change by at most $r_z^3$ times that (lemma_15). With
           $n=D_e^2$, $V$ the volume of the unit ball of $\mathbb{R}^n$ and $a=R_Fr_z^3/\epsilon$ the cubes lie within
           $R_F+sD_e$, so they are at most $V(\frac{D_e}2(a+2))^n$, which is below $(1+2a)^n$ for $D_e\le4$ from
           $a=15.4$ on; below that their number changes only where $(D_ea)^2$ passes a whole number, and at each of
           these steps from $a=4$ on it was counted: at most .65 of the bound (in the tests). They cover the ball, so
           they are at least $V(\frac{D_e}2a)^n\ge a^n$, and so is a cover by balls of half the side's diameter.
Reads      Derived here. $D_e\le4$ is needed: at $D_e=5$, $R_Fr_z^3/\epsilon=4$ the cubes are 15 % too many, as they
           stick out of the ball; another cover has fewer. At $D_e=1$ grid covers of whole networks are in
           lemma_14_cover and proposition_17_cover.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt

from sympy import Rational

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.numbers import euclidean, maximum, total

from ..notation import R_F, D_e, eps_c, r_z

count = Quantity("cells", r"\#", "of the cover", (0, None))
reach = Quantity("distance", r"\max\|h_\Theta-h_{\Theta'}\|", "of an output from that of the cell's centre", (0, None))


@dataclass(frozen=True)
class Cubes:
    """The cubes of one side around multiples of it that meet a ball of D x D matrices."""

    D: int
    radius: Fraction
    side: Fraction

    def number(self) -> int:
        """Count the integer points k with sum max(2|k_i| - 1, 0)^2 <= (2 radius / side)^2, by a power of a polynomial.

        Its coefficients are blocks of bits of one integer, wide enough for the number of all points.
        """
        most = int((2 * self.radius / self.side) ** 2)
        width = self.D**2 * (isqrt(most) + 3).bit_length() + 1
        one = 1 + sum(2 << width * odd**2 for odd in range(1, isqrt(most) + 1, 2))
        found, kept = 1, (1 << width * (most + 1)) - 1
        for _ in range(self.D**2):
            found = found * one & kept
        blocks = found.to_bytes(-(-(width * (most + 1)) // 8), "little")
        return sum(int.from_bytes(blocks[i // 8: (i + width) // 8 + 1], "little") >> i % 8 & (1 << width) - 1
                   for i in range(0, width * (most + 1), width))

    def centre(self, Theta):
        """The centre of the cube that holds a matrix; the one of the ball itself stands for it."""
        return [[round(x / self.side) * self.side for x in row] for row in Theta]


def output(Theta, Z, query):
    """The attention output at one query, enclosed."""
    key = [total(z * x for z, x in zip(query, column, strict=True)) for column in zip(*Theta, strict=True)]
    powers = [total(k * z for k, z in zip(key, token, strict=True)).exp() for token in Z]
    return [total(w * token[a] for w, token in zip(powers, Z, strict=True)) / total(powers) for a in range(len(Theta))]


def distance(Theta, other, Z):
    return euclidean(x - y for x, y in zip(output(Theta, Z, Z[0]), output(other, Z, Z[0]), strict=True))


def construct(p, larger=1, power=3) -> Cubes:
    return Cubes(p.D_e, Fraction(p.R_F), larger * 2 * Fraction(p.eps_c) / (p.D_e * Fraction(p.r_z) ** power))


def measure(cubes, p):
    D, half = p.D_e, cubes.side * Fraction(999, 2000)  # a thousandth inside the corner

    def farthest():
        z = [Enclosure(p.r_z) / Enclosure(D).sqrt()] * D
        found = [distance([[half] * D] * D, [[Fraction(0)] * D] * D, [z, [-x for x in z]])]
        for k in range(4):
            rng = p.rng(f"parameters {k}")
            Theta = [[Fraction(int(x), 64) for x in row] for row in rng.integers(-64, 65, (D, D))]
            size = Fraction(p.R_F) / D  # entries at most R_F/D: inside the ball
            Theta = [[x * size for x in row] for row in Theta]
            scale = Fraction(p.r_z) / (64 * D)
            tokens = [[int(x) * scale for x in row] for row in rng.integers(-64, 65, (3, D))]
            found.append(distance(Theta, cubes.centre(Theta), [[Enclosure(x) for x in row] for row in tokens]))
        return maximum(found)

    return {count: cubes.number(), reach: enclosed(farthest)}


ratio = R_F * r_z**3 / eps_c
asserts = [count <= (1 + 2 * ratio) ** (D_e**2), count >= ratio ** (D_e**2), reach <= eps_c]
claim = Claim(
    "Lemma 15, an explicit cover",
    role="variant", source="derived here: Lemmas 15 and 16",
    scope={"every size D_e, R_F, r_z, eps_c": "proof", "every parameter": "proof", "every prompt": "proof"},
    asserts=asserts, construct=construct, measure=measure,
    requires=[ratio >= 4, eps_c <= Rational(1, 4), D_e <= 4, D_e**3 * ratio <= 730],  # the last for the time it takes
    grid=points("D_e R_F r_z eps_c", (1, 5, 1, "1/10"), (2, 2, 1, "1/5"), (2, 2, 2, "1/5"), (3, 2, 1, "1/4"),
                (3, 1, "3/2", "1/8"), (4, 1, 1, "1/10")),
    controls=[
        Control("cubes twice as large", breaks=reach, asserts=asserts[2:], construct=lambda p: construct(p, larger=2)),
        Control("r_z^2 for r_z^3", breaks=reach, asserts=asserts[2:], where=r_z > 1,
                construct=lambda p: construct(p, power=2)),
        Control("the exponent D_e", breaks=count, asserts=[count <= (1 + 2 * ratio) ** D_e], where=D_e >= 2),
        Control("the radius for the diameter", breaks=count, where=D_e >= 2,
                asserts=[count <= (1 + ratio) ** (D_e**2)]),
        Control("cubes for half of the radius", breaks=count, asserts=asserts[1:2], where=D_e <= 2,
                construct=lambda p: replace(construct(p), radius=Fraction(p.R_F) / 2)),
    ],
)
