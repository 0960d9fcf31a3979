r"""The largest value that a linear functional of one attention layer takes over all prompts of a class, proved.

Fix the query's state.  The states of the other places are free and independent, so for one head and tokens of signs

.. math:: \sup\frac{\sum_jw_jg_j}{\sum_jw_j}\le c\iff\sum_j\max_{\text{states of }j}w_j(g_j-c)\le0:

the maximum splits by key, and the states that attain it are a prompt.  The label of the asked position depends on its
token, which is held, too (:mod:`.queries`).  Scores that are sums over token, place and indices are enumerated by
tables (:mod:`.separated`); where a norm or another function stands before the attention, by states (:mod:`.listed`);
tokens in a box or a ball are bounded (:mod:`.spread`).  Several heads share the query's state and the asked tokens;
what else is largest for each of them is added: a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from theorytools.blocks.network import Attention, Block, Flatten, Map, Network, Recur
from theorytools.errors import DomainError
from theorytools.numbers.boxes import UNIT, Array, Box, exact, times
from theorytools.trained.worst.branching import Problem, Progress, Search, climbed
from theorytools.trained.worst.listed import Listed
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.queries import Queries, rest_of
from theorytools.trained.worst.separated import separated
from theorytools.trained.worst.signs import Signs
from theorytools.trained.worst.spread import Spread, corners, points
from theorytools.trained.worst.witness import Functional, Judge, polished

EXACT = 1e-9  # a bound that a prompt attains up to this part of it is called exact
State = tuple[int, Any, Sequence[int]]


@dataclass(frozen=True, eq=False)
class Supremum:
    """The largest value over all prompts of a class, and a prompt.

    Attributes
    ----------
    upper : no prompt and no query has a larger value: proved, for the real numbers that the weights define.
    exact : whether the prompt attains it up to a part in 10^9.
    X, T : the prompt, tokens ``(N, d)`` and indices ``(N, q)``: it attains ``upper``, or is the worst that was found.
    at : the position of the query.
    value : what the network gives there, in doubles.
    """

    upper: float
    exact: bool
    X: Array
    T: Indices
    at: int
    value: float


def largest_value(
    attention: Attention,
    functional: Functional,
    prompts: Prompts,
    *,
    query: State | None = None,
    at: int | None = None,
    before: Sequence[Block] = (),
    floor: float = -np.inf,
    progress: Progress | None = None,
) -> Supremum:
    """Return the largest value of a functional over all prompts of a class and all queries.

    Parameters
    ----------
    attention, functional : the layer, and what is read of it.
    prompts : the class.
    query : the state of the query, its place, token and indices, where it is held.
    at : the place of the query, where only that is held.
    before : blocks that act on each position by itself and stand before the attention; for signs.
    floor : no bound below this is asked for: ``upper`` is then at least this.
    progress : called with how much is done and how much there is.

    Raises
    ------
    DomainError : maps of other widths or fields than the prompts', a query outside the class, a mask that hides all.
    BudgetError : too many cases.
    """
    return _supremum(attention, functional, prompts, query, at, before, floor, progress, None)


def _supremum(
    attention: Attention, functional: Functional, prompts: Prompts, query: State | None, at: int | None,
    before: Sequence[Block], floor: float, progress: Progress | None, bonus: tuple[int, float] | None,
) -> Supremum:  # fmt: skip
    functional = _complete(attention, functional, prompts)
    queries = _queries(attention, functional, prompts, query, at)
    judge = Judge(attention, functional, prompts, before, bonus)
    problem = _problem(attention, functional, prompts, queries, before, bonus)
    held = query is not None
    if prompts.tokens == "signs":
        search = Search(problem, floor, progress)
        upper = search.run()
        assert search.best is not None
        _, X, T, i = search.best
    else:
        if before:
            raise DomainError(
                f"blocks before the attention and tokens in a {prompts.tokens}", required="signs",
                why="what stands before the attention is evaluated at each state",
            )  # fmt: skip
        wide = _spread(attention, functional, prompts, queries, held, bonus)
        search = Search(wide, floor, progress, climbs=False)
        upper = search.run()
        X, T, i = _near(problem, search.tops)
    value, least = float(judge(X[None], T[None], i)[0]), EXACT * max(abs(upper), problem.grain)
    if upper - value > least:
        X, T = polished(judge, prompts, X, T, i, held)
        value = float(judge(X[None], T[None], i)[0])
    return Supremum(upper, bool(upper - value <= least), X, T, i, value)


def _spread(
    attention: Attention, functional: Functional, prompts: Prompts, queries: Queries, held: bool,
    bonus: tuple[int, float] | None,
) -> Spread:  # fmt: skip
    """The bounds over a box or a ball."""
    listed = corners(prompts)
    split = queries.split if listed else (False,) * prompts.q
    tokens = queries.tokens if listed or held else np.zeros((1, prompts.d))
    wide = replace(queries, tokens=tokens, split=split, tied=held)
    return Spread(wide, attention, functional.heads, functional.own, functional.asked, held, bonus)


def _near(problem: Problem, tops: list[tuple[float, int]]) -> tuple[Array, Indices, int]:
    """The largest prompt of some tokens whose query has a place and indices that bounds are large at."""
    queries, rng = problem.queries, np.random.default_rng(0)
    W, Y, T, places = queries.shape
    found: tuple[float, Array, Indices, int] | None = None
    pairs = {number % (T * places) for _, number in sorted(set(tops), reverse=True)[:6]}
    for number in sorted(pairs):
        answers = np.arange(W * Y) if W * Y <= 48 else rng.choice(W * Y, 48, replace=False)
        numbers = answers * T * places + number
        for one in numbers[queries.valid(queries.cases(numbers))]:
            case = queries.cases(np.array([one]))
            value, X, indices = climbed(problem, case)
            if found is None or value > found[0]:
                found = value, X, indices, int(case.i[0])
    assert found is not None
    return found[1:]


def _problem(
    attention: Attention, functional: Functional, prompts: Prompts, queries: Queries, before: Sequence[Block],
    bonus: tuple[int, float] | None,
) -> Problem:  # fmt: skip
    if before:
        return Listed(queries, attention, functional.heads, functional.own, functional.asked, tuple(before), bonus)
    heads = zip(attention.heads, functional.heads, strict=True)
    tables = tuple(separated(head, value, queries, bonus) for head, value in heads)
    return Signs(queries, tables, rest_of(functional.own, functional.asked, prompts, queries.both))


def _complete(attention: Attention, functional: Functional, prompts: Prompts) -> Functional:
    """The functional with a label for each slot."""
    if len(functional.heads) != len(attention.heads):
        raise DomainError(
            f"{len(functional.heads)} maps of values", required=f"{len(attention.heads)}", why="one for each head",
        )  # fmt: skip
    if len(functional.asked) not in (0, prompts.q):
        raise DomainError(
            f"{len(functional.asked)} labels", required=f"{prompts.q}, or none", why="one for each index slot",
        )  # fmt: skip
    none = Map({}, exact(np.zeros(1)))
    return functional if functional.asked else replace(functional, asked=(none,) * prompts.q)


def _queries(
    attention: Attention, functional: Functional, prompts: Prompts, query: State | None, at: int | None
) -> Queries:
    N = prompts.N
    seen = np.ones((N, N), dtype=bool) if attention.mask is None else np.asarray(attention.mask, dtype=bool)
    if seen.shape != (N, N):
        raise DomainError(f"a mask of shape {seen.shape}", required=f"({N}, {N})", why="queries by keys")
    keys = prompts.vertices if prompts.tokens == "signs" else points(prompts, functional.directions)
    tokens, tuples, places = keys, prompts.tuples, np.arange(N)
    if query is not None:
        i, x, t = query
        tokens, tuples = np.asarray(x, dtype=np.float64).reshape(1, -1), np.asarray(t, dtype=np.int64).reshape(1, -1)
        at = i
        if tokens.shape != (1, prompts.d) or tuples.shape != (1, prompts.q) or not np.isfinite(tokens).all():
            raise DomainError(
                f"a query of {tokens.size} numbers and {tuples.size} indices",
                required=f"{prompts.d} and {prompts.q}", why="the state of one position",
            )  # fmt: skip
        if tuples.size and not 0 <= tuples.min() <= tuples.max() < N:
            raise DomainError(f"indices {tuples[0].tolist()}", required=f"0 to {N - 1}", why="they name positions")
    if at is not None:
        if not 0 <= at < N:
            raise DomainError(f"a query at {at}", required=f"0 to {N - 1}", why="there are so many positions")
        places = np.array([at])
    blind = places[~seen[places].any(axis=1)]
    if len(blind):
        raise DomainError(
            f"a mask that shows position {blind[0]} no key", required="a key for each query", why="its softmax is 0/0",
        )  # fmt: skip
    split = tuple("x" in of.parts and bool(of.parts["x"].size.any()) for of in functional.asked)
    return Queries(prompts, keys, tokens, places, tuples, seen, split)


def leak(
    attention: Attention, head: int, prompts: Prompts, *, slot: int = 1, at: int | None = None,
    before: Sequence[Block] = (), progress: Progress | None = None,
) -> Supremum:  # fmt: skip
    """Return the largest weight that a head gives to other positions than the one asked for.

    Parameters
    ----------
    attention, head : the layer, and which of its heads, from 0.
    prompts : the class.
    slot : the index slot that the head is judged by, from 1.
    at, before, progress : as :func:`largest_value` takes them.

    Raises
    ------
    DomainError, BudgetError : as :func:`largest_value`; and a slot or a head that is not there.
    """
    if not 0 <= head < len(attention.heads) or not 1 <= slot <= prompts.q:
        raise DomainError(
            f"head {head} and slot {slot}", required=f"head 0 to {len(attention.heads) - 1}, slot 1 to {prompts.q}",
            why="the weight of one head outside what one slot asks for",
        )  # fmt: skip
    one = replace(attention, heads=(attention.heads[head],))
    functional = Functional((Map({}, exact(np.ones(1))),), Map({}, exact(np.zeros(1))))
    return _supremum(one, functional, prompts, None, at, before, -np.inf, progress, (slot - 1, -1.0))


def largest_label_error(net: Network, prompts: Prompts, u: Any, *, progress: Progress | None = None) -> Supremum:
    r"""Return the largest error of a network's labels :math:`\langle u,\sum_sx_{t_s}\rangle/\sqrt q`.

    Parameters
    ----------
    net : one attention layer, blocks before it that act on each position by itself, and an output of width 1 that is
        affine in what the heads average and in what stands at the query.
    prompts : the class.
    u : the direction of the labels, shape ``(d,)``.
    progress : as :func:`largest_value` takes it.

    Raises
    ------
    DomainError : another network, or another direction.
    BudgetError : too many cases.
    """
    u = np.asarray(u, dtype=np.float64)
    if u.shape != (prompts.d,) or not np.isfinite(u).all() or prompts.q < 1:
        raise DomainError(
            f"a direction of shape {u.shape} and {prompts.q} indices", required=f"shape ({prompts.d},), q >= 1",
            why="labels are <u, x_t>",
        )  # fmt: skip
    if net.output.width != 1:
        raise DomainError(
            f"an output of width {net.output.width}", required="width 1", why="labels are numbers",
            advice="token_error, for outputs of the width of a token",
        )  # fmt: skip
    before, attention = _one_layer(net)
    label = _scaled(exact(-u.reshape(1, -1)), prompts.q)
    functional = read(net.output, attention, (Map({"x": label}, exact(np.zeros(1))),) * prompts.q)
    return _largest_of_both(attention, functional, prompts, net.at, before, progress)


def largest_token_errors(net: Network, prompts: Prompts, *, progress: Progress | None = None) -> tuple[Supremum, ...]:
    r"""Return the largest error of each entry of a network's tokens :math:`\sum_sx_{t_s}/\sqrt q`.

    Parameters
    ----------
    net : as :func:`largest_label_error` takes it, with an output of the width of a token.
    prompts, progress : as there.

    Raises
    ------
    DomainError : another network.
    BudgetError : too many cases.
    """
    if net.output.width != prompts.d:
        raise DomainError(
            f"an output of width {net.output.width}", required=f"width {prompts.d}", why="the token is returned",
        )  # fmt: skip
    before, attention = _one_layer(net)
    found = []
    for k in range(prompts.d):
        label = _scaled(exact(-np.eye(prompts.d)[[k]]), prompts.q)
        row = Map({name: part[[k]] for name, part in net.output.parts.items()}, net.output.shift[[k]])
        functional = read(row, attention, (Map({"x": label}, exact(np.zeros(1))),) * prompts.q)
        found.append(_largest_of_both(attention, functional, prompts, net.at, before, progress))
    return tuple(found)


def read(output: Map, attention: Attention, asked: tuple[Map, ...]) -> Functional:
    """Return an output of width 1, affine in what the heads average and in the query's fields, as a functional."""
    heads, start = [], 0
    weights = output.parts.get(attention.out)
    for head in attention.heads:
        m = head.value.width
        if weights is None:
            heads.append(Map({}, exact(np.zeros(1))))
            continue
        row = weights[:, start : start + m]
        parts = {name: times(row, part) for name, part in head.value.parts.items()}
        heads.append(Map(parts, times(row, head.value.shift.reshape(m, 1)).reshape(-1)))
        start += m
    own = Map({name: part for name, part in output.parts.items() if name != attention.out}, output.shift)
    return Functional(tuple(heads), own, asked)


