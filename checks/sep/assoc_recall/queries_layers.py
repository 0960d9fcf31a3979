r"""Two layers of logarithmic width answer up to $K$ queries, "not there" included; a recurrent state is linear.

Setting    Separate tokens $k_1v_1\dots k_Nv_N$, a null token, then $q_1\dots q_R$; keys are different, out of
           $K=2^\kappa$; query tokens answer $v_j$ with $k_j=q_r$, or $\bot$. One head in each layer, weights $(4k)^s$,
           $(16\kappa)^s$ for integer scores $s$, $k=\lceil\log_2(N+R)\rceil$.
Statement  For $2\le N<K$, $R\le K$, $|Y|\ge2$, and $K\ge8$ or ($K=4$ and one of $N$, $R$ at most 2), every answer is
           right: what layer 1 fetches rounds to signs exactly, and the worst margin over all inputs is at least
           $\frac34$, with equality at $K=R=4$, $N=2$; at $K=4$, $N=3$, $R\ge3$ it is less. Its closed form is the
           executed one. The width is $3\kappa+2k+\lceil\log_2|Y|\rceil+4$. A recurrent model has at least $\binom
           KN|Y|^N$ states (assoc_recall_queries), $N\log_2\frac{K|Y|}N$ bits or more, and that up to $N\log_2e$; the
           keys and values in the cache of layer 2 are $N(\kappa+\lceil\log_2|Y|\rceil)$ bits, no fewer.
Proof      Of the margin: the key asked for has weight 1, the null token $\frac1b$, the others $b^{-2d}$ by distance;
           each margin is monotone in the sum of these, so the nearest or the farthest $N-1$ (absent: $N$) keys are
           worst. With $b=16\kappa$ the others weigh at most $s=(1+b^{-2})^\kappa-1<\frac{1.001}{256\kappa}$, the
           $N+R\le2\cdot2^\kappa$ tokens of score 0 at most $2(8\kappa)^{-\kappa}$. At $\kappa\ge3$ an absent key has
           the margin $\frac{1-bs-\dots}{1+bs+\dots}\ge\frac{1-.063}{1+.063+.007}>.87$ (all divided by $\frac1b$), one
           that is there $\frac{1-1/b}{1+1/b+.002}>.95$ or more (above .9 at $\kappa=2$). At $\kappa=2$, $b=32$ the
           absent one has $\frac{1-x-y}{1+x+y+(N+R)/32}$ with $x=\frac1{16}$, $y=(N-2)b^{-3}$: at least $\frac34$ for
           $N=2$, and for $N=3$ as long as $R\le2$. Slot 0 is worst in layer 1, for clearing a bit of a slot brings the
           slots before $N$ no farther: $|z|\ge\frac{1-x}{1+x+y}$, $x=(1+(4k)^{-2})^k-1\le.032$,
           $y=(2^k+1)(4k)^{-k}\le.08$, $k\ge2$. Codes add up to the width; $(\frac KN)^N\le\binom
           KN\le\min\{(\frac{eK}N)^N,K^N\}$.
Witness    Recall, in integers.
Measured   Small sizes: all sequences of pairs, all keys asked. Lengths $2N+1+R$ from 23 to 11097 by the closed form.
Control    The null token left out; values that fetch the key of the next slot; keys shown by query tokens; bases
           without the logarithm; a width without the codes of the slots.
Reads      Derived here. Layers are bidirectional or causal alike: values see earlier keys, queries see all values;
           under a causal mask fewer silent tokens count. Keys are fewer than $K$, so that one can be absent.
"""

from math import comb

from sympy import E, Rational, ceiling, log

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, exactly, points

from ..notation import K_keys, N, Y, asked, rho_ex
from ._two_layers import Recall

worst = Quantity("worst margin", r"\rho", "over all inputs, by the closed form", (-1, 1))
executed = Quantity("executed margin", r"\rho", "over all inputs, each run", (-1, 1))
fetch = Quantity("margin of a fetched sign", r"\rho_1", "of layer 1, by the closed form", (-1, 1))
unclear = Quantity("signs not exact", r"\#\{|z|<\frac12\}", "fetched by layer 1, over all inputs", (0, None))
width = Quantity("width", "m", "coordinates of the residual stream", (1, None))
bits = Quantity("bits", r"\log_2\#\mathrm{residuals}", "that a recurrent model needs, assoc_recall_queries", (1, None))


