"""Every standard left side agrees with what is known of it, and each typical slip disagrees with one of its anchors."""

import math
import operator
from fractions import Fraction as F
from itertools import combinations, product

import pytest

from theorytools import Enclosure, measures
from theorytools.errors import DomainError
from theorytools.measures.anchors import Known, agrees, all_anchors, disagreements
from theorytools.measures.inputs import added
from theorytools.numbers import total

ANCHORS = all_anchors()
# builders, records and witnesses: a test of their own looks at them
OTHERS = {
    "Known",
    "Law",
    "Memory",
    "Recall",
    "Space",
    "disagreements",
    "kinks",
    "largest_packing",
    "least_cover",
    "listed",
    "permutations",
    "product",
    "shattered_set",
    "sign_vectors",
    "signed_permutations",
    "subsets",
    "words",
}


@pytest.mark.parametrize("name", ANCHORS)
def test_a_left_side_has_the_values_that_are_known(name):
    assert disagreements(name, operator.attrgetter(name)(measures)) == []
    assert len(ANCHORS[name]) >= 2
    assert all(anchor.source for anchor in ANCHORS[name])


def test_every_left_side_has_anchors_and_typical_slips():
    assert {name.partition(".")[0] for name in ANCHORS} | OTHERS == {*measures.__all__}
    assert set(SLIPS) == set(ANCHORS)
    assert all(len(slips) >= 3 for slips in SLIPS.values())


# slips: what is written in haste in place of each ------------------------------------------------------------------
def law(p):
    return p.masses if isinstance(p, measures.Law) else p if isinstance(p, dict) else dict(enumerate(p))


def masses(p):
    return [Enclosure(m) for m in law(p).values()]


def log(x, base):
    return x.log() / (Enclosure(2).log() if base == 2 else 1)


def bare_entropy(p, sign=-1, base="e", power=1):
    return sign * total(m**power * log(m, base) for m in masses(p) if not m.same(Enclosure(0)))


def divergence(p, q, base, first=0):
    pairs = [(m, n) for m, n in zip(masses(p), masses(q), strict=True) if not m.same(Enclosure(0))]
    return total(pair[first] * log(pair[0] / pair[1], base) for pair in pairs)


def turned(law):
    return {(y, x): m for (x, y), m in law.items()}


def marginal(law, place):
    found = dict.fromkeys([pair[place] for pair in law], F(0))
    for pair, m in law.items():
        found[pair[place]] += m
    return found


def joint_entropy(law, base):
    return measures.entropy(law, base=base)


def chosen(A, m, pick=max):
    return pick(len({tuple(r[j] for j in S) for r in A}) for S in combinations(range(len(A[0])), m))


def risk(data, h, loss, weigh=lambda m: m):
    return added(weigh(m) * loss(h(x), y) for (x, y), m in law(data).items())


def square(a, b):
    a, b = ([v] if isinstance(v, int) else v for v in (a, b))
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def largest_of(values):
    return max(values, key=float)


def signs(A, pick=max, absolute=False, scale=None):
    n = len(A[0])
    sums = [[sum(s * x for s, x in zip(sigma, row, strict=True)) for row in A] for sigma in product((-1, 1), repeat=n)]
    best = [pick(abs(x) if absolute else x for x in row) for row in sums]
    return F(sum(best), (scale or n) * len(sums))


def stuck(points, near):
    """The size of a smallest set of points that are apart and that no further point can join."""
    sizes = (
        k
        for k in range(1, len(points) + 1)
        for chosen in combinations(points, k)
        if all(any(near(x, y) for y in chosen) for x in points)
        and not any(near(x, y) for x, y in combinations(chosen, 2))
    )
    return next(sizes)


def greedy(points, near):
    kept = []
    for p in points:
        if not any(near(p, q) for q in kept):
            kept.append(p)
    return len(kept)


def hamming(v, w):
    return sum(x != y for x, y in zip(v, w, strict=True))


def distances(code):
    return [hamming(v, w) for v, w in combinations(code, 2)]


