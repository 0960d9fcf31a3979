r"""Recurrent networks of constant size recognise bounded Dyck languages at every length.

Finding    Recurrent networks of constant size recognise bounded Dyck languages at every length, where one attention
           layer, with exact fixed-point sums and a public last token, needs linear size.
Setting    Words over $n$ kinds of brackets, balanced and of depth at most $k$; $|Q|=\sum_{i\le k}n^i+1$.
Statement  Width $2n|Q|$ suffices with one ReLU layer (state: the last transition of the automaton); width $km+1$ with
           a stack of $k$ slots of $m$ bits and an error bit, $m=n$ or $m=\lceil\log_2(n+1)\rceil$.  Neither depends on
           the length.
Proof      One-hot: the unit of the transition $(q,a)$ is the ReLU of [the last transition led to $q$] + [the symbol is
           $a$] $-1$, so by induction the one unit that is on is the automaton's transition; each of the $2n|Q|$ is
           reached, the start is one. Stack: with $P=1-C$ the flag of an opening symbol, a ReLU of a slot $+P-1$ moves
           it down, $+C-1$ up, so the slots are the stack as long as no error is; an overflow is an opening symbol
           while slot $k$ is not 0, a mismatch a closing one whose codeword is not the top, and the error bit stays.
           With it the slots still are a stack of at most $k$: pairs are those of the $|Q|-1$ stacks, twice.
Witness    DyckRNN, integer weights, states of zeros and ones.
Measured   A search over all reachable pairs (state of the network, state of the minimal automaton).  They are finitely
           many, and the answers agree in each: a proof for all lengths.
Control    Depth $k+1$ for $k$; no overflow; no mismatch; the error bit not read; a dead state that returns; another
           start.
Reads      The paper's claim is known from its abstract; weights and widths are derived here.  The binary slots are an
           addition.
"""

from dataclasses import replace

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.memory.recognised_language import recognition
from theorytools.tasks.automaton import bits_for

from .._dyck import bad, language, network, unread_error
from ..notation import Q_dyck, depth, slot, types

width = Quantity("width", r"\dim h", "units of the state", (1, None))
pairs = Quantity("pairs", r"\#\{(h,q)\}", "reachable pairs, a state of the network and one of the automaton", (1, None))


def construct(p):
    return network(p)


def measure(net, p):
    found = recognition(net, language(p).automaton)
    return {bad: found.disagreements, width: net.width, pairs: found.pairs}


def derive(net, p):
    return {Q_dyck: language(p).states, slot: bits_for(p.types + 1) if p.network == "binary" else p.types}


def returns(p):  # an opening bracket leads from the dead state to the empty stack
    net, dead = network(p), language(p).states - 1
    (W, b), *others = net.layers
    W, size = W.copy(), 2 * p.types
    W[dead * size :, dead * size], W[:size, dead * size] = 0, 1
    W[dead * size :, net.width :] = network(p).layers[0][0][dead * size :, net.width :]  # the input as it was
    return replace(net, layers=((W, b), *others))


def late(p):
    net = network(p)
    return replace(net, start=net.start[::-1].copy())


def unnoticed(p, overflow):  # the error bit does not read the unit of an overflow, or those of a mismatch
    net = network(p)
    first, (W, b), last = net.layers
    W, size, m = W.copy(), net.width - 1, (net.width - 1) // p.depth
    W[-1, 2 * size : 2 * size + 1] *= not overflow
    W[-1, 2 * size + 1 : 2 * size + 1 + 2 * m] *= overflow
    return replace(net, layers=(first, (W, b), last))


def control(name, make, where=types > 0):
    return Control(name, breaks=bad, asserts=[bad.equals(0)], construct=make, where=where)


claim = Claim(
    "Bounded Dyck, one-hot state",
    role="statement", source="published: constant-size recurrent networks recognise bounded Dyck; prose",
    scope={"every language types, depth": "proof", "some network": "exhibited",
           "every word of every length": "automaton"},
    asserts=[bad.equals(0), width.equals(2 * types * Q_dyck), pairs.equals(2 * types * Q_dyck)], derived=[Q_dyck],
    grid=points("network types depth", ("one_hot", 1, 1), ("one_hot", 1, 2), ("one_hot", 2, 1), ("one_hot", 2, 2),
                ("one_hot", 2, 3), ("one_hot", 3, 2)),
    derive=lambda net, p: {Q_dyck: language(p).states}, construct=construct, measure=measure,
    controls=[
        control("depth k + 1", lambda p: network(p, 1), types * depth <= 4),
        control("a dead state that returns", returns),
        control("another start", late),
    ],
)
stack = Claim(
    "Bounded Dyck, stack",
    role="statement", source="published: constant-size recurrent networks recognise bounded Dyck; prose",
    scope={"every language types, depth": "proof", "some network": "exhibited",
           "every word of every length": "automaton"},
    asserts=[bad.equals(0), width.equals(depth * slot + 1), pairs.equals(2 * (Q_dyck - 1))], derived=[Q_dyck, slot],
    grid=points("network types depth", *(("stack", n, k) for n, k in ((1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (1, 12))),
                ("binary", 3, 2), ("binary", 7, 2), ("binary", 4, 3)),
    derive=derive, construct=construct, measure=measure,
    controls=[
        control("depth k + 1", lambda p: network(p, 1)),
        control("no overflow", lambda p: unnoticed(p, overflow=True)),
        control("no mismatch", lambda p: unnoticed(p, overflow=False)),
        control("the error bit not read", lambda p: unread_error(network(p))),
    ],
)
