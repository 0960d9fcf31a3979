r"""How many states a recurrent model of bounded Dyck must have, and how few suffice.

Setting    As in dyck_recurrent: a model is a map of states and symbols to states with an answer for each state.
Statement  At least $|Q|$ states, $\lceil\log_2|Q|\rceil$ bits.  If update and read-out may depend on the position, at
           least $|Q_t|=1+\max_{\text{parity}}\sum n^i$ states at one position, $i\le k$ of one parity.
Witness    The minimal automaton itself attains $|Q|$; DyckRNN has more.
Measured   Different states of the model in the search over reachable pairs; classes of prefixes that no suffix tells
           apart (Myhill and Nerode) by refinement, in all and after one number of symbols.
Control    Depth $k-1$, which has fewer states and errs; all heights at once; no dead state.
Reads      Derived here.
"""

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.memory.recognised_language import TableMachine, recognition

from .._dyck import bad, language, network
from ..notation import Q_dyck, Q_once, depth

states = Quantity("states", r"\#\{h\}", "different states that the model reaches", (1, None))
classes = Quantity("classes", r"\#\{\text{classes}\}", "classes of prefixes told apart by suffixes", (1, None))
at_once = Quantity("classes at once", r"\max_t\#\{\text{classes}\}_t", "those of prefixes of one length", (1, None))


def construct(p):
    return TableMachine(language(p).automaton) if p.network == "table" else network(p)


def measure(model, p):
    found, automaton = recognition(model, language(p).automaton), language(p).automaton
    return {bad: found.disagreements, states: found.states, classes: automaton.needed_states(),
            at_once: automaton.needed_at_once()}


def told(model, p):
    found = measure(model, p)
    return {name: found[name] for name in (bad, states)}


def derive(model, p):
    sizes = [p.types**i for i in range(p.depth + 1)]
    return {Q_dyck: sum(sizes) + 1, Q_once: 1 + max(sum(sizes[::2]), sum(sizes[1::2]))}


def shallower(p):
    return TableMachine(language(p, -1).automaton)


claim = Claim(
    "Bounded Dyck, least number of states",
    role="sharpness", source="derived here: recurrent networks on bounded Dyck",
    scope={"every network": "points", "every language types, depth": "points", "every recurrent model": "automaton"},
    derived=[Q_dyck, Q_once],
    asserts=[bad.equals(0), states >= Q_dyck, classes.equals(Q_dyck), at_once.equals(Q_once)],
    grid=points("network types depth", ("table", 1, 1), ("table", 1, 2), ("table", 2, 2), ("table", 3, 2),
                ("table", 2, 6), ("stack", 2, 1), ("stack", 2, 2), ("binary", 3, 2), ("one_hot", 2, 3)),
    derive=derive, construct=construct, measure=measure,
    controls=[
        Control("depth k - 1", breaks=[bad, states], where=depth >= 2, construct=shallower),
        Control("all heights at once", breaks=at_once, asserts=[at_once.equals(Q_dyck)]),
        Control("no dead state", breaks=[classes, at_once],
                asserts=[classes.equals(Q_dyck - 1), at_once.equals(Q_once - 1)]),
    ],
)
attained = Claim(
    "Bounded Dyck, the minimal automaton",
    role="sharpness", source="derived here: recurrent networks on bounded Dyck",
    scope={"every network": "points", "every language types, depth": "points", "some recurrent model": "exhibited",
           "every word": "automaton"},
    derived=[Q_dyck, Q_once], asserts=[bad.equals(0), states.equals(Q_dyck)],
    grid=points("network types depth", ("table", 1, 1), ("table", 1, 2), ("table", 2, 2), ("table", 3, 2),
                ("table", 2, 6)),
    derive=derive, construct=construct, measure=lambda model, p: told(model, p),
    controls=[
        Control("depth k - 1", breaks=[bad, states], where=depth >= 2, construct=shallower),
        Control("no dead state", breaks=states, asserts=[states.equals(Q_dyck - 1)]),
    ],
)