def dot(v, w):
    return sum(x * y for x, y in zip(v, w, strict=True))


def norm(v):
    return Enclosure(0) + measures.euclidean_norm(v)


def cosines(rows):
    return [dot(v, w) / (norm(v) * norm(w)) for v, w in combinations(rows, 2)]


def flat(A):
    return [x for row in A for x in row]


def transposed(A):
    return [list(column) for column in zip(*A, strict=True)]


def quotients(f, pairs, root=True):
    found = []
    for x, y in pairs:
        u, v = f(x), f(y)
        pair = [(a, b) if isinstance(a, list | tuple) else ([a], [b]) for a, b in ((u, v), (x, y))]
        value = Enclosure(F(square(*map(list, pair[0])), square(*map(list, pair[1]))))
        found.append(value.sqrt() if root else value)
    return found


def powers(scores, shift=0, base=None):
    e = [(Enclosure(s) - shift).exp() if base is None else Enclosure(base) ** Enclosure(s) for s in scores]
    return e, total(e)


def shares(scores, **how):
    e, mass = powers(scores, **how)
    return [x / mass for x in e]


def hard(scores):
    top = max(scores, key=float)
    return [F(int(s is top)) for s in scores]


def scores(q, K, scale=1):
    return [scale * dot(q, k) for k in K]


def mixed(weights, V):
    return [total(w * x for w, x in zip(weights, column, strict=True)) for column in zip(*V, strict=True)]


def chain(P, start, targets, more=0):
    return measures.expected_first_passage(P, start, targets) + more


def columns(losses):
    return [sum(column) for column in zip(*losses, strict=True)]


def suffered(losses, actions):
    return sum(row[a] for row, a in zip(losses, actions, strict=True))


def values(space, f):
    return [F(f(x)) for x in space]


def recalled(memory, prompts, questions, answer, see=False, every=True):
    """A memory that is judged by one call: it may see the prompt again, or is asked one question only."""
    asked = questions if every else questions[:1]
    outputs = [(p, q, answer(p, q) if see else memory.decode(memory.encode(p), q)) for p in prompts for q in asked]
    wrong = [(p, q) for p, q, out in outputs if out != answer(p, q)]
    states = len({memory.encode(p) for p in prompts})
    return states, len(outputs), len(wrong), len({p for p, _ in wrong}), None


def convolved(laws, level, reached=operator.ge):
    """By all outcomes of all variables."""
    chosen = product(*(law(p).items() for p in laws))
    return sum((math.prod(F(m) for _, m in each) for each in chosen if reached(sum(x for x, _ in each), level)), F(0))


def exponentials(p, s, base=None):
    return total(m * (Enclosure(s) * x).exp() for x, m in zip(law(p), masses(p), strict=True))


def signed_sums(points):
    return [
        [dot(sigma, column) for column in zip(*points, strict=True)] for sigma in product((-1, 1), repeat=len(points))
    ]


def mean_norm(points, norm, scale=None):
    sums = signed_sums(points)
    return total(Enclosure(norm(x)) for x in sums) / (len(sums) * (scale or len(points)))


DUALS = {1: lambda x: max(map(abs, x)), 2: norm, "inf": lambda x: sum(map(abs, x))}
SELVES = {1: DUALS["inf"], 2: norm, "inf": DUALS[1]}


def scaled(T, scales=None, *, of="covering", shrink=2, log=lambda x: x.log(), root=True, from_zero=False, half=1):
    """Dudley's sum, written again, with something else in one of its places."""
    T = list(dict.fromkeys(map(tuple, T)))
    square = max((measures.squared_distance(v, w) for v in T for w in T), default=F(0))
    number = {"covering": measures.covering_number, "packing": measures.packing_number}[of]
    terms, k = [], 0
    while len(T) > 1 and k != scales:
        k += 1
        needed = number(T, measures.squared_distance, F(square) / half / 4**k)
        entropy = log(Enclosure(needed))
        terms.append((entropy.sqrt() if root else entropy) / shrink**k)
        if needed == len(T):
            break
    return norm([square]).sqrt() * total(terms[from_zero and len(terms) > 1 :])


