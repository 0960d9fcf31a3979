r"""The projection on a ball does not move two vectors apart, which lets the drift of lemma_29 pass through it.

Setting    $\Pi_rh=(1\wedge r/\|h\|)h$ on $\mathbb{R}^k$, tried at $k=3$.
Statement  $\|\Pi_rh-\Pi_rk\|\le\|h-k\|$; two vectors inside the ball keep their distance, and $\|\Pi_rh\|\le r$.
Proof      $\Pi_rh$ is the point of the ball, a convex set, nearest to $h$, so $\langle
           h-\Pi_rh,\Pi_rk-\Pi_rh\rangle\le0$, and with $h$ and $k$ exchanged; the sum of both is
           $\|\Pi_rh-\Pi_rk\|^2\le\langle h-k,\Pi_rh-\Pi_rk\rangle$.
Adversary  Pairs of vectors of rational length in drawn directions, inside, on and outside the ball.
Measured   The largest ratio of the squared distances and the largest squared length, in rationals.
Control    Every vector scaled to the length $r$; vectors beyond the ball set to zero; no projection.
Reads      The networks of lemma_29 have scalar states; this is the step of its proof that dimension enters.
"""

from fractions import Fraction
from itertools import combinations, product

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.inner_products import rational_unit_vector
from theorytools.constructions.recurrent.simple_retrieval import project

from ..notation import r_h

ratio = Quantity("ratio", r"\max\|\Pi h-\Pi k\|^2/\|h-k\|^2", "over the pairs tried", (0, None))
size = Quantity("length", r"\max\|\Pi h\|^2", "over the vectors tried", (0, None))
SHARES = [Fraction(1, 3), Fraction(9, 10), Fraction(1), Fraction(11, 10), Fraction(5)]  # lengths over the radius


def construct(p) -> np.ndarray:
    """Directions drawn and scaled to lengths around the radius, shape (vectors, 3)."""
    drawn = p.rng("directions").integers(-4, 5, (4, 2))
    vectors = [[Fraction(p.r_h) * s * x for x in rational_unit_vector(v)] for v, s in product(drawn, SHARES)]
    return np.array(vectors, dtype=object)


def measure(h, p, image=None):
    after = (image or (lambda h: project(h, Fraction(p.r_h))))(h)
    pairs = [(i, j) for i, j in combinations(range(len(h)), 2) if (h[i] != h[j]).any()]
    rates = [((after[i] - after[j]) ** 2).sum() / ((h[i] - h[j]) ** 2).sum() for i, j in pairs]
    return {ratio: max(rates), size: (after**2).sum(axis=1).max()}


def scaled(p):
    return lambda h: np.array([v / share for v, share in zip(h, SHARES * 4, strict=True)], dtype=object)


def zeroed(p):
    return lambda h: np.array([v * ((v * v).sum() <= Fraction(p.r_h) ** 2) for v in h], dtype=object)


claim = Claim(
    "Lemma 29, the projection",
    role="foundation", source="derived here: Lemma 29", scope={"every r_h": "proof", "every pair of vectors": "proof"},
    asserts=[ratio <= 1, size <= r_h**2], construct=construct, measure=measure,
    grid=points("r_h", (1,), ("7/3",), (20,), (100,)),
    controls=[
        Control("every vector scaled to the radius", breaks=ratio, measure=lambda h, p: measure(h, p, scaled(p))),
        Control("zero beyond the ball", breaks=ratio, measure=lambda h, p: measure(h, p, zeroed(p))),
        Control("no projection", breaks=size, measure=lambda h, p: measure(h, p, lambda h: h)),
    ],
)
