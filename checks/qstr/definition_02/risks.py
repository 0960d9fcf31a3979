r"""Both empirical risks have the population risk as their mean; one position per prompt adds the variance within it.

Setting    $n$ independent prompts of a finite law, squared loss. $R$ (2.1) is the mean over prompts and positions,
           $\hat R_{n,N}$ (2.2) averages the $n$ prompts over all positions, $\hat R_n$ (2.3) takes one position
           $j^{(i)}\sim\mathrm{Unif}[N]$ of each, independently.
Statement  $E\hat R_n=E\hat R_{n,N}=R$; $\operatorname{Var}\hat R_{n,N}=V_p/n\le\operatorname{Var}\hat R_n=(V_p+V_j)/n$
           with the variance $V_p$ of a prompt's mean loss and the mean variance $V_j$ within a prompt. In the simple
           task with a prediction that is constant in position, $\hat R_n=\hat R_{n,N}$: $V_j=0$.
Proof      Given a prompt the loss at a uniform position has the prompt's mean loss as its mean and a variance of mean
           $V_j$; the variance of the former is $V_p$, and $n$ prompts are independent.
Witness    All prompts of small size, three laws; predictions by the mean of the tokens, the own token, or zero.
Measured   The laws of both empirical risks, by convolving the law of one prompt $n$ times, in rationals.
Control    $j^{(i)}=1$ always, where the first position is easier; a loss that is not divided by $N$; half of the
           prompts; a prediction that depends on the position; one tuple per position.
Reads      The rules are the paper's (2.1)-(2.3), its remark on the simple task is read with outputs equal at all
           positions: a feedforward network with $N$ outputs that answers $\langle u,x_j\rangle$ of its own token at $j$
           has $\hat R_n=0$ at $j^{(i)}=t^{(i)}$, and $\hat R_{n,N}>0$. The two variances are derived here (conditional
           variance).
"""

import numpy as np

from theorytools import Claim, Control, Quantity, points

from ..notation import R_1, R_all, V_j, V_p, n
from ._empirical_risk import LossTable, mean, variance
from ._finite_prompts import FinitePrompts

whole = Quantity("mean, all positions", r"E\hat R_{n,N}", "over n prompts", (0, None))
single = Quantity("mean, one position", r"E\hat R_n", "over n prompts and positions", (0, None))
var_whole = Quantity("variance, all positions", r"\operatorname{Var}\hat R_{n,N}", "over n prompts", (0, None))
var_single = Quantity("variance, one position", r"\operatorname{Var}\hat R_n", "over prompts and positions", (0, None))
gap = Quantity("cost of one position", r"\operatorname{Var}\hat R_n-\operatorname{Var}\hat R_{n,N}", "in variance")


def construct(p, law=None, prediction=None) -> LossTable:
    law = law or p.law
    X, T = FinitePrompts((-1, 1, 2), p.N, p.q, law).prompts()
    y = FinitePrompts.labels(X, T, power=2 if law == "few" else 1)
    centre = np.repeat(p.q * X.sum(axis=1, keepdims=True), p.N, axis=1)
    guess = {"mean": centre, "own": p.N * X, "zero": 0 * X}[prediction or p.prediction]
    return LossTable.squared(y, guess, unit=p.N)


def measure(table, p, n=None, positions=None):
    n = n or p.n
    one, every = table.law(n, whole=False, positions=positions), table.law(n)
    return {whole: mean(every), single: mean(one), var_whole: variance(every), var_single: variance(one),
            gap: variance(one) - variance(every)}


def derive(table, p):
    easy = LossTable(table.losses[:, :1], table.unit)
    return {R_all: table.risk(), R_1: easy.risk(), V_p: variance(table.law(1)), V_j: table.within()}


def added(table, p):
    sums = LossTable(table.losses * p.N, table.unit)
    return {**measure(table, p), whole: mean(sums.law(p.n)), var_whole: variance(sums.law(p.n))}


claim = Claim(
    "Definition 2, empirical risks",
    role="statement", source="published: Definition 2, eqs. (2.1) to (2.3); prose",
    scope={"every prediction, N, q, n": "proof", "every law of prompts": "proof", "every sample": "enumeration"},
    construct=construct, measure=measure,
    derive=derive, derived=[R_all, R_1, V_p, V_j],
    asserts=[whole.equals(R_all), single.equals(R_all), var_whole.equals(V_p / n),
             var_single.equals((V_p + V_j) / n), gap >= 0],
    grid=points("law prediction N q n", ("general", "mean", 3, 1, 1), ("general", "own", 3, 1, 3),
                ("general", "zero", 2, 2, 4), ("simple", "mean", 4, 2, 3), ("few", "zero", 5, 2, 4),
                ("few", "mean", 6, 1, 2)),
    controls=[
        Control("always the first position", breaks=single, where=R_all > R_1, asserts=[single.equals(R_all)],
                measure=lambda table, p: measure(table, p, positions=[0])),
        Control("not divided by N", breaks=[whole, var_whole], measure=added),
        Control("half of the prompts", breaks=[var_whole, var_single], where=n >= 2,
                measure=lambda table, p: measure(table, p, n=p.n // 2)),
    ],
)
simple = Claim(
    "Definition 2, empirical risks of the simple task",
    role="variant", source="published: Definition 2, eqs. (2.1) to (2.3); prose",
    scope={"every prediction, N, q, n": "proof", "every law of prompts": "proof", "every sample": "enumeration"},
    asserts=[gap.equals(0)], construct=construct, measure=measure,
    grid=points("law prediction N q n", ("simple", "mean", 3, 1, 3), ("simple", "zero", 2, 2, 2)), controls=[
        Control("the own token", breaks=gap, construct=lambda p: construct(p, prediction="own")),
        Control("one tuple per position", breaks=gap, construct=lambda p: construct(p, law="general")),
    ],
)