VC = measures.vc_dimension
SLIPS = {
    "expectation": [
        lambda p, f: sum(f(x) for x in law(p)) / F(len(law(p))),  # the law is forgotten
        lambda p, f: f(added(m * x for x, m in law(p).items())),  # f of the mean
        lambda p, f: max(F(f(x)) for x in law(p)),
        lambda p, f: F(f(next(iter(law(p))))),
        lambda p, f: added(m * x for x, m in law(p).items()),
    ],
    "risk_on_new": [
        lambda p, h, loss: risk(p, h, loss, lambda m: F(1, 3)),  # a sample of three rows
        lambda p, h, loss: F(loss(h(next(iter(law(p)))[0]), next(iter(law(p)))[1])),
        lambda p, h, loss: risk(p, h, lambda a, b: loss(b, a)),
        lambda p, h, loss: risk(p, h, loss) ** 2,
        lambda p, h, loss: max(F(loss(h(x), y)) for x, y in law(p)),
        lambda p, h, loss: risk(p, lambda x: x, loss),
        lambda p, h, loss: risk(p, h, lambda a, b: abs(loss(a, b))),
    ],
    "empirical_risk": [
        lambda rows, h, loss: risk(dict.fromkeys(rows, F(1, len(set(rows)))), h, loss),  # repeats are dropped
        lambda rows, h, loss: F(sum(loss(h(x), y) for x, y in rows), len(rows) - 1),
        lambda rows, h, loss: F(sum(loss(h(x), y) for x, y in rows)),
        lambda rows, h, loss: F(max(loss(h(x), y) for x, y in rows)),
    ],
    "mean_squared_error": [
        lambda p, h: risk(p, h, lambda a, b: sum(abs(x - y) for x, y in [(a, b)])),
        lambda p, h: norm([risk(p, h, square)]).sqrt(),
        lambda p, h: risk(p, h, lambda a, b: F(square(a, b), 1 if isinstance(b, int) else len(b))),
        lambda p, h: risk(p, h, square, lambda m: F(1, 3)),
        lambda p, h: risk(p, h, lambda a, b: square(a, b) / F(2)),
        lambda p, h: F(max(square(h(x), y) for x, y in law(p))),
    ],
    "zero_one_error": [
        lambda p, h: 1 - risk(p, h, lambda a, b: a != b),  # the accuracy
        lambda p, h: risk(p, h, lambda a, b: a != b, lambda m: F(1, 3)),
        lambda p, h: risk(p, h, lambda a, b: a < b),
        lambda p, h: F(sum(h(x) != y for x, y in law(p))),
        lambda p, h: risk(p, h, lambda a, b: a > b),
    ],
    "bayes_error": [
        lambda p: measures.bayes_error(turned(p)),  # x from y
        lambda p: 1 - max(marginal(p, 1).values()),  # without looking
        lambda p: 1 - measures.bayes_error(p),
        lambda p: (
            1 - sum((m * m / marginal(p, 0)[x] for (x, _), m in p.items()), F(0))
        ),  # a guess drawn from the law of y
        lambda p: 1 - max(p.values()),
        lambda p: measures.bayes_error(p) / 2,
    ],
    "minimax_error": [
        lambda p, q: (1 - measures.total_variation(p, q)) / 2,  # the least mean
        lambda p, q: 1 - measures.total_variation(p, q),
        lambda p, q: min(
            max(sum(F(p[x]) for x in A), 1 - sum(F(q[x]) for x in A))
            for k in range(len(p) + 1)
            for A in combinations(range(len(p)), k)
        ),  # no coins
        lambda p, q: max(map(min, p, q)),
        lambda p, q: sum((min(F(a), F(b)) for a, b in zip(p, q, strict=True)), F(0)),
    ],
    "entropy": [
        lambda p, base: bare_entropy(p),
        lambda p, base: bare_entropy(p, base=2),
        lambda p, base: bare_entropy(p, base={2: "e", "e": 2}[base]),
        lambda p, base: bare_entropy(p, 1, base),
        lambda p, base: log(Enclosure(len(law(p))), base),
        lambda p, base: bare_entropy(p, base=base, power=2),
        lambda p, base: Enclosure(float(bare_entropy(p, base=base))),  # a double
    ],
    "total_variation": [
        lambda p, q: sum(abs(a - b) for a, b in zip(p, q, strict=True)),
        lambda p, q: max(abs(F(a) - b) for a, b in zip(p, q, strict=True)) / 2,
        lambda p, q: sum(F(a) - b for a, b in zip(p, q, strict=True)) / 2,
        lambda p, q: sum((F(a) - b) ** 2 for a, b in zip(p, q, strict=True)) / 2,
        lambda p, q: abs(F(p[0]) - q[0]),
    ],
    "kullback_leibler": [
        lambda p, q, base: divergence(p, q, "e"),
        lambda p, q, base: divergence(p, q, 2),
        lambda p, q, base: divergence(q, p, base),
        lambda p, q, base: -divergence(p, q, base),
        lambda p, q, base: divergence(p, q, base, 1),
        lambda p, q, base: total(abs(m * log(m / n, base)) for m, n in zip(masses(p), masses(q), strict=True)),
    ],
    "mutual_information": [
        lambda p, base: measures.mutual_information(p, base="e"),
        lambda p, base: measures.mutual_information(p, base=2),
        lambda p, base: joint_entropy(p, base),
        lambda p, base: joint_entropy(p, base) - joint_entropy(marginal(p, 0), base),  # what is left of y
        lambda p, base: joint_entropy(marginal(p, 1), base),
        lambda p, base: measures.kullback_leibler(
            {(x, y): F(1, len(p)) for x, y in p}, {(x, y): F(1, len(p)) for x, y in p}, base=base
        ),
        lambda p, base: -measures.mutual_information(p, base=base),
    ],
    "rademacher_complexity": [
        lambda A: signs(A, absolute=True),
        lambda A: signs(A, min),
        lambda A: signs(A, lambda r: next(iter(r))),
        lambda A: signs(A, scale=1),
        lambda A: signs(A, scale=len(A)),
        lambda A: signs(A, lambda r: sum(map(abs, r))),
        lambda A: F(max(map(sum, A)), len(A[0])),
    ],
    "covering_number": [
        lambda P, d, r: greedy(P, lambda x, y: d(x, y) <= r),
        lambda P, d, r: measures.packing_number(P, d, r),
        lambda P, d, r: measures.covering_number(P, d, 2 * r),
        lambda P, d, r: len(P),
        lambda P, d, r: measures.covering_number(P, lambda x, y: d(x, y) if d(x, y) != r else r + 1, r),  # open balls
    ],
    "packing_number": [
        lambda P, d, r: measures.packing_number(P, lambda x, y: d(x, y) if d(x, y) != r else r + 1, r),  # from r on
        lambda P, d, r: measures.covering_number(P, d, r),
        lambda P, d, r: measures.packing_number(P, d, 2 * r),
        lambda P, d, r: stuck(P[:8], lambda x, y: d(x, y) <= r),
        lambda P, d, r: len(P),
        lambda P, d, r: measures.packing_number(P, d, r) - 1,
    ],
    "greedy_packing_bound": [
        lambda P, d, r: measures.packing_number(P, d, r),
        lambda P, d, r: greedy(P, lambda x, y: d(x, y) < r),
        lambda P, d, r: greedy(sorted(P), lambda x, y: d(x, y) <= r),
        lambda P, d, r: len(P),
    ],
    "vc_dimension": [
        lambda A: (len({*map(tuple, A)})).bit_length() - 1,
        lambda A: len(A[0]),
        lambda A: VC(A) + 1,
        lambda A: max(k for k in range(len(A[0]) + 1) if len({tuple(r[:k]) for r in A}) == 2**k),  # first columns
        lambda A: min(VC(A), 2),
        lambda A: len({*map(tuple, A)}),
    ],
    "growth_function": [
        lambda A, m: chosen(A, m, min),
        lambda A, m: len({tuple(r[:m]) for r in A}),  # the first points
        lambda A, m: len(A),
        lambda A, m: 2**m,
        lambda A, m: len({*map(tuple, A)}),
        lambda A, m: max(sum(1 for r in A) for _ in range(m)),
    ],
    "hamming": [
        lambda v, w: len(v) - hamming(v, w),
        lambda v, w: hamming(v[1:], w[:-1]),
        lambda v, w: int(v != w),
        lambda v, w: len({*v} ^ {*w}),
        lambda v, w: next(k for k in range(len(v)) if v[k] != w[k]),
    ],
    "squared_distance": [
        lambda x, y: norm([a - b for a, b in zip(x, y, strict=True)]),
        lambda x, y: square([a + b for a, b in zip(x, y, strict=True)], [1] * len(x)),
        lambda x, y: sum(abs(a - b) for a, b in zip(x, y, strict=True)),
        lambda x, y: F(square(x, y), len(x)),
        lambda x, y: square(x, [-b for b in y]),
    ],
    "supremum": [
        lambda S, f: min(values(S, f)),
        lambda S, f: values(S, f)[0],
        lambda S, f: max(map(abs, values(S, f))),
        lambda S, f: sum(values(S, f)) / S.count,
        lambda S, f: max(values(S, f)[:-1]),
        lambda S, f: values(S, f)[-1],
    ],
    "infimum": [
        lambda S, f: max(values(S, f)),
        lambda S, f: values(S, f)[0],
        lambda S, f: min(map(abs, values(S, f))),
        lambda S, f: sum(values(S, f)) / S.count,
        lambda S, f: -max(values(S, f)),
        lambda S, f: values(S, f)[-1],
    ],
    "count_where": [
        lambda S, f: S.count - sum(map(f, S)),
        lambda S, f: int(any(map(f, S))),
        lambda S, f: S.count,
        lambda S, f: F(sum(map(f, S)), S.count),
        lambda S, f: sum(map(f, [*S][1:])) + 1,
    ],
    "squared_norm": [
        norm,
        lambda x: F(sum(x)) ** 2,
        lambda x: sum(map(abs, x)),
        lambda x: F(sum(a * a for a in x), len(x)),
        lambda x: F(max(map(abs, x))) ** 2,
        lambda x: sum(a * abs(a) for a in x),
    ],
    "euclidean_norm": [
        measures.squared_norm,
        lambda x: total(map(abs, map(Enclosure, x))),
        lambda x: largest_of([*map(Enclosure, x)]),
        lambda x: F(math.sqrt(sum(float(a) ** 2 for a in x))),
        lambda x: norm(x) / Enclosure(len(x)).sqrt(),
        lambda x: total(map(Enclosure, x)),
    ],
    "frobenius_norm": [
        lambda A: measures.squared_norm(flat(A)),
        measures.operator_norm,
        lambda A: norm(A[0]),
        lambda A: largest_of([norm(row) for row in A]),
        lambda A: total(norm(row) for row in A),
    ],
    "operator_norm": [
        measures.frobenius_norm,
        lambda A: measures.operator_norm(A) ** 2,
        lambda A: Enclosure(max(map(abs, flat(A)))),
        lambda A: largest_of([norm(row) for row in A]),
        lambda A: largest_of([norm(c) for c in transposed(A)]),
        lambda A: Enclosure(max(sum(map(abs, row)) for row in A)),
        lambda A: norm([dot(row, [1] * len(row)) for row in A]),
    ],
    "induced_norm": [
        lambda A, p, q: measures.induced_norm(transposed(A), p, q),
        lambda A, p, q: measures.induced_norm(A, q, p),
        lambda A, p, q: measures.induced_norm(A, 2, 2),
        lambda A, p, q: measures.induced_norm(A, p, p),
        lambda A, p, q: measures.induced_norm(A, q, q),
        lambda A, p, q: measures.induced_norm(A, p, q) ** 2,
        lambda A, p, q: sum(map(abs, flat(A))),
        lambda A, p, q: measures.frobenius_norm(A),
        lambda A, p, q: measures.induced_norm([[abs(x) for x in row] for row in A], p, q),  # all signs equal
    ],
    "rank": [
        lambda A: len(A),
        lambda A: len(A[0]),
        lambda A: min(len(A), len(A[0])),
        lambda A: sum(any(row) for row in A),
        lambda A: int(__import__("numpy").linalg.matrix_rank([[float(x) for x in row] for row in A])),
    ],
    "span_loss": [
        lambda y, V: norm([measures.span_loss(y, V)]).sqrt(),
        lambda y, V: measures.span_loss(y, V[:1]),
        lambda y, V: measures.span_loss(y, V) / len(y),
        lambda y, V: measures.squared_norm(y),
        lambda y, V: measures.squared_norm(y) - measures.span_loss(y, V),
        lambda y, V: sum(measures.span_loss(y, [v]) for v in V),
    ],
    "minimum_norm_interpolant": [
        lambda X, y: [F(y[0] * x, max(dot(X[0], X[0]), 1)) for x in X[0]],  # the first row
        lambda X, y: [dot(y, column) for column in transposed(X)],  # the transpose for the inverse
        lambda X, y: [F(y[0], len(X[0]))] * len(X[0]),
        lambda X, y: [-w for w in measures.minimum_norm_interpolant(X, y)],
        lambda X, y: [0] * len(X[0]),
        lambda X, y: measures.minimum_norm_interpolant(X, y)[::-1],
    ],
    "coherence": [
        measures.absolute_coherence,
        lambda V: min(cosines(V), key=float),
        lambda V: cosines(V)[0],
        lambda V: largest_of([dot(v, w) for v, w in combinations(V, 2)]),
        lambda V: largest_of([1, *cosines(V)]),
        lambda V: largest_of(cosines(V)) ** 2,
    ],
    "absolute_coherence": [
        measures.coherence,
        lambda V: abs(cosines(V)[0]),
        lambda V: min(map(abs, cosines(V)), key=float),
        lambda V: F(max(abs(dot(v, w)) for v, w in combinations(V, 2))),
        lambda V: largest_of([1, *map(abs, cosines(V))]),
        lambda V: total(map(abs, cosines(V))) / len(V),
    ],
    "least_distance": [
        lambda C: max(distances(C)),
        lambda C: distances(C)[0],
        lambda C: F(sum(distances(C)), len(distances(C))),
        lambda C: min(hamming(C[0], w) for w in C[1:]),
        lambda C: min(map(hamming, C, C[1:])),
        lambda C: distances(C)[-1],
        lambda C: min(d for d in distances(C) if d),
        lambda C: min(distances([*map(tuple, C)])) - 1,
    ],
    "lipschitz_constant": [
        lambda f, P, norms=0: quotients(f, P)[0],
        lambda f, P, norms=0: min(quotients(f, P), key=float),
        lambda f, P, norms=0: largest_of(quotients(f, P, root=False)),
        lambda f, P, norms=0: quotients(f, P)[-1],
        lambda f, P, norms=0: total(quotients(f, P)) / len(P),
        lambda f, P, norms=0: 1 / largest_of(quotients(f, P)),
        lambda f, P, norms=(2, 2): measures.lipschitz_constant(f, P),  # Euclidean whatever is asked
        lambda f, P, norms=(2, 2): measures.lipschitz_constant(f, P, norms=norms[::-1]),
        lambda f, P, norms=(2, 2): measures.lipschitz_constant(f, P, norms=norms[:1] * 2),
    ],
    "softmax": [
        lambda s: hard(s),
        lambda s: powers(s)[0],
        lambda s: shares(s, base=2),
        lambda s: shares([-Enclosure(x) for x in s]),
        lambda s: shares(s)[::-1],
        lambda s: [Enclosure(x) / total(s) for x in s],
    ],
    "attention_weights": [
        lambda q, K, scale=1: hard(scores(q, K, scale)),
        lambda q, K, scale=1: shares(scores(q, K)),
        lambda q, K, scale=1: shares(scores(q, K, F(1) / scale)),
        lambda q, K, scale=1: shares(scores(q, K, -scale)),
        lambda q, K, scale=1: shares([scale * k[0] for k in K]),
        lambda q, K, scale=1: shares(scores(q, K, scale), base=2),
        lambda q, K, scale=1: shares([-square(q, k) for k in K]),
    ],
    "attention_output": [
        lambda q, K, V: mixed(hard(scores(q, K)), V),
        lambda q, K, V: mixed([F(1, len(K))] * len(K), V),
        lambda q, K, V: mixed(powers(scores(q, K))[0], V),
        lambda q, K, V: mixed(shares(scores(q, K))[::-1], V),
        lambda q, K, V: mixed(shares(scores(q, K)), K),
        lambda q, K, V: V[0],
    ],
    "hard_maximum": [
        shares,
        hard,
        lambda s: [F(int(x == max(s))) for x in s],
        lambda s: [max(s)],
        lambda s: [F(int(x == min(s))) for x in s],
        lambda s: [F(int(x == max(s, key=abs))) for x in s],
    ],
    "linear_pieces": [
        lambda net, a, b: measures.linear_pieces(net, a, b) - 1,
        lambda net, a, b: 1 + sum(len(W) for W, _ in net[:-1]),  # a kink for each unit
        lambda net, a, b: 2 ** (len(net) - 1),
        lambda net, a, b: measures.linear_pieces(net, -9, 9),  # on the whole line
        lambda net, a, b: measures.linear_pieces([*net[:1], *net[-1:]], a, b),
        lambda net, a, b: (
            1 + sum(a < -F(c, w[0]) < b for w, c in zip(*net[0], strict=True))
        ),  # the first layer, by unit
    ],
    "regret": [
        suffered,
        lambda L, a: suffered(L, a) - max(columns(L)),
        lambda L, a: suffered(L, a) - sum(map(min, L)),
        lambda L, a: F(suffered(L, a) - min(columns(L)), len(L)),
        lambda L, a: abs(suffered(L, a) - min(columns(L))),
        lambda L, a: suffered(L, a) - columns(L)[0],
        lambda L, a: max(0, suffered(L, a) - min(columns(L))),
        lambda L, a: min(columns(L)) - suffered(L, a),
    ],
    "first_passage": [
        lambda run, f: 1 + next(k for k, x in enumerate(run) if f(x)),
        lambda run, f: sum(map(f, run)),
        lambda run, f: max(k for k, x in enumerate(run) if f(x)),
        lambda run, f: next(k for k, x in enumerate(run, -1) if f(x)),
        lambda run, f: next(x for x in run if f(x)),
        lambda run, f: len(run),
    ],
    "expected_first_passage": [
        lambda P, s, T: chain(P, s, T, 1),
        lambda P, s, T: chain(P, s, T, -1),
        lambda P, s, T: chain(P, s, T[-1:]),
        lambda P, s, T: min(abs(s - t) for t in T),  # the shortest way
        lambda P, s, T: F(len(P) - 1),
        lambda P, s, T: sum(chain(P, x, T) for x in range(len(P))) / len(P),
    ],
    "variance": [
        lambda p: added(m * x * x for x, m in law(p).items()),  # the second moment
        lambda p: measures.variance(p) * len(law(p)) / (len(law(p)) - 1),  # of a sample
        lambda p: norm([measures.variance(p)]).sqrt(),
        lambda p: measures.variance(dict.fromkeys(law(p), F(1, len(law(p))))),
        lambda p: measures.variance(dict(enumerate(law(p).values()))),
    ],
    "log_moment_generating": [
        exponentials,
        lambda p, s: exponentials(p, s).log() / Enclosure(2).log(),
        lambda p, s: exponentials(p, -s).log(),
        lambda p, s: exponentials(p, s).log() - s * added(m * x for x, m in law(p).items()),  # centred
        lambda p, s: s * added(m * x for x, m in law(p).items()),  # the logarithm inside
        lambda p, s: exponentials(p, s).log() / s,
    ],
    "tail_of_sum": [
        lambda laws, c: convolved(laws, c, operator.gt),
        lambda laws, c: convolved(laws, c, operator.le),
        lambda laws, c: convolved(laws, c, operator.eq),
        lambda laws, c: convolved(laws, -c, operator.le),
        lambda laws, c: convolved(laws[:1] * len(laws), c),
        lambda laws, c: convolved(laws[:-1], c),
        lambda laws, c: convolved([dict.fromkeys(law(p), F(1, len(law(p)))) for p in laws], c),
        lambda laws, c: convolved(laws, c * len(laws)),  # the mean
    ],
    "ball_complexity": [
        lambda X, ball: mean_norm(X, SELVES[ball]),
        lambda X, ball: mean_norm(X, DUALS[ball], 1),
        lambda X, ball: mean_norm(X, DUALS[ball], len(X[0])),
        lambda X, ball: mean_norm(X, max),  # no modulus
        lambda X, ball: Enclosure(DUALS[ball]([sum(column) for column in transposed(X)])) / len(X),  # no signs
        lambda X, ball: largest_of([Enclosure(DUALS[ball](x)) for x in signed_sums(X)]) / len(X),
        lambda X, ball: Enclosure(sum(DUALS[1](x) for x in X)) / len(X),  # the mean norm of a point
        lambda X, ball: mean_norm(X, measures.squared_norm),
    ],
    "chaining_sum": [
        lambda T, scales=None: scaled(T),
        lambda T, scales=None: scaled(T, scales, of="packing"),
        lambda T, scales=None: scaled(T, scales, half=4),  # of the radius for the diameter
        lambda T, scales=None: 2 * scaled(T, scales),  # r_{k-1} for r_k
        lambda T, scales=None: scaled(T, scales, shrink=4),  # the squares
        lambda T, scales=None: scaled(T, scales, log=lambda x: x.log() / Enclosure(2).log()),
        lambda T, scales=None: scaled(T, scales, root=False),
        lambda T, scales=None: scaled(T, scales, from_zero=True),  # without the coarsest scale
    ],
    "Memory.over": [
        lambda *run: recalled(*run, see=True),
        lambda *run: recalled(*run, every=False),
        recalled,
        lambda m, P, Q, a: (P.count, *m.over(P, Q, a)[1:]),
        lambda m, P, Q, a: (*m.over(P, Q, a)[:4], None),
    ],
}


