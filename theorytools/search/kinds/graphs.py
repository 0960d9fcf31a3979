"""Graphs without loops and multiple edges, on the vertices 0, …, n - 1."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from theorytools.errors import DomainError
from theorytools.search.kinds.entries import fits, once, read_list, whole

Edge = tuple[int, int]
_CLASSES = 5  # up to so many vertices every graph is listed, one of each isomorphism class: 34 of five


@dataclass(frozen=True)
class Graph:
    """A graph on the vertices 0, …, n - 1.

    Parameters
    ----------
    vertices : how many there are.
    edges : any list or set of pairs of distinct vertices; kept with the smaller one first, in order, each once.

    Raises
    ------
    DomainError : an edge that is no pair of distinct vertices.

    Examples
    --------
    >>> path = Graph(3, [(1, 0), (1, 2)])
    >>> path.edges, path.degrees, path.neighbours(1), path.connected, path.adjacency
    (((0, 1), (1, 2)), (1, 2, 1), (0, 2), True, ((0, 1, 0), (1, 0, 1), (0, 1, 0)))
    """

    vertices: int
    edges: tuple[Edge, ...] = ()

    def __post_init__(self) -> None:
        if not whole(self.vertices) or self.vertices < 0:
            raise DomainError(f"a graph of {self.vertices!r} vertices", required="a number of vertices, 0 or more")
        given: list[Any] = [tuple(edge) for edge in self.edges]
        for edge in given:
            if len(edge) != 2 or edge[0] == edge[1] or not all(whole(v) and 0 <= v < self.vertices for v in edge):
                raise DomainError(
                    f"the edge {edge} of a graph with {self.vertices} vertices",
                    required=f"two distinct vertices among 0, …, {self.vertices - 1}", why="loops are no edges here",
                )  # fmt: skip
        object.__setattr__(self, "edges", tuple(sorted({(min(edge), max(edge)) for edge in given})))

    @cached_property
    def around(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of each vertex, in order."""
        found: list[list[int]] = [[] for _ in range(self.vertices)]
        for u, v in self.edges:
            found[u].append(v)
            found[v].append(u)
        return tuple(tuple(sorted(each)) for each in found)

    @cached_property
    def adjacency(self) -> tuple[tuple[int, ...], ...]:
        """The n x n matrix of zeros and ones."""
        near = [set(each) for each in self.around]
        return tuple(tuple(int(v in near[u]) for v in range(self.vertices)) for u in range(self.vertices))

    @property
    def degrees(self) -> tuple[int, ...]:
        """The number of neighbours of each vertex."""
        return tuple(map(len, self.around))

    @cached_property
    def components(self) -> tuple[tuple[int, ...], ...]:
        """The vertices of each connected component, in order."""
        left, found = set(range(self.vertices)), []
        while left:
            reached, edge = set[int](), [min(left)]
            while edge:
                v = edge.pop()
                if v not in reached:
                    reached.add(v)
                    edge.extend(self.around[v])
            left -= reached
            found.append(tuple(sorted(reached)))
        return tuple(found)

    @property
    def connected(self) -> bool:
        """Whether there is exactly one component."""
        return len(self.components) == 1

    def degree(self, v: int) -> int:
        """Return the number of neighbours of a vertex."""
        return len(self.around[v])

    def neighbours(self, v: int) -> tuple[int, ...]:
        """Return the neighbours of a vertex, in order."""
        return self.around[v]

    def complement(self) -> Graph:
        """Return the graph of the pairs that are no edges."""
        return Graph(self.vertices, tuple(set(_pairs(range(self.vertices))) - set(self.edges)))


