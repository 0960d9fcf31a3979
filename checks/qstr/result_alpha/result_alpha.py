r"""Theorem 7 keeps its rate, on simple retrieval of signs, for $\alpha_N=\mathrm{polylog}(N)/N$.

Setting    Simple 1STR, $d=1$, tokens and labels $\pm1$, binary codes of $d_e=\lceil\log_2N\rceil$ signs. The class
           $\mathcal K_N(\alpha)$: bidirectional networks $h_{j+1}=\Pi_{r_h}(h_j+f(h_j,z_j))$, $h_1=0$, states of 5
           numbers, $r_h^2=6$, four layers of at most $26+2d_e$ units in transitions and read-out,
           $\|\mathrm{vec}\,\Theta\|^2\le700+3(d_e+2)^2$ and, in both directions,
           $\|W_L\|_{op}\cdots\|W_2\|_{op}\|W_{1,h}\|_{op}\le\alpha$. $R_4$ is the risk of squared errors cut at 4.
Statement  With probability at least $\frac12$ over $n$ prompts every constrained minimiser has $R_4\le
           G=8n^{-1/2}+8\sqrt{2(\Lambda+2P_h\alpha N)/n}+12\sqrt{\log4/(2n)}$, $\Lambda$ the bound of Corollary 31
           on the logarithm of the covering number at $\alpha=0$ and $n^{-1/2}$, $P_h$ the parameters of a transition.
           For $\alpha N=(\log N)^\kappa$ and fixed $n$ the middle term is
           $c\,N^0(\log N)^{1+\max(1,\kappa)/2}(1+o(1))$: up to $\kappa=1$ the power of $\alpha=0$. So
           $n\ge\mathrm{polylog}(N)(1+\alpha N)$ is enough for every minimiser; $n=\frac{\alpha N}{752}-1$ is not
           (result_alpha_slow).
Proof      1. ReLU is 1-Lipschitz: a transition of the class is $\alpha$-Lipschitz in $h$, for every $z$. 2.
           $\Pi_{r_h}$ moves no two states apart (lemma_29_projection): $\|h_{j+1}-\hat
           h_{j+1}\|\le(1+\alpha)\|h_j-\hat h_j\|+d_\infty$, and $h_1=\hat h_1$, so that all drifts are at most
           $S_Nd_\infty$ with $S_N=\sum_{i\le N-2}(1+\alpha)^i\le(N-1)(1+\alpha)^{N-2}\le(N-1)e^{\alpha N}$. 3. Each
           transition is covered at the radius $\frac\epsilon{2C_yS_N}$ (lemma_29_directions), by $P_h\log(1+Y_0S_N)$
           with Lemma 30; $1+Y_0(N-1)e^{\alpha N}\le(1+Y_0(N-1))e^{\alpha N}$, and $Y_0(N-1)$ is what stands there at
           $\alpha=0$: two transitions add $2P_h\alpha N$. 4. Lemma 32 and Corollary 33, with $\delta=\frac12$,
           $\tau=4$ and $\epsilon=n^{-1/2}$, know the class by this logarithm only; tokens are bounded, so nothing is
           lost on long ones. 5. The network that retrieves is in $\mathcal K_N(0)$ (proposition_28; squared norm
           at most $48+24d_e$, at most $6+2d_e$ units a layer, $r_h=1$): a minimiser's $\hat R_n$ is 0.
Adversary  `parting`: maps $\alpha h$ and $\alpha h+c$, which drift by $S_N$ exactly; random ReLU maps on random
           inputs.
Measured   Powers exactly, from the leading term; drifts in rationals, $G$ enclosed.
Control    $\alpha N=\sqrt N$ and $\alpha=155$, the slope of result_alpha_parity; other powers; $\log N$, or half of
           $\alpha N$ with it; half the constant.
Reads      An open question of the paper: is $\alpha_N\le1/N$ needed? All constants are derived here; $G<1$ asks for
           more than $4\cdot10^7$ prompts, which says something of this proof. Not shown: other tokens, $q>1$, a link,
           other classes, and what minimisers of least norm do; what training finds is question_f.
"""

from fractions import Fraction

from sympy import Eq, Max, Rational, Symbol, exp, log, sqrt, sympify

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.claims.language.growth import leading_term
from theorytools.numbers import evaluate
from theorytools.papers.qstr.capacity.perturbation.recurrent import RecurrentPair

from ..notation import N, exponent, lip_k, lip_N, n, trial
from ._class import class_covering, terms

in_N = Quantity("power of N", r"r_0", "in the leading term of the complexity term, n fixed")
in_log = Quantity("power of log N", r"r_1", "in the same leading term")
drift = Quantity("drift", r"\max_j\|h_j-\hat h_j\|/d_\infty", "of the states of two networks", (0, None))
risk = Quantity("guarantee", "G", "bound on the cut risk of every minimiser, with probability 1/2", (0, None))
x = Symbol("x", positive=True)


def construct(p, lip=None):
    return terms(exp(x), sympify(p.n), x**p.lip_k if lip is None else lip)["complexity"]


def measure(term, p):
    growth = leading_term(term, x)  # a power of N = e^x and one of x
    return {in_N: growth.powers[0], in_log: growth.powers[1]}


