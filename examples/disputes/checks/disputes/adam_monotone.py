r"""In Adam the inverse step sizes never shrink, which a sum that telescopes in its proof of regret uses.

Setting    Gradients $g_1,g_2,\dots$ of one coordinate, $v_t=\beta v_{t-1}+(1-\beta)g_t^2$, $\hat v_t=v_t/(1-\beta^t)$, step
           size $\alpha/\sqrt t$.
Statement  $\sqrt{t\hat v_t}\ge\sqrt{(t-1)\hat v_{t-1}}$ at every step, whatever the gradients are.
Measured   $t\hat v_t-(t-1)\hat v_{t-1}$ at every step of the run, exactly; a run in doubles goes beside it.
Control    Growth by $t$, which equal gradients of size 1 do not reach.
"""
from fractions import Fraction
from theorytools import Claim, Control, Quantity, Run, decide, grid
from theorytools.search.kinds import Sequences
from .notation import T, gamma, t

growth = Quantity("growth", r"t\hat v_t-(t-1)\hat v_{t-1}", "of the squared inverse step")

def step(state, t, p):
    v = p.gamma * state[0] + (1 - p.gamma) * p.g[t - 1] ** 2
    inverse = t * v / (1 - p.gamma**t)
    return v, inverse, inverse - state[1], decide.less(inverse, state[1])

run = Run(lambda p: (Fraction(0), Fraction(0), Fraction(0), False), step, lambda s, t, p: {growth: s[2]})

claim = Claim(
    "Adam's inverse steps never shrink", role="statement", scope={"every gamma, g, T": "points"},
    source="published: Kingma and Ba (2015), proof of Theorem 4.1; prose", asserts=growth >= 0, requires=[gamma < 1],
    run=run, objects={"g": (Sequences(denominator=1), T, 3)}, grid=grid(gamma=["1/2", "9/10"], T=[2, 3]),
    controls=[Control("growth by t", asserts=[growth >= t], breaks=growth)],
)
