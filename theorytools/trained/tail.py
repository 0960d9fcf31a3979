r"""The largest label error over all prompts of one attention layer with position-wise blocks around it.

.. math:: \sup_{X,T,i}\Bigl|f_i(X,T)-\frac1{\sqrt q}\sum_{s=1}^q\langle u,x_{t_{is}}\rangle\Bigr|,

tokens signs :math:`\pm r`, indices any, for a network of blocks before one attention, the attention, and behind it
activations (ReLU, GELU, …), norms and residual connexions, read by a linear map: transformer encoder layers, post-norm
and pre-norm, and attention with a hidden layer.

Every query's state (position, token, indices) is held, with it the tokens at the positions that it asks for; the label
is then a number.  The output is bounded by functionals that are carried backward to the attention
(:mod:`.carried`), whose suprema over the states of all other positions are exact (:mod:`.held`).  Where the bound is
above the largest error found, cases are cut: by the indices of the asked positions, then by the states of the keys
with the largest weight; the bound of a case is the largest of its parts.

Vertices do not decide a box behind a function that bends, so tokens in boxes are refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorytools.blocks.network import ONE, PLACE, Activation, Attention, Block, Map, Network, Norm
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.boxes import Array, Box, exact, times
from theorytools.trained.carried import FINE, Affine, Behind, Bend, Form, Normed, up
from theorytools.trained.curves import SMOOTH, bent
from theorytools.trained.held import Cases, Indices, Keys
from theorytools.trained.prompts import Prompts
from theorytools.trained.worst_prompt import Errors, Worst

BATCH = 96  # cases that are bounded together
WORK, CUTS = 2**41, 2**28  # numbers that all cases may take, and that cutting may take beyond the first round
PROMPTS, AT_ONCE = 512, 24  # prompts that a search begins with; cases that are cut together
CLOSE = 1.01  # cases are cut until the bound is this near to the error of a prompt


@dataclass(frozen=True, eq=False)
class TailBound:
    """A proved bound of the label error over all prompts, and a prompt.

    Attributes
    ----------
    upper : the bound.
    X, T, at, value : the worst prompt found, tokens ``(N, d)`` and indices ``(N, q)``, the position that is asked, and
        the label error there in doubles.
    exact : whether the bound is attained up to rounding: behind functions that bend it is not claimed.
    """

    upper: float
    X: Array
    T: Indices
    at: int
    value: float
    exact: bool = False


def tail_error(
    network: Network, prompts: Prompts, u: Any, *, progress: Callable[[int, int], None] | None = None
) -> TailBound:
    r"""Return a proved bound of the label error over all prompts, and the worst prompt found.

    Parameters
    ----------
    network : with fields among ``x``, ``slot1`` … ``slotq`` (and the place), one attention, and an output of width 1.
    prompts : tokens of signs, any indices.
    u : the direction of the labels, ``(d,)``.
    progress : called with what is done and the total, in cases.

    Raises
    ------
    DomainError : a network, a class of prompts or a direction of another form; the block is named.
    BudgetError : queries that are too many to be held one by one.
    """
    tail = Tail.of(network, prompts, u)
    rounds = _Rounds(tail, progress)
    rounds.first()
    rounds.cut()
    worst = rounds.worst
    return TailBound(rounds.upper, worst.X, worst.T, worst.at, worst.value)


@dataclass(frozen=True, eq=False)
class Tail:
    """A network as the states of its prompts, one attention and what is behind it.

    Attributes
    ----------
    prompts, errors : the class, and the label error in doubles.
    tokens, tuples : the states of a position, ``(S, d)`` and ``(S, q)``.
    keys, averages, steps, output : the attention, the field that it writes, the blocks behind it, the read-out.
    label : the share of the label of a token of each number.
    """

    prompts: Prompts
    errors: Errors
    tokens: Array
    tuples: Indices
    keys: Keys
    averages: str
    steps: tuple[Bend | Normed, ...]
    output: Affine
    label: Box

    @classmethod
    def of(cls, network: Network, prompts: Prompts, u: Any) -> Tail:
        """Return a network in this form, or say which block is in the way."""
        place = _attention(network)
        u = _direction(u, prompts)
        _expected(network, prompts)
        tokens, tuples = prompts.states()
        fields = _fields(prompts, tokens, tuples)
        for block in network.blocks[:place]:
            fields[block.out] = _known(block, fields)
        attention = network.blocks[place]
        assert isinstance(attention, Attention)
        keys = Keys(
            prompts.N, len(tokens), fields, tuple(dict(head.scores) for head in attention.heads),
            tuple(_valued(head.value, fields) for head in attention.heads), attention.mask,
        )  # fmt: skip
        steps = tuple(_step(block, fields) for block in network.blocks[place + 1 :])
        root = float(np.sqrt(prompts.q))
        share = Box(np.array([[1 / root]]), np.array([[4 * 2.0**-53 / root]]))
        label = times(exact(prompts.vertices), exact(u[:, None])) * share
        return cls(
            prompts, Errors(network, prompts, u), tokens, tuples, keys, attention.out, steps,
            _affine(network.output, fields), label[:, 0],
        )  # fmt: skip

    @property
    def queries(self) -> Indices:
        """The numbers of the queries' states."""
        S, at = len(self.tokens), self.errors.network.at
        return np.arange(self.prompts.N * S) if at is None else at * S + np.arange(S)

    @property
    def token(self) -> Indices:
        """The number of each state's token."""
        return np.arange(len(self.tokens)) // (len(self.tokens) // len(self.prompts.vertices))

    def cases(self, queries: Indices) -> Cases:
        """Return the cases of the first round: the tokens at the indexed positions are held too."""
        S, V, token = len(self.tokens), len(self.prompts.vertices), self.token
        query, at, allowed, label = [], [], [], []
        for number in queries:
            i, state = divmod(int(number), S)
            asked = [int(t) for t in self.tuples[state]]
            others = sorted({t for t in asked if t != i})
            own = np.arange(S) == state
            for values in itertools.product(range(V), repeat=len(others)):
                given = dict(zip(others, values, strict=True))
                query.append(number)
                at.append([i, *asked])
                allowed.append([own, *(own if t == i else token == given[t] for t in asked)])
                label.append([int(token[state]) if t == i else given[t] for t in asked])
        return Cases(np.array(query), np.array(at), np.array(allowed), np.array(label))

    def bounded(self, cases: Cases) -> tuple[Array, Array, Indices]:
        """Return upper bounds of the error ``(B,)``, and a prompt of each case."""
        behind = Behind(self.keys, cases, self.averages, self.steps)
        form = behind.written(self.output).both()
        label = self.label[cases.label]
        low, high = (_summed(x, sign) for x, sign in ((label.low, -1), (label.high, 1)))
        form = Form(form.parts, up(form.above + np.stack([-low, high], 1)), form.below)
        found, states = behind.above(form, len(self.steps), FINE, mirrored=True)
        if any(isinstance(step, Normed) for step in self.steps):
            other, _ = behind.above(form, len(self.steps), FINE, mirrored=True, flat=True)
            found = np.minimum(found, other)
        side = found.argmax(1)
        B = np.arange(len(cases))
        chosen = np.zeros((len(cases), self.prompts.N), dtype=np.int64) if states is None else states[0, B, side]
        return found[B, side], self.tokens[chosen], self.tuples[chosen]


