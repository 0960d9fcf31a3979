r"""Without the condition on $\alpha_N$ Theorem 7 fails: while $n<N$, some constrained minimiser predicts nothing.

Setting    Simple 1STR, $d=1$, labels $\pm1$; tokens independent and uniform on $\pm1$, the index uniform. Any class of
           recurrent networks with 2 state numbers or more, three layers in a transition and four in the read-out, at
           least 7 units in each, $r_h^2\ge2$, $\|\mathrm{vec}\,\Theta\|^2\le R^2$ with $R\ge24$, and
           $\alpha_N\ge155$.
Statement  For every $N\ge2$ and $n\le N-1$, with probability at least $1-2^{n-N}\ge\frac12$ over $n$ prompts, one
           network of the class has no error on the prompts, at every position, and the risk 2, or $2-\frac2N$: it is a
           minimiser, and for $N\ge3$ worse than the prediction 0, whose risk is 1.
Proof      1. The network: `parity_memory`. With $w\in[0,1]$ on the tent map's path of the table $a$, the state $h=u-w$
           starts at 0, $u$ visits the thirds that $a$ names, $|u-\frac12|\ge\frac16$, and a ramp of slope 6 returns
           $2a_j$. The second number is the parity so far: $p+v-2\sigma(p+v-1)=p\oplus v$ on bits, with
           $v=\sigma(2a_j+x_j-2)=a_j\wedge[x_j=1]$.
           At position $j$ the read-out adds the parities of both passes and its own bit, a number $S\le3$, and
           $S-2\sigma(S-1)+2\sigma(S-2)$ is its parity. So $\hat y=-\prod_{j\in A}(-x_j)$ everywhere, $A=\{j:a_j=1\}$.
           2. All weights but those with $w$ are fixed: the squares add up to 567, and $2w^2+\dots$ to at most
           $4+\frac16$; the product of operator norms does not depend on $w$. 3. $\bigoplus_ja_j[x_{ij}=1]=[y_i=1]$,
           $i\le n$, are $n$ equations over GF(2) with uniform coefficients, independent rows with probability
           $\prod_{i<n}(1-2^{i-N})\ge1-\sum_{i<n}2^{i-N}\ge1-2^{n-N}$; then every vector of labels is met by some
           table. 4. $E(\hat y-x_t)^2=2-2E\hat yx_t$, and $E\hat yx_t$ is 1 for $A=\{t\}$ and else 0, because
           characters are orthogonal; so the risk is 2, for $|A|=1$ at least 2 less twice the probability of that
           index.
Witness    For a sample that is drawn until its rows are independent, the table by elimination, the network from it.
Measured   In rationals: the largest error over the prompts and positions, the squared norm, the table as the network
           answers it to prompts with one token +1, and the risk from it; by all prompts at $N\le6$. The product of
           norms enclosed. The probability exactly.
Control    32 digits of $w$ alone, about what a double holds; no backward pass; one bit in the table; 154 and 567; a
           probability of $1-2^{n-N-1}$.
Reads      Tokens $\pm1$ satisfy the assumptions of the theorem, which speaks of every constrained minimiser.
           Nothing is shown of minimum-norm or trained networks, of the other minimisers, or of slopes between $\frac1N$
           and 155: that is result_alpha_slow. Under another law of the index the risk is $2$ less twice the
           probability of one index. Further layers pass the units on: an identity of 4 units costs 4 in the squared
           norm and nothing in the product.
"""

from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.papers.qstr.recurrent.digit_memory import parity_memory

from ..notation import N, n
from ._sample import Fitted, fitted, independent, union_bound

wrong = Quantity("largest error", r"\max_{i,j}|\hat y_j-y_i|", "on the prompts, over all positions", (0, None))
norm = Quantity("squared norm", r"\|\mathrm{vec}\,\Theta\|^2", "of all weights and biases", (0, None))
slope = Quantity("slope", r"\alpha", "larger product of operator norms of the two transitions", (0, None))
chance = Quantity("chance", r"\Pr", "probability that the rows of a sample are independent", (0, 1))
median = Quantity("median risk", r"m_{1/2}", "of the worst minimiser, over samples", (0, None))
least = 2 - 2 / N