def construct(p, **spoiled) -> Recall:
    k, kappa = (p.N + p.asked - 1).bit_length(), p.K_keys.bit_length() - 1
    return Recall(p.K_keys, p.N, p.Y, p.asked, **{"first": 4 * k, "second": 16 * kappa, **spoiled})


def run(net, p):
    least, wrong = net.margins(*net.every_input())
    return {executed: exactly(least), unclear: wrong}


def measure(net, p):
    return {worst: exactly(net.worst()), fetch: exactly(net.fetch()), width: net.width,
            bits: enclosed(lambda: Enclosure(comb(net.K, net.N) * net.Y**net.N).log() / Enclosure(2).log())}


kappa, k = log(K_keys, 2), ceiling(log(N + asked, 2))
size = width.equals(3 * kappa + 2 * k + ceiling(log(Y, 2)) + 4)


def linear(each):
    return [bits >= N * log(each, 2), bits <= N * log(E * each, 2)]


bound = [worst >= Rational(3, 4), fetch >= Rational(1, 2)]
cache = bits <= N * (kappa + ceiling(log(Y, 2)))
large = [K_keys >= 8, N >= 2, K_keys > N, asked <= K_keys, Y >= 2]
sharp = [(K_keys >= 8) | (N <= 2) | (asked <= 2), *large[1:]]
claim = Claim(
    "Associative recall, several queries by two layers",
    role="statement", source="derived here: associative recall, separate tokens",
    scope={"every K_keys, asked": "proof", "every K, N, Y and R": "proof", "some network": "exhibited",
           "every input": "closed form"},
    asserts=[*bound, size, *linear(K_keys * Y / N), cache],
    grid=points("K_keys N Y asked", (4, 2, 2, 4), (4, 3, 2, 2), (8, 7, 2, 8), (32, 20, 16, 20), (64, 50, 16, 50),
                (128, 100, 64, 100), (512, 400, 64, 400), (2**20, 400, 64, 1), (4096, 3500, 2, 4096)),
    requires=sharp, construct=construct, measure=measure, controls=[
        Control("no null token", breaks=worst, asserts=bound,
                construct=lambda p: construct(p, null=-100)),
        Control("three queries of three keys of four", breaks=worst, where=K_keys <= 4, asserts=bound,
                construct=lambda p: Recall(4, 3, 2, 3, first=12, second=32)),
        Control("a fixed base in layer 2", breaks=worst, asserts=bound, construct=lambda p: construct(p, second=2)),
        Control("a fixed base in layer 1", breaks=fetch, asserts=bound, construct=lambda p: construct(p, first=2)),
        Control("one code of the slot", breaks=width,
                asserts=[width.equals(3 * kappa + k + ceiling(log(Y, 2)) + 4)]),
        Control("without the factor e", breaks=bits, asserts=[bits <= N * log(K_keys * Y / N, 2)]),
        Control("pairs in order", breaks=bits, asserts=linear(K_keys * Y)[:1]),
    ],
)
every = Claim(
    "Associative recall, several queries, each input run",
    role="variant", source="derived here: associative recall, separate tokens",
    scope={"every K_keys, asked": "points", "every K, N and Y": "points", "some network": "exhibited",
           "every input": "enumeration"},
    asserts=[executed.equals(rho_ex), executed >= Rational(3, 4), unclear.equals(0)],
    grid=points("K_keys N Y asked", (8, 2, 2, 8), (8, 2, 3, 8), (8, 3, 2, 8), (16, 2, 2, 16)),
    requires=[*large, K_keys <= 16, K_keys**N * Y**N <= 5000, asked >= K_keys],
    derive=lambda net, p: {rho_ex: net.worst()}, derived=[rho_ex], construct=construct, measure=run, controls=[
        Control("no null token", breaks=executed, construct=lambda p: construct(p, null=-100)),
        Control("the key of the next slot", breaks=executed, construct=lambda p: construct(p, shift=1)),
        Control("query tokens show their key", breaks=executed, construct=lambda p: construct(p, silent=False)),
        Control("bases without the logarithm", breaks=[executed, unclear],
                construct=lambda p: construct(p, first=2, second=4)),
    ],
)