@dataclass(frozen=True)
class Graphs:
    """The graphs on n vertices, as :class:`Graph`.

    Examples
    --------
    >>> from itertools import islice
    >>> kind = Graphs()
    >>> [len(graph.edges) for graph in islice(kind.first(4), 4)]  # path, cycle, star, complete
    [3, 4, 3, 6]
    >>> kind.pack(Graph(3, [(0, 1)])), kind.unpack({"vertices": 2, "edges": []})
    ({'vertices': 3, 'edges': [[0, 1]]}, Graph(vertices=2, edges=()))
    """

    name = "graph"

    def first(self, n: int) -> Iterator[Graph]:
        """Yield the structured graphs, then, to five vertices, one of each isomorphism class that is left."""
        if fits(n, "a graph") > _CLASSES:
            yield from once(structured(n))
            return
        seen, class_of = set[int](), _classes(n)
        places = {pair: k for k, pair in enumerate(_pairs(range(n)))}
        rest = (_graph(n, _edges(places, mask)) for mask in sorted(set(class_of), key=lambda m: (m.bit_count(), m)))
        for graph in itertools.chain(structured(n), rest):
            mask = class_of[sum(1 << places[edge] for edge in graph.edges)]
            if mask not in seen:
                seen.add(mask)
                yield graph

    def draw(self, rng: random.Random, n: int) -> Graph:
        """Return a graph of independent edges, a tree with some more, one of parts, of graphs joined, or a regular one.

        A graph of parts that are joined to all of one another is what refutes most inequalities between invariants.
        """
        style, pairs = rng.randrange(10), _pairs(range(fits(n, "a graph")))
        if style == 0:
            label = list(range(n))
            rng.shuffle(label)
            known = list(itertools.islice(structured(n), 40))
            return self.near(rng, _graph(n, [(label[u], label[v]) for u, v in rng.choice(known).edges]))
        if style == 1:
            tree = [(rng.randrange(v), v) for v in range(1, n)]
            return _graph(n, tree + [pair for pair in pairs if rng.randrange(n) == 0] * rng.randrange(2))
        if style in (6, 7):
            return _blocks(rng, n)
        if style == 8:
            return _composed(rng, n)
        if style == 9:
            return _regular(rng, n)
        parts = [rng.randrange(2 + rng.randrange(n)) for _ in range(n)]
        if style == 2:
            return _graph(n, [(u, v) for u, v in pairs if parts[u] == parts[v]])
        if style == 3:
            return _graph(n, [(u, v) for u, v in pairs if (parts[u] - parts[v]) % 2])
        share = rng.choice((1, 2, 4, 6, 7))
        return _graph(n, [pair for pair in pairs if rng.randrange(8) < share])

    def near(self, rng: random.Random, x: Graph) -> Graph:
        """Return the graph with one edge more, less, or elsewhere; with ends of two edges exchanged, degrees kept;
        with a vertex made the twin of another; with the edges between two sets of twins, or within one, turned over.
        """
        pairs, edges = _pairs(range(x.vertices)), set(x.edges)
        if not pairs:
            return x
        move = rng.randrange(6)
        if move == 0:
            gone = rng.randrange(x.vertices)
            return _twin(induced(x, [v for v in range(x.vertices) if v != gone]), rng)
        if move == 1:
            one, other = (_twins(x, rng.randrange(x.vertices)) for _ in range(2))
            turned = {(min(u, v), max(u, v)) for u in one for v in other if u != v}
            return _graph(x.vertices, edges ^ (turned or {rng.choice(pairs)}))
        if move == 2 and len(edges) > 1:
            return _graph(x.vertices, _exchanged(rng, edges))
        moved = {rng.choice(pairs)}
        if edges and rng.randrange(3) == 0 and len(edges) < len(pairs):
            moved = {rng.choice(x.edges), rng.choice([pair for pair in pairs if pair not in edges])}
        return _graph(x.vertices, edges ^ moved)

    def larger(self, rng: random.Random, x: Graph) -> Graph:
        """Return the graph with one vertex more: a twin of another, one at the end of an edge, or one joined to all."""
        move, n = rng.randrange(6), x.vertices
        if move < 4:
            return _twin(x, rng)
        return _graph(n + 1, [*x.edges, *(_across(range(n), [n]) if move == 4 else [(rng.randrange(n), n)])])

    def simpler(self, x: Graph) -> Iterator[Graph]:
        """Yield the graph without the edges of one vertex, and without one edge."""
        without = [tuple(edge for edge in x.edges if v not in edge) for v in range(x.vertices)]
        without += [tuple(edge for edge in x.edges if edge != one) for one in x.edges]
        yield from (_graph(x.vertices, left) for left in dict.fromkeys(without) if len(left) < len(x.edges))

    def smaller(self, x: Graph) -> Iterator[Graph]:
        """Yield the graph without one vertex."""
        if x.vertices > 1:
            yield from once(induced(x, [u for u in range(x.vertices) if u != v]) for v in range(x.vertices))

    def size(self, x: Graph) -> int:
        """Return the number of vertices."""
        return x.vertices

    def pack(self, x: Graph) -> dict[str, Any]:
        """Return ``{"vertices": n, "edges": [[u, v], …]}``."""
        return {"vertices": x.vertices, "edges": [list(edge) for edge in x.edges]}

    def unpack(self, data: Any) -> Graph:
        """Return the graph of such data; an edge that is given twice is refused.

        Raises
        ------
        DomainError : other data, an edge that is given twice, or no vertex.
        """
        if not isinstance(data, dict) or set(data) != {"vertices", "edges"}:
            raise DomainError(
                f"a graph {data!r:.60}", required='{"vertices": n, "edges": [[u, v], …]}',
                why="that is how a graph is written as JSON",
            )  # fmt: skip
        edges = [read_list(edge, "an edge", "two vertices") for edge in read_list(data["edges"], "the edges")]
        found = _graph(fits(data["vertices"], "a graph"), edges)
        if len(found.edges) < len(edges):
            raise DomainError(f"the edges {edges!r:.60}", required="each edge once", why="a graph has no double edges")
        return found


