r"""Transformers trained whole use $q$ heads for squared norms of wide tokens, fewer for narrow, one for the mean.

Setting    $q$STR, $N=8$, each position with a tuple of its own; orthonormal codes; $H$ heads with whole matrices
           $W_{QK}$ and a two-layer ReLU network, AdamW on 384000 fresh prompts. $R$: mean squared error over the
           variance of a label. Labels: squared norms of the $q$ tokens, or their mean along a direction.
Statement  $d=8$: the loss of $q-1$ heads is more than 3 times that of $q$ heads ($q=2,3$), which is not 3 times that
           of $q+1$. For $H<q$ it is at least the floor
           $(1-\frac qN)\frac{(q-H)_+(d-H)_+}{qd}+\frac qN\frac{(q-1-H)_+(d-H)_+}{qd}$. At $(q,d,H)=(2,1,1)$,
           $(3,1,2)$, $(4,2,3)$ the loss is at most $\frac14(1-\frac Hq)$, at $(3,2,2)$ at least that. The mean: one
           head leaves at most $\frac1{50}$ at $(q,d)=(2,8)$, $(3,8)$, $(4,2)$. All of the networks of one record.
Proof      *Floor* of the expected loss. Fix all indices and $x_i$: scores are $c_{hj}+\langle w_h,x_j\rangle$.
           Condition on the parts of the $x_j$ in $\operatorname{span}(w_h)$; the weights are then known. In each of at
           least $d-H$ coordinates orthogonal to it the heads see $H$ combinations of independent Gaussians $v_j$, $j\ne
           i$, and the label holds $v^\top P_tv$, $P_t$ on the $q'$ positions of $t_i$ besides $i$. Given the
           combinations $v$ is Gaussian on their kernel $K$, and the variance at least
           $2\operatorname{tr}(KP_tK)^2\ge2(q'-H)_+$, since the kernel meets the range of $P_t$ in $q'-H$ dimensions or
           more. Divide by $2qd$; $q'=q-1$ with probability $\frac qN$, else $q$.
Witness    Five trained networks for each cell.
Measured   Ratios of geometric means with Welch's 95 % t-interval; mean losses on 4000 fresh prompts with theirs.
Control    Exchanged; one head more on both sides; $q$ heads held to the floor, and the floor of one head less; wide
           tokens held to the quarter; one head on squared norms held to the $\frac1{50}$; no training.
Reads      Statistic, rule and numbers are the sweep's. The published condition is for large $d$; at a few dimensions
           fewer heads are enough, as proposition_03_sharp has it. Sweep heads is the attention weights alone, at one
           late position of the hard instance with one tuple; here codes are attended to, every position asks for a
           tuple that changes, and $H$ goes past $q$.
"""

from sympy import Eq, Max, Rational

from theorytools import Claim, Control, Quantity, letter, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import ratio_interval, repeat_mean
from theorytools.training.record import SweepRecord, recorded

from ..notation import H, N, d, q

most = letter("most", "the limit of the rule, for squared norms a quarter of 1 - H/q", positive=True)
ratio = Quantity("ratio", "R_{H}/R_{H+1}", "loss of some heads over that of one head more", (0, None))
loss = Quantity("loss", "R", "over the variance of a label, mean over networks", (0, None))


def least(heads):
    """Return the floor of networks with so many heads."""
    left = [Max(0, some - heads) * Max(0, d - heads) / (q * d) for some in (q, q - 1)]
    return (1 - q / N) * left[0] + q / N * left[1]


def construct(p) -> SweepRecord:
    return recorded(__file__, "merged_heads")


def ratios(record, p, few, many):
    low, high = ratio_interval(*(record.values("squares", q=p.q, d=p.d, heads=heads) for heads in (few, many)))
    return {ratio: fitted(low, high, level=0.95)}


def step(record, p):
    return ratios(record, p, p.q - 1, p.q)


def means(record, p, arm="squares", H=None, d=None):
    return {loss: repeat_mean(record.values(arm, q=p.q, d=d or p.d, heads=H or p.H))}


def untrained(record, p, arm="squares"):
    found = record.of(arm, q=p.q, d=p.d, heads=p.H)
    return {loss: repeat_mean([float(trial.result["untrained"]) for trial in found])}


repeats = {"role": "prediction", "source": "derived here: Theorem 1", "construct": construct,
           "scope": {"every N, q, d, H": "points", "every repeat": "recorded"}}
cells = {**repeats, "measure": means, "listed": [N, q, d, H]}
claim = Claim(
    "Theorem 1, trained: the step at q heads",
    asserts=ratio >= 3, measure=step, grid=points("N q d", (8, 2, 8), (8, 3, 8)), controls=[
        Control("exchanged", breaks=ratio, measure=lambda record, p: ratios(record, p, p.q, p.q - 1)),
        Control("one head more on both sides", breaks=ratio,
                measure=lambda record, p: ratios(record, p, p.q, p.q + 1)),
    ], **{**repeats, "scope": {"every N, q, d": "points", "every repeat": "recorded"}},
)
floor = Claim(
    "Theorem 1, trained: fewer heads than indices",
    asserts=loss >= least(H), grid=points("N q d H", (8, 2, 8, 1), (8, 3, 8, 1), (8, 3, 8, 2)), controls=[
        Control("as many heads as indices", breaks=loss, measure=lambda record, p: means(record, p, H=p.q)),
        Control("the floor of one head less", breaks=loss, asserts=[loss >= least(H - 1)]),
    ], **cells,
)
enough = Claim(
    "Theorem 1, trained: narrow tokens, and one head for the mean",
    asserts=loss <= most, grid=points(
        "link N q d H most", ("squares", 8, 2, 1, 1, "1/8"), ("squares", 8, 3, 1, 2, "1/12"),
        ("squares", 8, 4, 2, 3, "1/16"), *(("mean", 8, q, d, 1, "1/50") for q, d in ((2, 8), (3, 8), (4, 2)))),
    controls=[
        Control("no training", breaks=loss, measure=lambda record, p: untrained(record, p, p.link)),
        Control("wide tokens", breaks=loss, where=(q <= 3) & Eq(d, 1),
                measure=lambda record, p: means(record, p, d=8)),
        Control("squared norms", breaks=loss, where=(q <= 3) & Eq(most, Rational(1, 50)), measure=means),
    ], **{**cells, "measure": lambda record, p: means(record, p, p.link), "listed": ["link", N, q, d, H, most],
          "scope": {"every link, N, q, d, H, most": "points", "every repeat": "recorded"}},
)
narrow_stuck = Claim(
    "Theorem 1, trained: two heads, two dimensions",
    asserts=loss >= (1 - H / q) / 4, grid=points("N q d H", (8, 3, 2, 2)), controls=[
        Control("one dimension", breaks=loss, measure=lambda record, p: means(record, p, d=1)),
        Control("four times the quarter", breaks=loss, asserts=[loss >= 1 - H / q]),
    ], **cells,
)