claim = Claim(
    "Result A, a slope of polylog(N)/N is enough",
    role="statement", source="derived here: result A",
    scope={"every n, lip_k": "points", "every large N": "closed form", "every network": "proof",
           "every minimiser": "proof"},
    asserts=[in_N.equals(0), in_log.equals(1 + Max(1, lip_k) / 2)], construct=construct, measure=measure,
    grid=points("n lip_k", (10**4, 0), (10**8, 1), (10**8, 2), (10**10, 3), (10**10, 6)), controls=[
        Control("alpha N = sqrt(N)", breaks=[in_N, in_log], construct=lambda p: construct(p, exp(x / 2))),
        Control("a slope of 155", breaks=[in_N, in_log], construct=lambda p: construct(p, 155 * exp(x))),
        Control("one logarithm more", breaks=in_log, construct=lambda p: construct(p, x ** (Max(1, p.lip_k) + 1))),
    ],
)


def pair(p) -> RecurrentPair:
    slope = Fraction(p.lip_N) / p.N
    if p.trial == 0:
        return RecurrentPair.shifted(p.N, slope, Fraction(1, 8))
    return RecurrentPair.random(p.rng("maps"), p.N, slope, Fraction(p.trial))


def parted(maps, p):
    return {drift: max(maps.drifts()) / maps.distance()}


most = Claim(
    "Result A, the bits that a class stores",
    role="growth", source="derived here: result A",
    statement=r"If there are $M$ prompts that for every table of $M$ bits some network of $\mathcal K_N(\alpha)$ "
              r"answers by it, then $M\le B=\log_2\mathcal C(\frac9{10})$, since two such networks are 2 apart at a "
              r"prompt and no vector is within $\frac9{10}$ of both; for $\alpha N=N^\rho$, $0<\rho\le1$, "
              r"$B=c\,N^\rho(\log N)^2(1+o(1))$.",
    scope={"every exponent": "points", "every large N": "closed form", "every table": "proof",
           "every network": "proof"},
    asserts=[in_N.equals(exponent), in_log.equals(2)], requires=[exponent > 0, exponent <= 1],
    construct=lambda p: class_covering(exp(x), Rational(9, 10), exp(x * p.exponent)) / log(2), measure=measure,
    grid=points("exponent", ("1/100",), ("1/3",), ("1/2",), ("9/10",), (1,)), controls=[
        Control("no slope", breaks=[in_N, in_log], construct=lambda p: class_covering(exp(x), Rational(9, 10), 0)),
        Control("a square of alpha N", breaks=in_N,
                construct=lambda p: class_covering(exp(x), Rational(9, 10), exp(2 * x * p.exponent))),
        Control("one logarithm fewer", breaks=in_log, asserts=[in_log.equals(1)]),
    ],
)
steep = Eq(trial, 0)
parting = Claim(
    "Result A, two networks of any slope",
    role="foundation", source="derived here: result A", uses=["qstr.lemma_29_projection"],
    statement=r"Two networks whose transitions are $\alpha$-Lipschitz in the state and at most $d_\infty$ apart have "
              r"states at most $(N-1)e^{\alpha N}d_\infty$ apart, for every $\alpha\ge0$.",
    scope={"every N, lip_N, trial": "proof", "every pair of maps": "proof"},
    asserts=drift <= (N - 1) * exp(lip_N), requires=[N >= 2], construct=pair, measure=parted,
    grid=points("N lip_N trial", (2, 0, 0), (16, 0, 0), (16, 1, 0), (64, 4, 0), (256, 6, 0), (64, 64, 0), (100, 3, 1),
                (30, 30, 2), (16, 1, 8)),
    controls=[
        Control("N - 1 alone", breaks=drift, where=steep & (lip_N > 0), asserts=[drift <= N - 1]),
        Control("half of alpha N", breaks=drift, where=steep & (lip_N >= 6) & (N >= 64),
                asserts=[drift <= (N - 1) * exp(lip_N / 2)]),
        Control("a step more", breaks=drift, where=steep & (lip_N <= 0),
                construct=lambda p: RecurrentPair.shifted(p.N + 1, Fraction(0), Fraction(1, 8))),
    ],
)
guarantee = Claim(
    "Result A, what is guaranteed",
    role="growth", source="derived here: result A",
    statement=r"With probability at least $\frac12$ over $n\ge10^6$ prompts every constrained minimiser over "
              r"$\mathcal K_N(\alpha)$, $N\ge16$, has $R_4\le600\log N\sqrt{(\log(nN)+\alpha N)/n}$.",
    scope={"every N, n, lip_N": "points", "some class of networks": "exhibited", "every minimiser": "proof"},
    asserts=risk <= 600 * log(N) * sqrt((log(n * N) + lip_N) / n), requires=[N >= 16, n >= 10**6],
    construct=lambda p: sum(terms(sympify(p.N), sympify(p.n), sympify(p.lip_N)).values()),
    measure=lambda formula, p: {risk: enclosed(lambda: evaluate(formula))},
    grid=points("N n lip_N", (16, 10**6, 0), (16, 10**6, 1), (17, 10**6, 0), (64, 10**8, 4), (1024, 10**8, 0),
                (1024, 10**8, 7), (1024, 10**12, 1024), (2**14, 10**10, 10), (2**20, 10**10, 14),
                (2**20, 10**12, 155 * 2**20)),
    controls=[
        Control("half the constant", breaks=risk, where=N <= 16,
                asserts=[risk <= 300 * log(N) * sqrt((log(n * N) + lip_N) / n)]),
        Control("twice the length of a sequence", breaks=risk, where=(N <= 17) & Eq(lip_N, 0),
                construct=lambda p: sum(terms(sympify(2 * p.N), sympify(p.n), sympify(p.lip_N)).values())),
        Control("without alpha N", breaks=risk, where=lip_N >= 1000,
                asserts=[risk <= 600 * log(N) * sqrt(log(n * N) / n)]),
        Control("a rate of 1/n", breaks=risk, asserts=[risk <= 60 * log(N) * (log(n * N) + lip_N) / n]),
    ],
)