def induced(x: Graph, kept: list[int]) -> Graph:
    """Return the graph on some of the vertices, named 0, 1, … in their order."""
    place = {v: k for k, v in enumerate(kept)}
    return _graph(len(kept), [(place[u], place[v]) for u, v in x.edges if u in place and v in place])


def structured(n: int) -> Iterator[Graph]:
    """Yield the graphs with a name: path, cycle, star, complete, none; then families of them in turn.

    They are of parts that are joined or apart, the balanced ones first: bipartite, cliques, cycles, with leaves.
    """
    yield _graph(n, _path(n))
    yield _graph(n, _cycle(n))
    yield _graph(n, [(0, v) for v in range(1, n)])
    yield _graph(n, _pairs(range(n)))
    yield Graph(n)
    for graphs in itertools.zip_longest(*_families(n)):
        yield from (graph for graph in graphs if graph is not None)


def _families(n: int) -> list[Iterator[Graph]]:
    halves = sorted(range(1, n), key=lambda a: (abs(n - 2 * a), a))
    path, every = _path(n), range(n)

    def two(edges: Callable[[int], list[Edge]], least: int = 1) -> Iterator[Graph]:
        return (_graph(n, edges(a)) for a in halves if least <= a <= n - least or least == 1)

    def cliques(a: int) -> list[Edge]:
        return _pairs(range(a)) + _pairs(range(a, n))

    return [
        two(lambda a: _across(range(a), range(a, n))),
        two(lambda a: [*cliques(a), (a - 1, a)]),
        two(lambda a: _pairs(range(a)) + _across(range(a), range(a, n))),  # a clique joined to independent vertices
        _independent_and_cliques(n),
        two(lambda a: [*_cycle(a), *_cycle(n - a, a), *_across(range(a), range(a, n))], 3),
        (_graph(n, [(u, v) for u, v in _pairs(every) if (u - v) % k]) for k in range(3, n)),  # k parts
        two(lambda a: _pairs(range(a)) + [(v % a, v) for v in range(a, n)]),  # leaves at a clique
        (_graph(n, _circulant(n, jumps)) for jumps in _jumps(n)),
        two(lambda a: _pairs(range(a)) + _pairs(range(a - 1, n))),  # with one vertex in common
        two(lambda a: [*_cycle(a), *((v % a, v) for v in range(a, n))], 3),
        two(lambda a: [*_cycle(a), *_cycle(n - a, a), (0, a)], 3),
        two(lambda a: _pairs(range(a)) + [(v, v + 1) for v in range(a - 1, n - 1)]),  # a clique and a path
        two(lambda a: [(0, v) for v in range(1, a)] + [(a, v) for v in range(a + 1, n)] + [(0, a)]),  # two stars
        two(lambda a: [*_cycle(a), *_across(range(a), range(a, n))], 3),  # a cycle joined to independent vertices
        two(cliques),
        two(lambda a: _pairs(range(a))),
        iter([_graph(n, path[::2]), _graph(n, path[::2]).complement(), _graph(n, _cycle(n)).complement()]),
        iter([_graph(n, [*_across([0], range(1, n)), *path[1:], *([(1, n - 1)] if n > 3 else [])])]),  # a wheel
        iter([_graph(n, [(u, v) for u, v in _pairs(every) if (u ^ v).bit_count() == 1])]),  # a part of a cube
    ]