def _summed(ends: Array, sign: int) -> Array:
    """Sums along the last axis, rounded down or up."""
    n = ends.shape[-1]
    off = n * 2.0**-52 * np.abs(ends).sum(-1)
    return np.asarray(np.nextafter(ends.sum(-1) + sign * off, sign * np.inf))


@dataclass(frozen=True, eq=False)
class Leaf:
    """One case, as it is kept to be cut: the fields of :class:`~.held.Cases` of one row, and its bound."""

    bound: float
    query: int
    at: Indices
    allowed: NDArray[np.bool_]
    label: Indices

    def halves(self, r: int, groups: Indices) -> list[tuple[Indices, NDArray[np.bool_]]]:
        """Return what is restricted in its parts: those states of place ``r`` that are in each group."""
        found = []
        for group in np.unique(groups[self.allowed[r]]):
            allowed = self.allowed.copy()
            # a position may be named twice, by two indices
            allowed[self.at == self.at[r]] &= groups == group
            found.append((self.at, allowed))
        return found

    def freed(self, j: int) -> Leaf:
        """Return the same case with a position named that was not."""
        allowed = np.concatenate([self.allowed, np.ones_like(self.allowed[:1])])
        return Leaf(self.bound, self.query, np.append(self.at, j), allowed, self.label)