def negated(functional: Functional) -> Functional:
    """Return the functional with the other sign."""

    def minus(of: Map) -> Map:
        return Map({name: -part for name, part in of.parts.items()}, -of.shift)

    return Functional(tuple(map(minus, functional.heads)), minus(functional.own), tuple(map(minus, functional.asked)))


def _largest_of_both(
    attention: Attention, functional: Functional, prompts: Prompts, at: int | None, before: Sequence[Block],
    progress: Progress | None,
) -> Supremum:  # fmt: skip
    first = largest_value(attention, functional, prompts, at=at, before=before, progress=progress)
    other = largest_value(
        attention, negated(functional), prompts, at=at, before=before, floor=first.upper, progress=progress
    )
    worst = first if first.value >= other.value else other
    upper = max(first.upper, other.upper)
    return replace(worst, upper=upper, exact=bool(upper - worst.value <= EXACT * abs(upper)))


def _scaled(rows: Box, q: int) -> Box:
    r"""Rows over :math:`\sqrt q`; a root and a quotient are each off by at most ``u`` of their value."""
    found = rows.mid / np.sqrt(float(q))
    return Box(found, np.zeros_like(found) if q == 1 else 3 * UNIT * np.abs(found))


def _one_layer(net: Network) -> tuple[tuple[Block, ...], Attention]:
    """The blocks before the one attention, and that; anything else is refused."""
    kinds = [type(block).__name__ for block in net.blocks]
    if kinds.count("Attention") != 1 or kinds[-1] != "Attention" or not net.each:
        raise DomainError(
            f"blocks {', '.join(kinds) or 'none'}" + ("" if net.each else ", one output for the prompt"),
            required="one Attention, last, and an output at every position",
            why="the supremum is that of what is affine in one layer's averages",
        )
    last = net.blocks[-1]
    assert isinstance(last, Attention)
    if any(isinstance(block, Flatten | Recur) for block in net.blocks):
        raise DomainError("a Flatten or a Recur before the attention", required="blocks that act on each position")
    return net.blocks[:-1], last
