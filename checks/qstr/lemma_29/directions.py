r"""The drifts of the two directions add up to no more than that of one direction over the whole sequence.

Setting    A bidirectional network $\hat y_j=f_y(h^\to_j,h^\leftarrow_j)$, states as in lemma_29; in each direction the
           transitions are at most $d_\infty$ apart, $f_y$ and $\hat f_y$ at most $d_\infty(f_y,\hat f_y)$;
           $|f_y(h,k)-f_y(h',k')|\le C_y(\|h-h'\|+\|k-k'\|)$, which a Euclidean Lipschitz constant $C_y$ implies.
Statement  $\max_j|\hat y_j-\hat y_j'|\le C_yS_Nd_\infty+d_\infty(f_y,\hat f_y)$, with one $S_N$ for both directions.
           So $\log\mathcal{C}(\mathcal{F},\epsilon)\le\log\mathcal{C}(\mathcal{F}_y,\frac\epsilon2)
           +\sum_s\log\mathcal{C}(\mathcal{F}^s,\frac\epsilon{2C_yS_N})$.
Proof      At position $j$ the forward states took $j-1$ steps and the backward ones $N-j$, so by lemma_29 they drift by
           $d_\infty\sum_{i<j-1}(1+\alpha)^i$ and $d_\infty\sum_{i<N-j}(1+\alpha)^i$, together at most $d_\infty S_N$:
           $k\mapsto\sum_{i<k}(1+\alpha)^i$ has increments that do not fall and is 0 at 0, so it is superadditive, and
           $(j-1)+(N-j)=N-1$. Then $f_y$ changes by at most $C_y$ times that, and $\hat f_y$ is $d_\infty(f_y,\hat f_y)$
           away.
Adversary  Maps $\alpha h$ and $\alpha h+c$ in both directions with the readout $C_y(uh+vk)$: equality at an end of the
           sequence, for $\alpha=0$, $u=v=1$ everywhere; random maps.
Measured   Outputs at every position in rationals.
Control    Both directions at their worst positions at once; half of $S_N$; the readouts' distance left out.
Reads      The radius in print is inferred from the proof, as transcribed $\epsilon/(2eC_yN)$, which is no larger than
           $\epsilon/(2C_yS_N)$.  Adding the largest drift of each direction would give up to
           $(\frac12+\frac1{\sqrt2})\epsilon$ (first control) and ask for a 4 in place of the 2.  But at one position
           the two directions take $N-1$ steps together, and $k\mapsto\sum_{i<k}(1+\alpha)^i$ is superadditive: the 2
           suffices, as derived here.
"""

from fractions import Fraction

from sympy import Eq, Ne, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.errors import DomainError
from theorytools.papers.qstr.capacity.perturbation.recurrent import RecurrentPair
from theorytools.papers.qstr.capacity.recurrent_covering import drift_factor

from ..notation import S_N, N, back, d_inf, gap_y, lip_N, lip_y, trial

error = Quantity("output distance", r"\max_j|\hat y_j-\hat y_j'|", "largest over the positions", (0, None))
FORWARD = {Fraction(0): 1, Fraction(4, 5): Fraction(3, 5), Fraction(1): 1}  # u for each v: one direction, slanted, both
bound = lip_y * S_N * d_inf + gap_y


def construct(p) -> tuple[RecurrentPair, RecurrentPair]:
    if Fraction(p.back) not in FORWARD:
        raise DomainError(f"back = {p.back}", required=f"one of {', '.join(map(str, FORWARD))}")
    slope = Fraction(p.lip_N) / p.N
    if p.trial == 0:
        return (RecurrentPair.shifted(p.N, slope, Fraction(1, 8)),) * 2
    rng = p.rng("maps")
    return tuple(RecurrentPair.random(rng, p.N, slope, Fraction(p.trial)) for _ in range(2))


def derive(pairs, p):
    return {d_inf: max(pair.distance() for pair in pairs), S_N: drift_factor(p.N, Fraction(p.lip_N) / p.N)}


def measure(pairs, p):
    def outputs(forward, backward, offset):
        return [p.lip_y * (u * h + v * k) + offset for h, k in zip(forward, backward[::-1], strict=True)]

    u, v = FORWARD[Fraction(p.back)], Fraction(p.back)
    first = outputs(*(pair.states(pair.first) for pair in pairs), 0)
    second = outputs(*(pair.states(pair.second) for pair in pairs), p.gap_y)
    return {error: max(abs(a - b) for a, b in zip(first, second, strict=True))}


def worst_of_each(pairs, p):
    u, v = FORWARD[Fraction(p.back)], Fraction(p.back)
    forward, backward = (max(pair.drifts()) for pair in pairs)
    return {error: p.lip_y * (u * forward + v * backward) + p.gap_y}


equality = Eq(trial, 0)
sharp = equality & Ne(back, Rational(4, 5))
claim = Claim(
    "Lemma 29, both directions",
    role="statement", source="published: Lemma 29; prose",
    scope={"every back, N, lip_N, lip_y, gap_y, trial": "proof", "every pair of maps": "proof"},
    asserts=[error <= bound], requires=[N >= 2, lip_N <= 1],
    derive=derive, derived=[S_N, d_inf], construct=construct, measure=measure,
    grid=points("back N lip_N lip_y gap_y trial", (0, 16, 0, 1, 1, 0), (0, 12, 1, 3, "1/2", 0),
                (1, 16, 0, 2, 1, 0), (1, 12, 1, 2, "1/2", 0), ("4/5", 8, "1/2", 1, "1/8", 0),
                ("4/5", 8, 1, 1, "1/8", 1), (1, 20, 1, 1, "1/8", 2), (1, 10, 0, 1, "1/8", 8)),
    controls=[
        Control("both directions at their worst positions", breaks=error, measure=worst_of_each,
                where=equality & (back > 0)),
        Control("half of S_N", breaks=error, where=sharp, asserts=[error <= bound - lip_y * S_N * d_inf / 2]),
        Control("the readouts' distance left out", breaks=error, where=sharp, asserts=[error <= bound - gap_y]),
    ],
)