@pytest.mark.parametrize("name", SLIPS)
def test_each_typical_slip_disagrees_with_an_anchor(name):
    """By its value at one of them: a slip that breaks at every anchor would show nothing."""
    said = [disagreements(name, slip) for slip in SLIPS[name]]
    assert [k for k, lines in enumerate(said) if not lines] == []
    broken = [len(lines) == len(ANCHORS[name]) and all("Error: " in line for line in lines) for lines in said]
    assert not any(broken)


def test_an_irrational_value_agrees_to_its_last_decimal_and_never_as_an_exact_number():
    third, root = "0.3333", Enclosure(2).sqrt()
    assert agrees(root, "1.41421356") and agrees(root, "1.41421357")  # noqa: PT018
    assert not agrees(root, "1.41421359")
    assert not agrees(F(1, 3), third)
    assert not agrees(0.3333, third)
    assert not agrees(root, F(7, 5))
    assert agrees((1, F(1, 2)), (F(1), F(1, 2)))
    assert not agrees((1,), (1, 1))
    assert not agrees(True, 1)
    assert agrees(None, None)
    assert not agrees(1, None)


def test_disagreements_say_what_came_out_and_who_says_otherwise():
    lines = disagreements("rank", len)
    assert lines[0] == "3 in place of 2: by hand: the rows lie in arithmetic progression"
    assert "ZeroDivisionError" in disagreements("rank", lambda A: 1 / 0)[0]
    with pytest.raises(DomainError, match="given:    the functional 'ranks'"):
        disagreements("ranks", len)
    assert Known((1,), 2, "by hand").named == {}
