r"""Two labellings in one state at lengths 20 to 1300: asked for a majority of $k$ labels, the model errs on one.

Setting    As in nn_recurrent_lb_several; the model reads the $N$ labels, the vectors come in a fixed order, then a
           $k$-set; it has a read-out $f(h_N,S)$ of its own.
Statement  If two labellings end in one state and their majorities on $S$ differ, the answers are equal and one is
           wrong; with fewer states than $2^N-2\sum_{i\le h}\binom Ni+2$ there are such labellings and such an $S$.
Proof      Labellings with different rows differ on some $S$; more rows than states put two of them into one state. The
           answer is a function of the state and of $S$: it is one of two different majorities.
Adversary  Instances: rounded tanh networks with Gaussian weights and a Gaussian linear read-out of state and set.
Measured   Two labellings with one state among 256 drawn ones; each run alone; the first of 200 drawn sets on which the
           majorities differ; numbers in which the states differ; wrong answers of the two.
Control    A register of all labels; two labellings in different states; a set on which the majorities agree.
Reads      Derived here. Integers decide whether states are equal; that the products and tanh of numpy lead to them is
           observed. Rows are models for which the search finds two labellings and a set.
"""

import numpy as np
from sympy import Eq, floor

from theorytools import Claim, Control, Quantity, observed, points
from theorytools.papers.sep.recurrent.registers import QuantisedTanhRNN, SymbolRegister
from theorytools.theory.memory.integer_states import run

from ..index_lookup_recurrent_lb.pair import apart, asked
from ..notation import N, colliding, near

wrong = Quantity("wrong majorities", r"\#\{f(h,S)\ne\mathrm{maj}\}", "of the two labellings, executed", (0, 2))


def construct(q, machine=None, same=True):
    """A model, two labellings (equal ones where none share a state), a set, and how many labellings share a state."""
    machine = machine or QuantisedTanhRNN.drawn(q.m, q.p, 2, q.rng("weights"), gain=2)
    words = np.unique(q.rng("labels").integers(0, 2, (256, q.N)), axis=0)
    label = np.unique(run(machine, words, 2), axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(label, kind="stable")
    fits = (label[order][1:] == label[order][:-1]) == same
    at = int(fits.argmax())
    two = words[order[[at, at + 1]]] if fits.any() else words[[0, 0]]
    return machine, two, int((np.bincount(label)[label] > 1).sum())


def majority(two, chosen):
    return 2 * two[:, chosen].sum(axis=1) > len(chosen)


def drawn_set(two, q, differ=True):
    rng = q.rng("sets")
    sets = [rng.choice(q.N, q.near, replace=False) for _ in range(200)]
    return next((s for s in sets if (np.diff(majority(two, s)) != 0)[0] == differ), sets[0])


def measure(made, q, differ=True):
    machine, two, _ = made
    chosen = drawn_set(two, q, differ)
    ends = np.concatenate([run(machine, word[None], 2) for word in two])  # one labelling at a time
    R = q.rng("read-out").standard_normal(ends.shape[1] + q.N)
    said = (2 * ends + 1 - 2**q.p) @ R[: ends.shape[1]] + R[ends.shape[1]:][chosen].sum() > 0
    right = majority(two, chosen)
    return {wrong: observed(int((said != right).sum()) if (two[0] != two[1]).any() else 0, "numpy"),
            apart: observed(int((ends[0] != ends[1]).sum()), "numpy"), asked: int(right[0] != right[1])}


def derive(made, q):  # none where all majorities agree, as where both have too few ones
    _, two, shared = made
    right = majority(two, drawn_set(two, q))
    return {colliding: shared * int(right[0] != right[1])}


claim = Claim(
    "Nearest neighbours, two labellings in one state",
    role="variant", source="derived here: recurrent models of nearest neighbour need linear size",
    scope={"every N, near, m, p": "proof", "every recurrent model": "proof", "every pair in one state": "proof"},
    asserts=[wrong.equals(1), apart.equals(0), asked.equals(1)],
    requires=[near < N, Eq(2 * floor(near / 2), near - 1), colliding >= 2],
    derive=derive, derived=[colliding],
    grid=points("N near m p", (20, 3, 4, 3), (50, 5, 4, 3), (100, 3, 4, 4), (200, 21, 4, 4), (400, 3, 6, 2),
                (400, 101, 6, 3), (1300, 9, 4, 4)),
    construct=construct, measure=measure, controls=[
        Control("a register of all labels", breaks=[wrong, asked], asserts=[wrong.equals(1), asked.equals(1)],
                construct=lambda q: construct(q, SymbolRegister(2, q.N))),
        Control("two labellings in different states of the register", breaks=apart, asserts=[apart.equals(0)],
                construct=lambda q: construct(q, SymbolRegister(2, q.N), same=False)),
        Control("a set on which they agree", breaks=[wrong, asked], asserts=[wrong.equals(1), asked.equals(1)],
                measure=lambda made, q: measure(made, q, differ=False)),
    ],
)