def packed(leaves: Sequence[Leaf]) -> Cases:
    """Return cases of one shape: the query's own position is named again where fewer are restricted."""
    R = max(len(leaf.at) for leaf in leaves)
    at = [np.append(leaf.at, np.repeat(leaf.at[:1], R - len(leaf.at))) for leaf in leaves]
    allowed = [np.concatenate([leaf.allowed, *[leaf.allowed[:1]] * (R - len(leaf.at))]) for leaf in leaves]
    return Cases(
        np.array([leaf.query for leaf in leaves]), np.array(at), np.array(allowed),
        np.array([leaf.label for leaf in leaves]),
    )  # fmt: skip


class _Rounds:
    """Cases and their bounds: a first round of all queries, and rounds that cut the largest."""

    def __init__(self, tail: Tail, progress: Callable[[int, int], None] | None) -> None:
        self.tail, self.progress = tail, progress
        self.upper = 0.0  # of all cases that are not kept
        self.leaves: list[Leaf] = []
        steps = sum(2 * step.of.known.shape[1] for step in tail.steps) + 2
        self.price = 4 * steps * tail.keys.N * tail.keys.S  # numbers that one case takes

    def first(self) -> None:
        """Bound all queries, and look for a prompt from the worst of them.

        Raises
        ------
        BudgetError : too many queries.
        """
        tail, queries = self.tail, self.tail.queries
        count = len(queries) * len(tail.prompts.vertices) ** min(tail.prompts.q, tail.prompts.N - 1)
        if count * self.price > WORK:
            raise BudgetError(
                f"{count:.1e} queries for N = {tail.prompts.N}, q = {tail.prompts.q}, d = {tail.prompts.d}",
                required=f"at most {WORK / self.price:.1e}", why="each is held with its token and its indices",
                advice="fewer positions, or a module that is asked at one position",
            )  # fmt: skip
        found = []
        for k in range(0, len(queries), BATCH):
            cases = tail.cases(queries[k : k + BATCH])
            bounds, X, T = self._judged(cases)
            kept = np.argsort(-bounds, kind="stable")[:PROMPTS]
            found.append((bounds[kept], X[kept], T[kept]))
            self.leaves += [
                Leaf(float(bounds[n]), int(cases.query[n]), cases.at[n], cases.allowed[n], cases.label[n])
                for n in range(len(cases))
            ]
            if self.progress:
                self.progress(min(k + BATCH, len(queries)), len(queries))
        bounds, X, T = (np.concatenate(part) for part in zip(*found, strict=True))
        order = np.argsort(-bounds, kind="stable")[:PROMPTS]
        self.worst = tail.errors.searched(X[order], T[order])

    def _judged(self, cases: Cases) -> tuple[Array, Array, Indices]:
        found = [self.tail.bounded(cases[k : k + BATCH]) for k in range(0, len(cases), BATCH)]
        bounds, X, T = (np.concatenate(part) for part in zip(*found, strict=True))
        return bounds, X, T

    def cut(self) -> None:
        """Cut the cases with the largest bounds, as long as some lie well above the error of a prompt."""
        left = CUTS // self.price
        while left > 0:
            self._shed()
            if not self.leaves:
                break
            self.leaves.sort(key=lambda leaf: -leaf.bound)
            parts = [(leaf, part) for leaf in self.leaves[:AT_ONCE] for part in self._parts(leaf)]
            if not parts:
                break
            new = [Leaf(leaf.bound, leaf.query, at, allowed, leaf.label) for leaf, (at, allowed) in parts]
            bounds, X, T = self._judged(packed(new))
            self.leaves = self.leaves[AT_ONCE:] + [
                # a part is bounded by what bounds the whole
                Leaf(min(leaf.bound, float(bound)), leaf.query, leaf.at, leaf.allowed, leaf.label)
                for leaf, bound in zip(new, bounds, strict=True)
            ]
            best = self.tail.errors.best(X, T)
            if best.value > self.worst.value:
                self.worst = self.tail.errors.improved(best)
            left -= len(new)
        self.upper = max([self.upper, *(leaf.bound for leaf in self.leaves)])

    def _shed(self) -> None:
        """Keep the bound alone of cases that need not be cut."""
        enough = CLOSE * self.worst.value
        self.upper = max([self.upper, *(leaf.bound for leaf in self.leaves if leaf.bound <= enough)])
        self.leaves = [leaf for leaf in self.leaves if leaf.bound > enough]

    def _parts(self, leaf: Leaf) -> list[tuple[Indices, NDArray[np.bool_]]]:
        """Cut a case: by the indices of an asked position, else by the states of the key with the largest weight."""
        for r in range(1, len(leaf.at)):
            groups = self._groups(leaf.allowed[r])
            if groups is not None:
                return leaf.halves(r, groups)
        free = [j for j in range(self.tail.prompts.N) if j not in leaf.at]
        if not free:
            return []
        weights = self.tail.keys.weights(np.array([leaf.query]))
        largest = sum(one.w[0].max(-1) for one in weights)
        j = max(free, key=lambda j: float(largest[j]))
        named = leaf.freed(j)
        groups = self._groups(named.allowed[-1])
        return [] if groups is None else named.halves(len(named.at) - 1, groups)

    def _groups(self, allowed: NDArray[np.bool_]) -> Indices | None:
        """The tokens of all states, or their indices of one slot, whichever first differ among those allowed."""
        for groups in (self.tail.token, *self.tail.tuples.T):
            if len(np.unique(groups[allowed])) > 1:
                return groups
        return None


