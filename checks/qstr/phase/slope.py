"""Labels against the slope of a recurrent transition: when does fitting them teach anything?"""

from __future__ import annotations

from sympy import And, Integer

from theorytools.phase.declaration import Axis, Panel, Phase, Rule, Spread

from ..notation import N, lip_N, n

fewer = Spread(letter=n, direction="down", reason="fewer equations are independent where more are")
larger = Spread(letter=lip_N, direction="up", reason="a class of larger slopes has the network of a smaller one")
more = Spread(letter=n, direction="up", reason="the guarantee decreases in the number of prompts")
gentler = Spread(letter=lip_N, direction="down", reason="a class of smaller slopes is part of one of larger slopes")
hold, bits = 94 * N / lip_N, lip_N / 752

slow = Rule(
    kind="impossible", claim="qstr.result_alpha_slow.labels", quantity="median risk", spreads=[fewer, larger],
    at={"k_0": hold, "cells_M": bits, "n": n}, where=And(lip_N >= 752, lip_N <= 47 * N, n <= bits - 1),
    edge=bits - 1 - n,
    over=["every k_0, cells_M, n", "every table"],
    says="some minimiser keeps the labels as a table and errs by more than the prediction 0",
)
steep = Rule(
    kind="impossible", claim="qstr.result_alpha_parity.labels", quantity="median risk", spreads=[fewer],
    at={"N": N, "n": n}, where=And(lip_N >= 155 * N, n <= N - 1), over=["every N, n", "every table"], edge=N - 1 - n,
    says="some minimiser keeps the labels as a table and errs by more than the prediction 0",
)
guaranteed = Rule(
    kind="possible", claim="qstr.result_alpha.guarantee", quantity="guarantee", spreads=[more, gentler],
    at={"N": N, "n": n, "lip_N": lip_N}, where=n >= 10**6, edge="bound",
    says="with probability 1/2 every constrained minimiser has a smaller risk of squared errors cut at 4",
)
length = 4096
phase = Phase(
    title="Labels against the slope of the transition",
    task="Simple 1STR, tokens and labels +1 and -1; the class of recurrent networks of result_alpha at N = 4096, with "
    "transitions of slope alpha in the state",
    goal="with probability 1/2 over the sample every constrained minimiser has a risk below 1, that of predicting 0",
    level=Integer(1),
    across=Axis(letter=lip_N, values=(1, 9, 70, *(752 * 2**k for k in range(9)), 155 * length), logarithmic=True,
                means="slope times length: 1 is the paper's, 9 and 70 are log N and its square"),
    up=Axis(letter=n, values=(1, 3, 7, 15, 31, 63, 127, 255, 4095, 10**5, 10**6, 10**7, 10**8, 10**9, 10**10, 10**11,
                              10**12), means="labelled prompts", logarithmic=True),
    panels=[
        Panel(title="recurrent, four layers, five state numbers", fixed={N: length}, rules=[slow, steep, guaranteed])
    ],
    agenda="Both sides grow in proportion to alpha N; between them lie the number of parameters, logarithms and the "
    "constants of the covering argument, and for slopes below 1504/N whether anything fails at all.",
)
