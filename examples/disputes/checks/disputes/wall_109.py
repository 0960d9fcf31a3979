r"""Independence number, residue and largest induced bipartite subgraph of a connected graph.

Setting    A connected graph $G$ on $n$ vertices; its residue $R$ is the number of zeros when Havel and Hakimi's step
           (strike the largest degree $d$, take 1 from the $d$ next ones) has gone on to the end.
Statement  $\alpha\le\lfloor(R+2b)/3\rfloor$, that is $3\alpha\le R+2b$: $\alpha$ is the independence number, $b$ the
           largest number of vertices that induce a bipartite subgraph.
Proof      Of $\alpha\le b-1$, $n\ge2$: a largest independent set and one vertex more induce a star and lone vertices.
Witness    The first connected graphs.
Measured   $\alpha$ by branching; $b$ as that of two copies of $G$ with each vertex joined to its copy.
Control    One less on the right, for one vertex; repair: $\alpha\le b$.
"""
from dataclasses import replace

from sympy import Eq

from theorytools import Anchor, Claim, Control, Quantity, grid
from theorytools.search.kinds import Graph, Graphs

from .notation import n

alpha = Quantity("independence", r"\alpha", "independence number", (1, None))
residue = Quantity("residue", "R", "residue", (1, None))
bipartite = Quantity("bipartite", "b", "vertices of an induced bipartite subgraph", (1, None))

def independent(near, left):
    v = max(left, key=lambda u: len(near[u] & left), default=None)
    if v is None or not near[v] & left:
        return len(left)
    return max(independent(near, left - {v}), 1 + independent(near, left - {v} - near[v]))

def measure(graph, p):
    near = {v: set(graph.neighbours(v)) for v in range(graph.vertices)}
    pairs = {(v, i): {(u, i) for u in near[v]} | {(v, 1 - i)} for v in near for i in (0, 1)}
    d = sorted(graph.degrees, reverse=True)
    while d[0]:
        d = sorted([x - 1 for x in d[1 : d[0] + 1]] + d[d[0] + 1 :], reverse=True)
    return {alpha: independent(near, {*near}), residue: len(d), bipartite: independent(pairs, {*pairs})}

five, right = Graph(5, [(i, (i + 1) % 5) for i in range(5)]), residue + 2 * bipartite
claim = Claim(
    "Conjecture 109", role="statement", source="published: Written on the Wall, conjecture 109; none", expect="REFUTED",
    scope={"every n, G": "points"}, asserts=3 * alpha <= right, objects={"G": (Graphs(), n)}, grid=grid(n=[1, 2, 3]),
    such_that={"G is connected": lambda p: p.G.connected}, construct=lambda p: p.G, measure=measure,
    anchors=[Anchor("a cycle of five", five, {alpha: 2, residue: 2, bipartite: 4}, source="by hand")],
    controls=[Control("one less", breaks=alpha, asserts=[3 * alpha <= right - 1], where=Eq(n, 1)),
              Control("without the residue", asserts=[alpha <= bipartite])],
)
repaired = replace(
    claim, label="One vertex more", role="statement", source="derived here: conjecture 109", expect="HOLDS",
    statement=r"$\alpha\le b-1$ where $G$ is connected and $n\ge2$.", scope={"every n, G": "proof"}, requires=[n >= 2],
    asserts=alpha <= bipartite - 1, grid=grid(n=[2, 3]),
    controls=[Control("two more", breaks=alpha, asserts=[alpha <= bipartite - 2])],
)