def _attention(network: Network) -> int:
    found = [k for k, block in enumerate(network.blocks) if isinstance(block, Attention)]
    if len(found) != 1:
        raise DomainError(
            f"{len(found)} attentions" + (f" ({', '.join(network.blocks[k].out for k in found)})" if found else ""),
            required="one", why="behind a first one a position's state is no longer one of a finite list",
            advice="a network of one layer",
        )  # fmt: skip
    for k, block in enumerate(network.blocks):
        if isinstance(block, Norm | Attention) or (isinstance(block, Activation) and block.kind in (*SMOOTH, "relu")):
            continue
        kind = f"{type(block).__name__} {block.kind}" if isinstance(block, Activation) else type(block).__name__
        raise DomainError(
            f"the block {kind} that writes {block.out}", required="activations (relu, gelu, …), norms, and maps",
            why="no lines above and below it are proved" + (" behind the attention" if k > found[0] else ""),
        )  # fmt: skip
    return found[0]


def _direction(u: Any, prompts: Prompts) -> Array:
    given = np.asarray(u, dtype=np.float64)
    if given.shape != (prompts.d,) or not np.isfinite(given).all():
        raise DomainError(f"u of shape {given.shape}", required=f"{prompts.d} finite numbers", why="labels are <u, x>")
    return given


