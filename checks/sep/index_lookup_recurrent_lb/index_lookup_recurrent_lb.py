r"""A recurrent model looks up an index no better than Fano's curve allows at the logarithm of the states it visits.

Finding    A recurrent model answers index lookups no better than the bits of its state allow: all of them only with as
           many states as there are strings.
Setting    $h_t=g_t(h_{t-1},s_t)$ with $m$ numbers of $p$ bits, any $g_t$; after $N$ uniform symbols a uniform position
           is asked, and any read-out answers from $h_N$. $|\mathcal H_N|$ states are reached; $|\Sigma|\ge2$.
Statement  The accuracy is at most $\mathrm{acc}(\log_2|\mathcal H_N|/N)$, where
           $\mathrm{acc}(\log_2|\Sigma|-h_2(\varepsilon)-\varepsilon\log_2(|\Sigma|-1))=1-\varepsilon$ on
           $\varepsilon\le1-1/|\Sigma|$; it is 1 only from $|\Sigma|^N$ states on. Equality: one state, and
           $|\Sigma|^N$ states.
Proof      The state $h$ is a function of the word $s$, so $H(s\mid h)\ge N\log_2|\Sigma|-\log_2|\mathcal H_N|$. With
           the error $\varepsilon_p$ at position $p$, Fano's $h_2(\varepsilon_p)+\varepsilon_p\log_2(|\Sigma|-1)\ge
           H(s_p\mid h)$ sums to at least $H(s\mid h)$, and the left side is concave in $\varepsilon_p$: $N$ times its
           value at the mean error is at least that, whatever the update and the read-out. It rises on
           $\varepsilon\le1-1/|\Sigma|$, which the best read-out does not exceed. With fewer states two words share one.
Adversary  Instances: tanh networks with Gaussian weights and rounded states; registers of the last symbols; the (7, 4)
           quantiser; a state of no information; $h\leftarrow|\Sigma|h+s$. The search draws any transition tables.
Measured   States and the accuracy of the best possible read-out over all $|\Sigma|^N$ words; of tanh
           networks, which run in floats, observed.
Control    A register of all symbols; attention whose cache is not counted; the line from guessing to remembering.
Reads      The abstract says linear state; the average-case form is derived here. The code is counted after its last
           step; before it has more states. The weights have a gain of 2, so that states are not only the fixed point.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq, log

from theorytools import Claim, Control, Quantity, observed, points
from theorytools.errors import DomainError
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.recurrent.registers import (
    HammingQuantiser,
    QuantisedTanhRNN,
    SymbolRegister,
    TightEncoder,
)
from theorytools.theory.memory.counting import StateCount, count_states
from theorytools.theory.memory.quantised import InternedRecurrence

from ..notation import N, acc_F, m, p, reached, symbols

states = Quantity("states", r"|\mathcal H_N|", "reached after N symbols", (1, None))
accuracy = Quantity("accuracy", r"\max_f\Pr[f(h_N,p)=s_p]", "of the best possible read-out", (0, 1))


def machine(q):
    return {"tanh": lambda: QuantisedTanhRNN.drawn(q.m, q.p, q.symbols, q.rng("weights"), gain=2),
            "register": lambda: SymbolRegister(q.symbols, q.m), "hamming": HammingQuantiser,
            "nothing": lambda: SymbolRegister(q.symbols, 0), "digits": lambda: TightEncoder(q.symbols)}[q.model]()


def construct(q) -> StateCount:
    if q.model == "digits" and 2 ** (q.m * q.p) < q.symbols**q.N:
        raise DomainError(f"{q.m * q.p} bits", required="2**(m*p) >= symbols**N", why="digits keep every symbol")
    return count_states(machine(q), q.N, q.symbols)


def search(draw, q):  # any transition table, another one for every position
    from hypothesis import assume
    from hypothesis import strategies as st

    assume(q.N * q.symbols <= 60 and q.m * q.p <= 60)
    size, rng = min(2 ** (q.m * q.p), draw(st.integers(1, 40))), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = rng.integers(size, size=(q.N, size, q.symbols)).tolist()
    return count_states(InternedRecurrence(0, lambda h, s, t: table[t][h][s]), q.N, q.symbols)


def told(q, found):
    """A tanh network is what numpy's products and tanh make of its weights: its numbers are observed."""
    return {name: observed(x, "numpy") for name, x in found.items()} if q.model == "tanh" else found


def measure(count, q):
    return told(q, {states: count.S, accuracy: count.accuracy})


def cached(net, q):
    words = net.task.words()
    right = sum(int((net.answers(words, [i] * len(words)) == words[:, i]).sum()) for i in range(q.N))
    return {accuracy: Fraction(right, net.task.inputs)}


claim = Claim(
    "Index lookup, accuracy of a recurrent state",
    role="statement", source="published: any recurrent model needs linear state; prose",
    scope={"every N, symbols, m, p": "proof", "every recurrent model": "proof", "every read-out": "proof",
           "every word": "proof"},
    asserts=accuracy <= acc_F,
    requires=[symbols <= 2**p],
    grid=points("model N symbols m p", ("nothing", 5, 3, 1, 2), ("digits", 6, 2, 1, 6), ("digits", 5, 3, 1, 8),
                ("register", 10, 2, 4, 1), ("register", 10, 2, 6, 1), ("hamming", 7, 2, 4, 1), ("tanh", 10, 2, 2, 3),
                ("tanh", 12, 2, 4, 3), ("tanh", 14, 2, 3, 3), ("tanh", 7, 3, 3, 2), ("tanh", 6, 4, 2, 3)),
    derive=lambda count, q: {reached: count.S, acc_F: count.ceiling}, derived=[reached, acc_F],
    construct=construct, measure=measure, search=search, controls=[
        Control("a register of all symbols", breaks=accuracy, where=(m * p < N) & (reached < symbols**N),
                construct=lambda q: count_states(SymbolRegister(q.symbols, q.N), q.N, q.symbols)),
        Control("the cache not counted", breaks=accuracy, where=(symbols**N < 300) & (reached < symbols**N),
                asserts=[accuracy <= acc_F], measure=cached,
                construct=lambda q: IndexLookup.of("binary", q.N, 6, symbols=q.symbols)),
        Control("the line from guessing to remembering", breaks=accuracy, where=Eq(N, 7) & Eq(symbols, 2),
                asserts=[accuracy <= (1 + log(reached) / log(2) / N) / 2]),
    ],
)
