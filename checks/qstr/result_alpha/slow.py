r"""At slopes $\alpha=94/k_0$ networks keep $\alpha N/752$ bits, and some minimiser on fewer labels predicts nothing.

Setting    As in result_alpha, with its class $\mathcal K_N(\alpha)$, tokens independent and uniform on $\pm1$, the
           index uniform; $N=8k_0M$ with $k_0\ge2$ a power of 2; $\alpha=94/k_0$, so that $M=\alpha N/752$.
Statement  For every $k_0$, $M\ge1$ and $n\le M-1$, with probability at least $1-2^{n-M}\ge\frac12$ over $n$ prompts,
           one network of $\mathcal K_N(\alpha)$ has no error on the prompts, at every position, and a risk of at least
           $2-\frac2N$; 0 has the risk 1. So $\mathcal K_N(\alpha)$ stores $\frac{\alpha N}{752}$ bits;
           result_alpha.most: no more than $\alpha N$ up to logarithms.
Proof      1. The network: `slow_parity_memory`, whose docstring says what its five numbers do. Those that approach a
           goal do so by $(1-\epsilon)^{k_0}\le e^{-3/2}<\frac14$, $\epsilon=\frac3{2k_0}$, in blocks of $8k_0$
           positions: so ramps from $\frac14$ to $\frac34$ return bits, $p$ and $p'$ included, by induction over the
           blocks. $u$ is at rest while it is read, and leaves its bit by the factor
           $(1+\epsilon)^{k_0}\ge(\frac74)^2>3$, which increases in $k_0$: hence every table has a $w$, and bits are
           read at distance $\frac16$ from $\frac12$. A gate adds $-1$ or less to a number within $[-1,1]$. The
           read-out takes of each pass the number at rest. 2. What is read of the state is scaled by $\epsilon$ in the
           first layer; nothing else depends on $k_0$ but digits of the clock, which are no columns of $W_{1,h}$, and
           biases: the product is $c\epsilon$. 3. Three rows read the clock's $\lambda=\log_2(8k_0)\le d_e$ digits,
           each with squares $\lambda^2+\lambda+1$. 4. As in result_alpha_parity, with the tokens of the $M$ middles.
Witness    As in result_alpha_parity.
Measured   As in result_alpha_parity.
Control    No backward pass; the first two bits; one bit in the table; 93 for 94; $1-2^{n-M-1}$; a digit fewer in the
           norm; half of the ball; a block fewer.
Reads      Derived here. The labels after which every minimiser has learnt are between $\alpha N/752$ and
           polylog$(N)(1+\alpha N)$: of order $\alpha N$ up to logarithms, for $94/k_0$ with $k_0\le N/16$. Between
           $1/N$ and $1504/N$, that is for $M=1$, nothing fails by this network; other minimisers, those of least norm
           and trained networks are not meant.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import log

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.papers.qstr.recurrent.residual import ResidualRNN
from theorytools.papers.qstr.recurrent.slow_memory import slow_parity_memory, with_positions

from ..notation import N, cells_M, k_0, n
from ._class import radius_2
from ._sample import Fitted, fitted, independent, union_bound
from .parity import chance, median, norm, slope, wrong

M = cells_M
stored = Quantity("stored bits", r"M", "bits of a table that one prompt each returns", (0, None))
digits = log(8 * k_0) / log(2)
squares = 600 + 3 * (digits**2 + digits + 1)


def construct(p, kept=None) -> Fitted:
    def memory(bits):
        return slow_parity_memory(bits if kept is None else [*bits[:kept], *[0] * (p.cells_M - kept)], p.k_0)

    places = range(4 * p.k_0, 8 * p.k_0 * p.cells_M, 8 * p.k_0)
    return fitted(p, 8 * p.k_0 * p.cells_M, places, memory, with_positions)


def measure(memory, p):
    odds = independent(p.n, p.cells_M)
    return {wrong: memory.wrong(), norm: memory.net.squared_norm(), slope: enclosed(memory.net.slope),
            chance: odds, median: memory.risk() if 2 * odds >= 1 else 0}


def one_way(p):
    memory = construct(p)
    return replace(memory, net=replace(memory.net, backward=slow_parity_memory([0] * p.cells_M, p.k_0).backward))


def one_bit(p):
    return replace(construct(p), net=slow_parity_memory([1, *[0] * (p.cells_M - 1)], p.k_0))


claim = Claim(
    "Result A, every slope",
    role="necessity", source="derived here: result A",
    scope={"every k_0, cells_M, n": "proof", "every sample with independent rows": "proof",
           "some minimiser": "exhibited", "every prompt and position": "proof"},
    asserts=[wrong.equals(0), norm <= squares, slope <= 94 / k_0, chance >= 1 - 2 ** (n - M), median >= 2 - 2 / N],
    lets={N: 8 * k_0 * M}, requires=[n <= M - 1], construct=construct, measure=measure,
    grid=points("k_0 cells_M n", (2, 2, 1), (2, 5, 3), (4, 8, 7), (16, 3, 2), (2, 24, 12)), controls=[
        Control("no backward pass", breaks=[wrong, median], where=M >= 8, construct=one_way),
        Control("the first two bits", breaks=wrong, where=n >= 7, construct=lambda p: construct(p, kept=2)),
        Control("a risk of 2", breaks=median, where=M <= 5, construct=one_bit, asserts=[median >= 2]),
        Control("93 for 94", breaks=slope, asserts=[slope <= 93 / k_0]),
        Control("a digit fewer", breaks=norm, where=k_0 >= 16, asserts=[norm <= squares - 6 * digits]),
        Control("half the probability of failure", breaks=chance, where=n >= 2,
                asserts=[chance >= 1 - 2 ** (n - M - 1)]),
    ],
)


def counted(p) -> ResidualRNN:
    """A network of these sizes with an empty table: its slope is that of every table."""
    return slow_parity_memory([0] * p.cells_M, p.k_0)


def least(net, p, places=0):
    odds = union_bound(p.n, p.cells_M + places)
    risks = [2 - Fraction(2 * (A == 1), 8 * p.k_0 * p.cells_M) for A in range(p.cells_M + 1)]  # by the size of a table
    return {norm: net.squared_norm(), slope: enclosed(net.slope), chance: odds,
            median: min(risks) if 2 * odds >= 1 else 0}


labels = Claim(
    "Result A, every slope, any size",
    role="necessity", source="derived here: result A", uses=["qstr.result_alpha_slow"],
    statement=r"As the statement of the file, at sizes at which the network is not run: its norm and slope, the least "
              r"risk over all tables, and a lower bound on the probability that one of them fits.",
    scope={"every k_0, cells_M, n": "proof", "some minimiser": "exhibited", "every table": "closed form"},
    asserts=[norm <= radius_2(N), slope <= 94 / k_0, chance >= 1 - 2 ** (n - M), median >= 2 - 2 / N],
    lets={N: 8 * k_0 * M}, requires=[n <= M - 1], construct=counted, measure=least,
    grid=points("k_0 cells_M n", (2, 16, 15), (8, 64, 63), (64, 8, 4), (256, 2, 1), (1024, 64, 60), (2, 512, 511)),
    controls=[
        Control("a block fewer", breaks=chance, where=(n >= 2) & (n <= M - 2) & (M <= 64),
                measure=lambda net, p: least(net, p, -1)),
        Control("a risk of 2", breaks=median, asserts=[median >= 2]),
        Control("93 for 94", breaks=slope, asserts=[slope <= 93 / k_0]),
        Control("half of the ball", breaks=norm, where=M <= 8, asserts=[norm <= radius_2(N) / 2]),
    ],
)