def _expected(network: Network, prompts: Prompts) -> None:
    if network.output.width != 1 or not network.each:
        raise DomainError(
            f"an output of width {network.output.width}" + ("" if network.each else " for the whole prompt"),
            required="width 1 at each position, or at one", why="a label is one number",
            advice="the coordinate of the output that is meant",
        )  # fmt: skip
    wanted = {field.name: (field.width, field.word) for field in prompts.fields}
    for field in network.fields:
        if wanted.get(field.name) != (field.width, field.word):
            raise DomainError(
                f"the field {field.name!r} of width {field.width}",
                required=", ".join(f"{name} of width {width}" for name, (width, _) in wanted.items()),
                why="a prompt of this class holds these", advice="theorytools.blocks.substitute.substituted",
            )  # fmt: skip
    if network.N != prompts.N or prompts.q < 1:
        raise DomainError(
            f"N = {network.N} for prompts of N = {prompts.N}, q = {prompts.q}", required="the same N, and q >= 1",
            why="labels are tokens at indexed positions",
        )  # fmt: skip
    if prompts.tokens != "signs":
        bends = next((b for b in network.blocks if not isinstance(b, Attention)), None)
        raise DomainError(
            f"tokens in a {prompts.tokens}" + (f" before {type(bends).__name__} {bends.out}" if bends else ""),
            required="signs", why="vertices do not decide a box behind a function that bends",
            advice="theorytools.trained.supremum.supremum, for a linear read-out" if not bends else 'tokens="signs"',
        )  # fmt: skip


def _fields(prompts: Prompts, tokens: Array, tuples: Indices) -> dict[str, Box]:
    N, S = prompts.N, len(tokens)
    fields = {"x": exact(np.tile(tokens, (N, 1))), PLACE: exact(np.repeat(np.eye(N), S, axis=0))}
    for s in range(prompts.q):
        fields[f"slot{s + 1}"] = exact(np.tile(np.eye(N)[tuples[:, s]], (N, 1)))
    return fields | {ONE: exact(np.ones((N * S, 1)))}


def _valued(of: Map, fields: dict[str, Box]) -> Box:
    """Return what a map returns of all states, ``(N S, m)``; fields that are not known of a state are left out."""
    n = len(fields[ONE].mid)
    total = Box(np.tile(of.shift.mid, (n, 1)), np.tile(of.shift.rad, (n, 1)))
    for name, part in of.parts.items():
        if name in fields:
            total = total + times(fields[name], part.T)
    return total


def _known(block: Block, fields: dict[str, Box]) -> Box:
    """Return enclosures of what a block before the attention writes at all states."""
    assert isinstance(block, Activation | Norm)
    v = _valued(block.of, fields)
    if isinstance(block, Activation):
        return bent(block.kind, v)
    k = v.shape[1]
    if block.centred:
        v = times(v, _centring(k))
    square = times(v * v, exact(np.ones((k, 1))))
    eps = _eps(block)
    low, high = np.maximum(square.low, 0.0) / k * (1 - 2.0**-51) + eps, square.high / k * (1 + 2.0**-51) + eps
    ends = 1 / np.sqrt(high) * (1 - 2.0**-49), 1 / np.sqrt(low) * (1 + 2.0**-49)
    middle = (ends[0] + ends[1]) / 2
    return v * Box(middle, np.maximum(up(ends[1] - middle), up(middle - ends[0])))


def _eps(block: Norm) -> float:
    if not (np.isfinite(block.eps) and block.eps > 0):
        raise DomainError(
            f"the norm {block.out} with eps = {block.eps}", required="eps > 0",
            why="at a constant vector its scale is unbounded",
        )  # fmt: skip
    return block.eps


def _centring(k: int) -> Box:
    r"""The matrix :math:`I-\frac1k11^\top`."""
    return Box(np.eye(k) - 1 / k, np.full((k, k), 4 * 2.0**-53))


def _affine(of: Map, fields: dict[str, Box], centre: Box | None = None) -> Affine:
    parts, known = {name: part for name, part in of.parts.items() if name not in fields}, _valued(of, fields)
    if centre is not None:
        parts, known = {name: times(centre, part) for name, part in parts.items()}, times(known, centre)
    return Affine(parts, known)


def _step(block: Block, fields: dict[str, Box]) -> Bend | Normed:
    assert isinstance(block, Activation | Norm)
    if isinstance(block, Activation):
        return Bend(block.out, block.kind, _affine(block.of, fields))
    return Normed(
        block.out, _affine(block.of, fields, _centring(block.of.width) if block.centred else None), _eps(block)
    )
