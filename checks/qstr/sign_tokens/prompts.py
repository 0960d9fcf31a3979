r"""How many sign prompts a first layer in their span takes: between 2 and 3.17 times $N/\log_2N$ for long prompts.

Setting    As in sign_tokens, $p=Nd$. $n_-(\rho)$: with fewer prompts no network in the span of any data set has risk
           $\rho$, averaged over a basis of links. $n_+(\rho)$: with that many independent uniform prompts there is one
           behind $W=X$, with probability at least 99 % over them.
Statement  $n_-(\rho)\ge(1-\rho^{1/\log4})\,2p/\log_2(\pi e(\frac p2+\frac16))$ for all $p$, $\rho$. For $64\le
           p\le4096$ $n_+(0)\le3.5\,p/\log_2p$ and $n_+(\frac1{100})\le2.7\,p/\log_2p$: at $p=64$ these are 36 and 28
           prompts, where a risk of $\frac1{100}$ takes 16 or more for signs, and 64 for Gaussian tokens (Theorem 6).
Proof      $n_-$: sign_tokens, with $H_p\le\frac12\log_2(2\pi e(\frac p4+\frac1{12}))$: a sum of $p$ signs, halved, is
           an integer of variance $\frac p4$; with a uniform part of 1 added it has a density of entropy $H_p$ and of
           variance $\frac p4+\frac1{12}$, and a Gaussian has the largest. $n_+$: the sums of sign_tokens_mean, for
           $\rho>0$ by Markov's inequality; they fall in $n$, so one value decides all larger $n$.
Measured   $n_-$ and $n_+$ by the library, each certified at itself; $H_p$ by its sum, in balls.
Control    Gaussian tokens; constants 3 and 2 for 3.5 and 2.7, which only longer prompts allow; one bit for a row.
Reads      Derived here. The library certifies the sizes of the grid; at every other $p$ from 64 to 4096 the same sums
           were compared in doubles, without exception. The leading constants, 2 and $2\log_23=3.17$, are in
           sign_tokens_mean. Risk averaged over links; the largest over links is at most $d$ times as large.
"""

from fractions import Fraction

from sympy import E, Rational, log, pi

from theorytools import Anchor, Claim, Control, Quantity, grid
from theorytools.papers.qstr.first_layers.sign_tokens import sign_prompts_enough, sign_prompts_needed

from ..notation import N, d, risk_0

needed = Quantity("needed", r"n_-(\rho)", "prompts without which no data set has the risk", (0, None))
enough = Quantity("enough", r"n_+(0)", "prompts with which most data sets have risk 0", (1, None))
small = Quantity("enough for the risk", r"n_+(\frac1{100})", "prompts with which most data sets have it", (1, None))
p = N * d


def construct(q) -> tuple[int, int]:
    return q.N, q.d


def measure(sizes, q):
    N, d = sizes
    return {needed: sign_prompts_needed(N, d=d, risk=q.risk_0), enough: sign_prompts_enough(N, d=d),
            small: sign_prompts_enough(N, d=d, risk=Fraction(1, 100))}


def below(width):
    return needed >= (1 - risk_0 ** (1 / log(4))) * p / width


spread = log(pi * E * (p / 2 + Rational(1, 6))) / log(4)
per = p / (log(p) / log(2))
claim = Claim(
    "Sign tokens, numbers of prompts",
    role="growth", source="derived here: Theorem 6",
    scope={"every N, d": "points", "every risk risk_0": "points", "every data set": "proof",
           "every network in the span": "proof"},
    asserts=[below(spread), enough <= Rational(7, 2) * per, small <= Rational(27, 10) * per],
    requires=[p >= 64, p <= 4096, risk_0 < 1],
    grid=grid(N=[64], d=[1], risk_0=["1/100", "1/2"]) + grid(N=[128, 256, 1024], d=[1], risk_0=["1/100"])
    + grid(N=[64], d=[2, 10], risk_0=["1/10"]),
    construct=construct, measure=measure,
    anchors=[Anchor("one sign", (1, 1), {needed: 1, enough: 1, small: 1}, at={"N": 1, "d": 1, "risk_0": "1/100"},
                    source="by hand: without a prompt the risk is 1, and with one the sign is seen")],
    controls=[
        Control("half of the signs", breaks=needed, construct=lambda q: (q.N // 2, q.d)),
        Control("Gaussian tokens", breaks=needed, asserts=[needed >= (1 - risk_0) * p]),
        Control("the constant 3 for 3.5", breaks=enough, asserts=[enough <= 3 * per]),
        Control("the constant 2 for 2.7", breaks=small, asserts=[small <= 2 * per]),
        Control("one bit for a row", breaks=needed, asserts=[below(1)]),
    ],
)
