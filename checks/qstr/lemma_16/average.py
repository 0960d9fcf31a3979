r"""In the root mean square over the sample, averages of few vertices approximate without a logarithm of its size.

Setting    As in lemma_16_sparse: averages $\bar\Theta$ of $k$ independent vertices with mean $\Theta$.
Statement  $\mathbb{E}\|(\bar\Theta-\Theta)^\top z\|^2\le R_{1,1}^2r_z^2/k$, so $k=\lceil
           R_{1,1}^2r_z^2/\varepsilon^2\rceil$ terms are enough; there are at most $(2HD_e^2+1)^k$ averages.
Proof      $(\bar\Theta-\Theta)^\top z$ is a mean of $k$ independent vectors of mean 0, $V^\top z-\Theta^\top z$ with
           $\|V^\top z\|\le R_{1,1}r_z$, so its mean square is at most $R_{1,1}^2r_z^2/k$ at every token, and some
           average is no worse than their mean over the tokens. A vertex is $\pm R_{1,1}E_{ab}$ or 0: $2HD_e^2+1$ of
           them.
Witness    Matrices of order 2 by all sequences of $k$ vertices; $\Theta=0$ attains the bound.
Measured   Mean and least squared error, the mean over the sampled tokens; the number of averages; all exact.
Control    The bound over $k$; $r_z$ left out; a vertex left out; the entries of one row for all; one term in place of
           all.
Reads      Derived here, with its constants.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.errors import DomainError
from theorytools.papers.qstr.capacity.maurey import MatrixAverage

from ..notation import R_11, D_e, H, r_z, terms

mean = Quantity("mean square", r"\mathbb{E}\,\overline{\|(\bar\Theta-\Theta)^\top z_j\|^2}", "mean over the tokens")
least = Quantity("least square", r"\min_{\bar\Theta}\overline{\|(\bar\Theta-\Theta)^\top z_j\|^2}", "best average")
count = Quantity("averages", r"|\mathcal{N}|", "how many averages there are", (1, None))
ENTRIES = {"zero": [[0, 0], [0, 0]], "full": [["1/2", 0], ["-1/4", "1/4"]], "part": [[0, "1/4"], ["1/8", 0]]}
TOKENS = {"zero": [[1, 0]], "full": [[1, 0], ["3/5", "4/5"]], "part": [[1, 0], ["3/5", "4/5"], [0, "1/2"]]}


def construct(p) -> MatrixAverage:
    if (p.H, p.D_e) != (1, 2):
        raise DomainError(f"H = {p.H}, D_e = {p.D_e}", required="H = 1, D_e = 2: the matrices of this check")
    Theta, tokens = (tuple(tuple(size * Fraction(x) for x in row) for row in rows[p.matrix])
                     for rows, size in ((ENTRIES, p.R_11), (TOKENS, p.r_z)))
    return MatrixAverage(Theta, tokens, Fraction(p.R_11), p.terms)


bound = R_11**2 * r_z**2 / terms
claim = Claim(
    "Lemma 16, by sparsification in the root mean square",
    role="variant", source="derived here: Lemma 16",
    scope={"every matrix, H, D_e, R_11, r_z, terms": "proof", "every sequence of vertices": "enumeration"},
    asserts=[mean <= bound, least <= bound, count <= (2 * H * D_e**2 + 1) ** terms],
    grid=points("matrix H D_e R_11 r_z terms", ("zero", 1, 2, 1, 1, 1), ("zero", 1, 2, 2, 3, 6),
                ("full", 1, 2, 2, 3, 4), ("part", 1, 2, 1, 1, 4), ("part", 1, 2, 2, "1/2", 1)),
    construct=construct, controls=[
        Control("divided by the square", asserts=[mean <= bound / terms], breaks=mean, where=terms >= 4),
        Control("one term in place of all", breaks=mean, where=terms >= 6, asserts=[mean <= bound],
                construct=lambda p: replace(construct(p), k=1)),
        Control("r_z left out", asserts=[mean <= R_11**2 / terms], breaks=mean, where=r_z >= 3),
        Control("the vertex 0 left out", asserts=[count <= (2 * H * D_e**2) ** terms], breaks=count,
                where=Eq(terms, 1)),
        Control("the entries of one row for all", asserts=[count <= (H * D_e + 1) ** terms], breaks=count,
                where=terms <= 4),
    ],
    measure=lambda avg, p: {mean: avg.mean_square(), least: avg.least_square(), count: avg.count()},
)
