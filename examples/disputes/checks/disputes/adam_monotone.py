r"""In Adam the inverse step sizes never shrink, which a sum that telescopes in its proof of regret uses.

Setting    Gradients $g_1,g_2,\dots$ of one coordinate, $v_t=\beta v_{t-1}+(1-\beta)g_t^2$, $\hat v_t=v_t/(1-\beta^t)$,
           step size $\alpha/\sqrt t$.
Statement  $\sqrt{t\hat v_t}\ge\sqrt{(t-1)\hat v_{t-1}}$ at every step, whatever the gradients are.
Proof      Of the repair, $\max_{s\le t}v_s$ for $\hat v_t$: both it and $t$ are not negative and do not fall.
Measured   $t\hat v_t-(t-1)\hat v_{t-1}$ at every step of the run, exactly; a run in doubles goes beside it.
Control    Growth by $t$, which equal gradients of size 1 do not reach; repair: AMSGrad's maximum.
Reads      AMSGrad is that of Reddi, Kale and Kumar (2018), arXiv 1904.09237, who name the gap.
"""
from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Quantity, Run, decide, grid
from theorytools.search.kinds import Sequences

from .notation import T, gamma, t

growth = Quantity("growth", r"t\hat v_t-(t-1)\hat v_{t-1}", "of the squared inverse step")

def step(state, t, p, longest=False):
    v = p.gamma * state[0] + (1 - p.gamma) * p.g[t - 1] ** 2
    kept = max(state[1], v) if longest else v / (1 - p.gamma**t)
    return v, kept, t * kept - (t - 1) * state[1], decide.less(t * kept, (t - 1) * state[1])

run = Run(lambda p: (Fraction(0), Fraction(0), Fraction(0), False), step, lambda s, t, p: {growth: s[2]})
amsgrad = replace(run, step=lambda state, t, p: step(state, t, p, longest=True))
by_t = Control("growth by t", asserts=[growth >= t], breaks=growth)
claim = Claim(
    "Adam's inverse steps never shrink", role="statement", expect="REFUTED", scope={"every gamma, g, T": "points"},
    source="published: Kingma and Ba (2015), proof of Theorem 4.1; prose", asserts=growth >= 0, requires=[gamma < 1],
    run=run, objects={"g": (Sequences(denominator=1), T, 3)}, grid=grid(gamma=["1/2", "9/10"], T=[2, 3]),
    controls=[by_t, Control("AMSGrad", run=amsgrad)],
)
repaired = replace(
    claim, label="AMSGrad's never shrink", role="variant", expect="HOLDS", run=amsgrad,
    scope={"every gamma, g, T": "proof"}, source="published: Reddi, Kale and Kumar (2018), section 4; prose",
    controls=[by_t],
    statement=r"With $\max_{s\le t}v_s$ for $\hat v_t$ the inequality holds at every step.",
)
