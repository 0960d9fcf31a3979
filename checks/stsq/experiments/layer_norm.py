r"""LayerNorm of the columns costs selection: a score is then scaled by the length of its token.

Setting    As in experiments_variants at $T=50$, $C=4$, $q=3$, from zero, columns $[x_i;e_i]$ centred and scaled to the
           square $d+d_e$; rate $\frac1{20}$.
Statement  The probability of success is more than $\frac1{20}$ below $\Pr(\kappa<1)$, the law of the cross-talk without
           LayerNorm.
Witness    Three trained layers.
Measured   The mean over the layers with its 95 % t-interval, 4096 fresh prompts each.
Control    The layers of experiments_variants that have no LayerNorm.
Reads      The rule is that of the sweep variants, where all runs diverge at the rate $\frac12$, at a rate at which they
           do not. Every score is divided by the length of its column, about $(1+\|x_i\|^2)^{1/2}$, so that a short
           token that is not selected can lead.
"""

from theorytools import Claim, Control, points

from ..notation import P_c
from .variants import clear, construct, measure, shared, success

claim = Claim(
    "Experiments, LayerNorm costs success", **{**shared, "construct": lambda p: construct(p, "layer_norm")},
    asserts=[success <= P_c - clear], grid=points("form C T q d_e", ("layer_norm", 4, 50, 3, 47)),
    controls=[
        Control("no LayerNorm", breaks=success, construct=construct,
                measure=lambda record, p: measure(record, p, "random")),
    ],
)
