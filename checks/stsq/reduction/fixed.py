r"""With one encoding matrix for all examples training moves more than one number: the symmetry is needed.

Setting    As in reduction, but one fixed matrix of sign encodings for all examples, redrawn at no time.
Statement  The reading "for near-orthogonal encodings the gradient in $W_{22}$ is a multiple of the identity, so the
           analysis from zero covers fixed encodings too" fails.  Repair: average over SPE, encodings redrawn.
Witness    One drawn sign matrix, up to $|\langle e_i,e_j\rangle|=\frac12$ apart, all subsets, rational.
Measured   Largest entry off the diagonal and range of the diagonal of the gradient, exact.
Control    Repair: all sign encodings averaged.
Reads      Derived here.  A statement about the proof by symmetry, no statement that fixed encodings fail to train; for
           one-hot encodings the flow has another closed form, with $T-1$ in place of $d_e$.
"""

from fractions import Fraction

from theorytools import Claim, Control, points
from theorytools.papers.stsq.selection.gradient import SignGradient

from ..notation import T, q
from .reduction import measure, off


def construct(p, every=False) -> SignGradient:
    signs = None if every else (2 * p.rng("signs").integers(0, 2, (p.T, p.d_e)) - 1).tolist()
    return SignGradient(p.T, p.q, p.d, p.d_e, alpha=1, v=Fraction(p.v), only=signs)


claim = Claim(
    "Reduction, fixed encodings",
    role="pitfall", source="derived here: reduction by symmetry",
    scope={"every T, q, d, d_e, v": "points", "every encoding": "points"},
    asserts=off.equals(0), requires=[q < T], expect="REFUTED",
    construct=construct, measure=measure, note="Redrawn encodings give a multiple of the identity.",
    grid=points("T q d d_e v", (3, 1, 1, 4, 1), (4, 2, 5, 3, 1), (4, 2, 5, 2, "3/2")),
    controls=[Control("all encodings averaged", construct=lambda p: construct(p, every=True))],
)
