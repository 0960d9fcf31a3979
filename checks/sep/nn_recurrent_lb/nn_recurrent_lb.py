r"""A recurrent model of nearest-neighbour queries needs $|Y|^N$ states; with fewer it errs, by Fano's curve.

Setting    $N\ge2$ sign vectors over $\sqrt d$ in a fixed order with labels $y_j\in Y$, then a query equal to one of
           them: binary codes with $d=\lceil\log_2N\rceil$, $\gamma=2/d$, or random ones with $d=\lceil16\ln N\rceil$
           and $\gamma\ge\frac12$. A state of $m$ numbers of $p$ bits.
Statement  The rows of answers of the $|Y|^N$ labellings are all different, so an exact model has $|Y|^N$ states; one
           with $|\mathcal H_N|$ states is at most $\mathrm{acc}(\frac1N\log_2|\mathcal H_N|)$ accurate (Fano), and with
           fewer than $|Y|^N$ two labellings in one state show it wrong.
Proof      The nearest of the vectors to the $j$-th is itself, so the answer to that query is $y_j$: the row of a
           labelling is the labelling, and the task is index lookup with labels for symbols. Fano's curve and the pair
           in one state are those of index_lookup_recurrent_lb and index_lookup_recurrent_lb_pair. Different binary
           codes of length $d$ have a product of at most $d-2$; random ones are drawn until $\gamma\ge\frac12$.
Adversary  Instances: rounded tanh networks that read vector and label, Gaussian weights; a register of the last labels.
Measured   The gap of similarities in integers; rows of the matrix of nearest labels; states and best accuracy over all
           labellings; the wrong answers of a pair, executed; of tanh networks observed.
Control    A codeword twice; a register of all labels.
Reads      Constants and the average-case form are derived here. A random code is drawn again until $\gamma\ge\frac12$.
"""

import numpy as np
from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.recurrent.registers import QuantisedTanhRNN, SymbolRegister
from theorytools.theory.communication.matrix import CommunicationMatrix, all_strings
from theorytools.theory.memory.counting import count_states

from .._pairs import PairReader, codewords, gap, nearest
from ..index_lookup_recurrent_lb.index_lookup_recurrent_lb import accuracy, states, told
from ..index_lookup_recurrent_lb.pair import wrong
from ..notation import N, Y, acc_F, d_gamma, m, p, reached

rows = Quantity("rows", r"\#\text{rows}", "different rows of nearest labels, over all labellings", (1, None))
margin = Quantity("margin", r"d-\max_{i\ne j}\langle t_i,t_j\rangle", "gap of similarities, times d", (None, None))


def construct(q, kept=None):
    codes = codewords(q)
    if kept or q.model == "register":
        return codes, count_states(SymbolRegister(q.Y, kept or q.m), q.N, q.Y)
    net = QuantisedTanhRNN.drawn(q.m, q.p, q.Y, q.rng("weights"), gain=2)
    reader = PairReader(net, q.rng("vectors").standard_normal((q.m, q.d_x)) / np.sqrt(q.d_x), codes)
    return codes, count_states(reader, q.N, q.Y)


def measure(made, q, codes=None):
    codes, count = made[0] if codes is None else codes, made[1]
    M = CommunicationMatrix.of(lambda x, y: nearest(codes, x, y), all_strings(q.N, q.Y), np.arange(q.N)[:, None])
    pair = count.wrong_pair()
    return {margin: gap(codes), rows: M.distinct_rows,
            **told(q, {states: count.S, accuracy: count.accuracy, wrong: pair.wrong if pair else 0})}


def twice(made, q):
    return measure(made, q, made[0][[0, *range(q.N - 1)]])


claim = Claim(
    "Nearest neighbour, recurrent models",
    role="statement", source="published: recurrent models of nearest neighbour need linear size; prose",
    scope={"every code, N, Y, d_x, d_gamma, m, p": "proof", "every recurrent model": "proof",
           "every read-out": "proof", "every labelling": "proof"},
    asserts=[margin >= d_gamma, rows.equals(Y**N), accuracy <= acc_F, wrong >= 1],
    requires=[reached < Y**N, 2**p >= Y], derived=[reached, acc_F],
    derive=lambda made, q: {reached: made[1].S, acc_F: made[1].ceiling},
    grid=points("code model N Y d_x d_gamma m p", ("binary", "tanh", 8, 2, 3, 2, 2, 2),
                ("binary", "register", 8, 2, 3, 2, 5, 1), ("random", "tanh", 6, 3, 29, "29/2", 3, 2),
                ("random", "tanh", 10, 2, 37, "37/2", 3, 3)),
    construct=construct, measure=measure, controls=[
        Control("a codeword twice", breaks=[margin, rows], measure=twice,
                asserts=[margin >= d_gamma, rows.equals(Y**N)]),
        Control("a register of all labels", breaks=[accuracy, wrong], where=m * p < N * log(Y) / log(2),
                construct=lambda q: construct(q, kept=q.N)),
    ],
)