def _path(n: int) -> list[Edge]:
    return [(v, v + 1) for v in range(n - 1)]


def _cycle(n: int, start: int = 0) -> list[Edge]:
    """The edges of a cycle on so many vertices from one on; fewer than three have a path."""
    return [(u + start, v + start) for u, v in [*_path(n), *([(0, n - 1)] if n > 2 else [])]]


def _circulant(n: int, jumps: tuple[int, ...]) -> list[Edge]:
    return sorted({(min(u, v), max(u, v)) for u in range(n) for j in jumps for v in [(u + j) % n] if u != v})


def _jumps(n: int) -> Iterator[tuple[int, ...]]:
    """Pairs of jumps of a circulant graph, that to the opposite vertex first."""
    yield from ((1, j) for j in range(n // 2, 1, -1))
    yield from ((2, j) for j in range(n // 2, 2, -1))


def _independent_and_cliques(n: int) -> Iterator[Graph]:
    """Independent vertices joined to all of two cliques, half of the vertices and two quarters first."""
    sizes = [(k, a) for k in range(1, n - 1) for a in range(1, (n - k) // 2 + 1)]
    for k, a in sorted(sizes, key=lambda s: (abs(2 * s[0] - n) + abs(n - s[0] - 2 * s[1]), s)):
        rest = range(k, n)
        yield _graph(n, _across(range(k), rest) + _pairs(rest[:a]) + _pairs(rest[a:]))


def _blocks(rng: random.Random, n: int) -> Graph:
    """A small graph with each vertex replaced by a clique or by independent vertices, every other time equally many."""
    if rng.randrange(2):
        size, first = rng.randint(1, max(n // 2, 1)), rng.randrange(n)
        part = [0] * first + [1 + k // size for k in range(n - first)]
    else:
        ends = sorted(rng.randrange(n) for _ in range(rng.randint(1, 3)))
        part = [sum(v >= end for end in ends) for v in range(n)]
    kinds = sorted(set(part))
    inside = {kind: rng.randrange(2) for kind in kinds}
    joined = {pair: rng.randrange(2) for pair in _pairs(kinds)}
    edges = ((u, v) for u, v in _pairs(range(n))
             if (inside[part[u]] if part[u] == part[v] else joined[part[u], part[v]]))  # fmt: skip
    return _graph(n, edges)


def _composed(rng: random.Random, n: int) -> Graph:
    """Two to four small graphs with a name, of any sizes, each pair of them joined or not; or one with leaves.

    Of joined cycles the chromatic number exceeds that of the largest clique by as much as one likes.
    """
    if rng.randrange(4) == 0:  # a core with vertices at its ends
        core = rng.randint(1, n)
        return _graph(n, [*_named(rng, core), *((rng.randrange(core), v) for v in range(core, n))])
    count = min(n, rng.choice((2, 2, 3, 4)))
    if rng.randrange(2):
        size = -(-n // count)
        ends = [min(size * (k + 1), n) for k in range(count)]
    else:
        ends = [*sorted(rng.randint(1, n) for _ in range(count - 1)), n]
    edges, start, parts = list[Edge](), 0, list[range]()
    same = rng.randrange(1 << 30) if rng.randrange(2) else None  # all parts of one name
    for end in ends:
        if end > start:
            named = random.Random(same) if same is not None else rng
            edges += [(u + start, v + start) for u, v in _named(named, end - start)]
            parts.append(range(start, end))
            start = end
    joined = rng.choice((1, 2, 2))  # all, or each pair by chance
    for one, other in itertools.combinations(parts, 2):
        if joined == 1 or rng.randrange(2):
            edges += _across(one, other)
    return _graph(n, edges)


def _named(rng: random.Random, n: int) -> list[Edge]:
    """A cycle, clique, path, star, matching, no edges, or the complement of a cycle."""
    cycle = _cycle(n)
    kind = rng.randrange(8)
    if kind in (0, 1):
        return cycle
    if kind in (2, 3):
        return _pairs(range(n)) if kind == 2 else []
    if kind == 4:
        return _path(n)
    if kind == 5:
        return [(0, v) for v in range(1, n)]
    if kind == 6:
        return _path(n)[::2]
    return [pair for pair in _pairs(range(n)) if pair not in cycle]


def _regular(rng: random.Random, n: int) -> Graph:
    """A circulant graph, or one of the same degrees after some exchanges of two edges' ends."""
    jumps = [j for j in range(1, n // 2 + 1) if rng.randrange(3) == 0] or [1]
    edges = set(_circulant(n, tuple(jumps)))
    for _ in range(rng.choice((0, 1, 2, n, 4 * n))):
        edges = _exchanged(rng, edges) if len(edges) > 1 else edges
    return _graph(n, edges)


def _exchanged(rng: random.Random, edges: set[Edge]) -> set[Edge]:
    """The edges with the ends of two of them exchanged, or themselves where that makes no two new edges."""
    (a, b), (c, d) = rng.sample(sorted(edges), 2)
    u, v = (c, d) if rng.randrange(2) else (d, c)
    made = {(min(a, u), max(a, u)), (min(b, v), max(b, v))}
    if a == u or b == v or len(made) < 2 or made & edges:
        return edges
    return edges - {(a, b), (c, d)} | made


def _twin(x: Graph, rng: random.Random) -> Graph:
    """The graph with a vertex that has the neighbours of another one, and is joined to it or not."""
    v, n = rng.randrange(x.vertices), x.vertices
    return _graph(n + 1, [*x.edges, *((u, n) for u in x.around[v]), *([(v, n)] if rng.randrange(2) else [])])


def _twins(x: Graph, v: int) -> list[int]:
    """The vertices that have the same neighbours as one has, itself and them left out."""
    near = set(x.around[v])
    return [u for u in range(x.vertices) if u == v or near - {u} == set(x.around[u]) - {v}]


def _graph(n: int, edges: Iterable[Any]) -> Graph:
    return Graph(n, tuple(tuple(edge) for edge in edges))


def _pairs(vertices: Iterable[int]) -> list[Edge]:
    return list(itertools.combinations(vertices, 2))


def _across(one: Iterable[int], other: Iterable[int]) -> list[Edge]:
    return [(u, v) for u in one for v in other]


def _edges(places: dict[Edge, int], mask: int) -> list[Edge]:
    return [pair for pair, k in places.items() if mask >> k & 1]


@cache
def _classes(n: int) -> tuple[int, ...]:
    """For each set of edges, as the bits of a number, the least one of a graph that is isomorphic to it."""
    pairs = _pairs(range(n))
    places = {pair: k for k, pair in enumerate(pairs)}
    moves = [[places[min(p[u], p[v]), max(p[u], p[v])] for u, v in pairs] for p in itertools.permutations(range(n))]
    least = [-1] * (1 << len(pairs))
    for mask in range(len(least)):
        if least[mask] < 0:
            bits = [k for k in range(len(pairs)) if mask >> k & 1]
            for move in moves:
                least[sum(1 << move[k] for k in bits)] = mask
    return tuple(least)
