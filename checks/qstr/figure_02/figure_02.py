r"""Training puts the query-key product into the block of codes, near a multiple of the identity.

Setting    Figure 2's training: simple 1STR, 50000 fixed prompts, AdamW with decay 0.2 and rate $10^{-3}$, batch 64,
           until an epoch's mean loss is below 0.05; separate query, key, value and output maps with biases.
           $M=W_Q^\top W_K$, $V$ its block from an index's code to a position's own code.
Statement  In the recorded runs, on average over the networks of one length: $\|V\|_F^2\ge0.95\,\|M\|_F^2$, where the
           block has $d_e^2$ of $D_e^2$ entries; the mean diagonal of $V$ is at least 4 times the root mean square of
           its other entries; the test loss is at most 0.05.
Witness    Five trained networks of length 64 and three of length 100, that of the figure, each with its own codes
           and direction.
Measured   Means over the networks with 95 % t-intervals; of the logarithm for the loss.
Control    The same networks untrained; trained for as long on permuted labels; the block transposed; indices encoded
           by another position's code when tested.
Reads      The figure shows $|M|$; numbers and thresholds are ours. The ratio 4 is meant for $N=100$; trial networks had
           4.3 and 5.0 at $N=48,64$, but 3.7 and 3.4 at $N=24$, where $d_e=15$. Length 100 has three networks. Small
           leakage is no part of the statement: figure_02_leakage.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, grid
from theorytools.statistics.t_intervals import geometric_mean, repeat_mean
from theorytools.training.record import SweepRecord, recorded

energy = Quantity("energy", r"\|V\|_F^2/\|M\|_F^2", "of the block of codes in the query-key product", (0, 1))
dominance = Quantity("dominance", r"\bar V_{ii}/\mathrm{rms}_{i\ne j}V_{ij}", "of the diagonal of that block")
loss = Quantity("loss", r"\ell", "mean squared error on 5000 test prompts; 1 is that of predicting 0", (0, None))


def construct(p) -> SweepRecord:
    return recorded(__file__, "figure_02")


def column(record, p, name, arm="trained"):
    return [trial.result[name] for trial in record.of(arm, N=p.N)]


def measure(record, p, arm="trained", block="energy", tested="loss"):
    return {energy: repeat_mean(column(record, p, block, arm)),
            dominance: repeat_mean(column(record, p, "dominance", arm)),
            loss: geometric_mean(column(record, p, tested, arm))}


claim = Claim(
    "Figure 2",
    role="statement", source="published: Figure 2, section 4; prose",
    scope={"every N": "points", "every repeat": "recorded"},
    asserts=[energy >= Rational(19, 20), dominance >= 4, loss <= Rational(1, 20)],
    grid=grid(N=[64, 100]), construct=construct, measure=measure, controls=[
        Control("untrained weights", breaks=[energy, dominance, loss],
                measure=lambda record, p: measure(record, p, "untrained")),
        Control("labels permuted across prompts", breaks=[energy, dominance, loss],
                measure=lambda record, p: measure(record, p, "shuffled labels")),
        Control("the block transposed", breaks=energy,
                measure=lambda record, p: measure(record, p, block="transposed")),
        Control("codes of other positions when tested", breaks=loss,
                measure=lambda record, p: measure(record, p, tested="wrong_codes")),
    ],
)