def construct(p, kept=None) -> Fitted:
    def memory(bits):
        return parity_memory(bits if kept is None else [*bits[:kept], *[0] * (p.N - kept)])

    return fitted(p, p.N, range(p.N), memory, lambda X: X[..., None])


def measure(memory, p):
    return {wrong: memory.wrong(), norm: memory.net.squared_norm(), slope: enclosed(memory.net.slope),
            chance: independent(p.n, p.N), median: memory.risk() if 2 * independent(p.n, p.N) >= 1 else 0}


def one_way(p):
    memory = construct(p)
    empty = parity_memory([0] * p.N)
    return replace(memory, net=replace(memory.net, backward=empty.backward))


def one_bit(p):
    return replace(construct(p), net=parity_memory([1, *[0] * (p.N - 1)]))


def enumerated(memory, p):
    return {median: memory.enumerated()} if p.N <= 6 else None


claim = Claim(
    "Result A, no bound on the slope",
    role="necessity", source="derived here: result A",
    scope={"every N, n": "proof", "every sample with independent rows": "proof", "some minimiser": "exhibited",
           "every prompt and position": "proof"},
    asserts=[wrong.equals(0), norm <= 576, slope <= 155, chance >= 1 - 2 ** (n - N), median >= least],
    requires=[n <= N - 1], construct=construct, measure=measure, second=enumerated,
    grid=points("N n", (2, 1), (5, 4), (6, 3), (16, 4), (16, 15), (64, 8), (64, 63), (256, 16)), controls=[
        Control("32 digits", breaks=wrong, where=(N >= 64) & (n >= 16), construct=lambda p: construct(p, kept=32)),
        Control("no backward pass", breaks=[wrong, median], where=N >= 16, construct=one_way),
        Control("a risk of 2", breaks=median, where=N <= 16, construct=one_bit, asserts=[median >= 2]),
        Control("a slope of 154", breaks=slope, asserts=[slope <= 154]),
        Control("a squared norm of 567", breaks=norm, asserts=[norm <= 567]),
        Control("half the probability of failure", breaks=chance, where=n >= 2,
                asserts=[chance >= 1 - 2 ** (n - N - 1)]),
    ],
)


def least(net, p, more=0):
    odds = union_bound(p.n, p.N + more)
    risks = [2 - Fraction(2 * (A == 1), p.N) for A in range(p.N + 1)]  # by the size of a table
    return {norm: net.squared_norm(), chance: odds, median: min(risks) if 2 * odds >= 1 else 0}


labels = Claim(
    "Result A, no bound on the slope, any length",
    role="necessity", source="derived here: result A", uses=["qstr.result_alpha_parity"],
    statement=r"As the statement of the file, at lengths at which the network is not run: its norm, the least risk "
              r"over all tables, and a lower bound on the probability that one of them fits.",
    scope={"every N, n": "proof", "some minimiser": "exhibited", "every table": "closed form"},
    asserts=[norm <= 576, chance >= 1 - 2 ** (n - N), median >= 2 - 2 / N], requires=[n <= N - 1],
    construct=lambda p: parity_memory([0] * p.N), measure=least,
    grid=points("N n", (2, 1), (16, 12), (64, 63), (1024, 1000), (4096, 4095)), controls=[
        Control("a position fewer", breaks=chance, where=(n >= 2) & (n <= N - 2) & (N <= 64),
                measure=lambda net, p: least(net, p, -1)),
        Control("a risk of 2", breaks=median, asserts=[median >= 2]),
        Control("a squared norm of 567", breaks=norm, asserts=[norm <= 567]),
    ],
)
