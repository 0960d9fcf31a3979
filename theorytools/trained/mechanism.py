r"""Whether a layer of attention does what a proof's construction does: how much it looks elsewhere, on any prompt.

A head of Lemma 11 of arXiv 2503.11272 gives the position that its slot asks for all weight but a leakage, at most
:math:`Ne^{-\beta(1-\rho)}` or better.  The same leakage of given weights is bounded over all prompts of a class
(:func:`.worst.supremum.leak`), enclosed from below at the prompt that was found, and compared: in scores
:math:`s_{ij}` the construction has :math:`\beta\langle\omega_{t_i},\omega_j\rangle` and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theorytools.blocks.network import ONE, PLACE, Attention, Block, Head, Network
from theorytools.claims.language.estimate import Estimate, Evidence
from theorytools.claims.papers.right_side import bound_of
from theorytools.errors import DomainError
from theorytools.notebook import fields_html
from theorytools.numbers import Enclosure, End, float_lower
from theorytools.numbers.boxes import Array, Box, exact, times
from theorytools.trained.attention import weight_outside
from theorytools.trained.floats.module_rounding import ModuleRounding
from theorytools.trained.worst.all_cases import TERMS, Leaks
from theorytools.trained.worst.enclosed import enclosed
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.supremum import leak

STATEMENTS = {"qstr.lemma_11": "leakage"}
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Structure:
    r"""What scores are made of: shares of their variance over independent uniform prompts, in doubles, no bound.

    Attributes
    ----------
    beta : for each head the inverse temperature whose scores :math:`\beta\langle\omega_t,\omega_j\rangle` are nearest
        to those of slot and position, up to what no softmax sees; codes scaled to norm one.
    block : for each head the share that its slot's index and the key's position explain.
    identity : for each head the share that a multiple of the construction's scores explains.
    """

    beta: tuple[float, ...]
    block: tuple[float, ...]
    identity: tuple[float, ...]

    _repr_html_ = fields_html


@dataclass(frozen=True, eq=False)
class Mechanism:
    r"""What is proved of the attention, over all prompts of a class.

    Attributes
    ----------
    statement : the statement whose construction it is compared with.
    leakage : an enclosure of the largest weight outside an indexed position, for the real numbers that the weights
        define; its lower end is that of the prompt below.
    delta : an upper bound of the same for the weights that the module computes in its own floats, as shares of their
        sum: the mechanism is within ``delta`` of the construction.
    slots : which slot each head is judged by, from 1.
    heads : for each head an upper bound of its leakage.
    structure : how near the scores are to the construction's; None where blocks before the attention make them of
        other things than tokens and words, or without codes.
    bound : the statement's bound of the leakage at the fitted inverse temperature and the codes' coherence.
    construction : what the construction leaks there, in doubles.
    X, T, at, head : the prompt where a head leaks most, tokens ``(N, d)`` and indices ``(N, q)``, the position and the
        head.
    """

    statement: str
    leakage: Estimate
    delta: float
    slots: tuple[int, ...]
    heads: tuple[float, ...]
    structure: Structure | None
    bound: float | None
    construction: float | None
    X: Array
    T: Indices
    at: int
    head: int

    _repr_html_ = fields_html

    def within(self, delta: float) -> bool:
        """Whether no attention that the module computes leaks more than ``delta``, on any prompt of the class."""
        return self.delta <= delta

    def to_json(self) -> dict[str, Any]:
        """Return JSON data: bounds as doubles that were rounded outward."""
        shape = self.structure
        parts = ("beta", "block", "identity")
        return {
            "delta": self.delta, "leakage": list(self.leakage.floats), "slots": list(self.slots),
            "heads": list(self.heads), "bound": self.bound, "construction": self.construction,
            "structure": None if shape is None else {name: list(getattr(shape, name)) for name in parts},
            "leaking": {"X": self.X.tolist(), "T": self.T.tolist(), "position": self.at, "head": self.head},
        }  # fmt: skip


def known(statement: str) -> None:
    """Refuse a statement that has no construction of one layer of attention."""
    if statement not in STATEMENTS:
        raise DomainError(
            f"statement = {statement!r}", required=f"one of {', '.join(STATEMENTS)}",
            why="these have a construction of one layer of attention with position codes",
            advice="certify_states for recurrent networks (qstr.proposition_35), certify_first_layer for feedforward",
        )  # fmt: skip


def mechanism(
    network: Network, prompts: Prompts, statement: str, rounded: ModuleRounding, *, codes: Array | None = None,
    slots: Sequence[int] | None = None, progress: Progress | None = None,
) -> Mechanism:  # fmt: skip
    """Return what is proved of a network's one attention.

    Parameters
    ----------
    network, prompts : the network on the fields of the prompts.
    statement : one of :data:`STATEMENTS`.
    rounded : what the module's floats do to its weights.
    codes : those of the positions, for the comparison.
    slots : which slot each head reads, from 1; the one that its scores listen to most unless given.
    progress : a callback ``(done, total)``, of each head.

    Raises
    ------
    DomainError : no or several attentions, slots that are not there.
    BudgetError : more queries than can be bounded.
    """
    place = [k for k, block in enumerate(network.blocks) if isinstance(block, Attention)]
    if len(place) != 1:
        raise DomainError(f"{len(place)} layers of attention", required="one", why="it is held against one layer",
                          advice="certify without a statement bounds the labels alone")  # fmt: skip
    attention, before = network.blocks[place[0]], network.blocks[: place[0]]
    assert isinstance(attention, Attention)
    reads = _slots(attention, prompts, slots)
    found = [leak(attention, h, prompts, slot=slot, before=before, progress=progress) for h, slot in enumerate(reads)]
    tops = tuple(_top(one.upper, attention, h, prompts, before) for h, one in enumerate(found))
    h = int(np.argmax(tops))
    worst = found[h]
    low = float_lower(outside(attention, h, before, prompts, worst.X, worst.T, worst.at, reads[h]).lower)
    top = max(tops)  # of one prompt and of all: were the first above, a bound would be wrong
    leakage = Estimate(End(Fraction(max(0.0, low))), End(Fraction(top)), Evidence.ENCLOSED)
    shape = None if codes is None or before else structure(attention, prompts, reads, codes)
    bound, made = (None, None) if shape is None or codes is None else _compared(statement, prompts.N, shape, codes)
    return Mechanism(
        statement, leakage, _computed(top, rounded, prompts.N), reads, tops, shape, bound, made, worst.X, worst.T,
        worst.at, h,
    )  # fmt: skip


def _top(upper: float, attention: Attention, h: int, prompts: Prompts, before: Sequence[Block]) -> float:
    """A bound of a head's leakage: differences of doubles do not know one far below their unit, sums of terms do."""
    found = max(0.0, min(1.0, upper))
    simple = prompts.tokens == "signs" and prompts.q == 1 and not before
    if simple and len(prompts.vertices) * prompts.N**3 <= TERMS:
        leaks = Leaks.of(attention.heads[h], attention.mask, prompts)
        found = min(found, max(float(leaks.at(t).max()) for t in range(prompts.N)))
    return found


def _computed(top: float, rounded: ModuleRounding, N: int) -> float:
    """What a head can leak in the module's own floats."""
    factor = max((one.factor for one in rounded.weights), default=1.0)
    if not np.isfinite(factor):
        return 1.0
    lost = N * max((one.underflow for one in rounded.weights), default=0.0)
    return float(min(1.0, np.nextafter(top * factor + lost, np.inf) * (1 + 1e-15)))


def _slots(attention: Attention, prompts: Prompts, slots: Sequence[int] | None) -> tuple[int, ...]:
    H, q = len(attention.heads), prompts.q
    if slots is None:
        size = [[_varied(head, s) for s in range(1, q + 1)] for head in attention.heads]
        return tuple(int(np.argmax(row)) + 1 if any(row) else h % q + 1 for h, row in enumerate(size))
    chosen = tuple(slots)
    if len(chosen) != H or not all(1 <= slot <= q for slot in chosen):
        raise DomainError(
            f"slots {chosen} of {H} heads", required=f"{H} numbers from 1 to q = {q}",
            why="each head reads one index slot", advice="slots=[…]",
        )  # fmt: skip
    return chosen


def _varied(head: Head, slot: int) -> float:
    table = head.scores.get((f"slot{slot}", PLACE))
    return 0.0 if table is None else float(_centred(table.mid).var())


def _centred(table: Array) -> Array:
    """Scores up to what no softmax sees, a number for each query."""
    return np.asarray(table - table.mean(axis=1, keepdims=True))


# -- on one prompt -----------------------------------------------------------------------------------------------------
def scores(
    attention: Attention, h: int, before: Sequence[Block], prompts: Prompts, X: Array, T: Indices, i: int
) -> Box:
    """Return the enclosed scores of one head at one position of a prompt, shape ``(1, N)``."""
    N = prompts.N
    fields: dict[str, Box] = {"x": exact(X), PLACE: exact(np.eye(N)), ONE: exact(np.ones((N, 1)))}
    fields |= {name: exact(np.eye(N)[T[:, s]]) for s, name in enumerate(prompts.slots)}
    for block in before:
        fields[block.out] = enclosed(block, fields, N)
    total = exact(np.zeros((1, N)))
    for (a, b), G in attention.heads[h].scores.items():
        query = Box(fields[a].mid[[i]], fields[a].rad[[i]])
        total = total + times(times(query, G), fields[b].T)
    return total


def outside(
    attention: Attention, h: int, before: Sequence[Block], prompts: Prompts, X: Array, T: Indices, i: int, slot: int
) -> Enclosure:
    """Return the weight of one head outside the position that a query asks for, on one prompt, enclosed."""
    t, row = int(T[i, slot - 1]), scores(attention, h, before, prompts, X, T, i)
    seen = np.ones(prompts.N, dtype=bool) if attention.mask is None else np.asarray(attention.mask[i], dtype=bool)
    if not seen[t]:
        return Enclosure(1)
    return weight_outside(Box(row.mid[:, seen], row.rad[:, seen]), int(seen[:t].sum()))


# -- against the construction ------------------------------------------------------------------------------------------
def structure(attention: Attention, prompts: Prompts, reads: Sequence[int], codes: Array) -> Structure | None:
    """Return what the scores of heads that read fields of the prompt are made of."""
    known = set(prompts.widths) | {ONE}
    if any(not {a, b} <= known for head in attention.heads for a, b in head.scores):
        return None
    unit = codes / np.linalg.norm(codes, axis=1).mean()
    gram = _centred(unit @ unit.T)
    rows = [_head(head.scores, slot, gram, prompts) for head, slot in zip(attention.heads, reads, strict=True)]
    return Structure(*zip(*rows, strict=True))


def _head(given: Mapping[tuple[str, str], Box], slot: int, gram: Array, p: Prompts) -> tuple[float, float, float]:
    moment = p.radius**2 * {"signs": 1.0, "box": 1 / 3, "ball": 1 / (p.d + 2)}[p.tokens]  # of one coordinate
    shared: dict[str, Array] = {}  # what every query has in common, by the key's field
    total, block = 0.0, np.zeros((p.N, p.N))
    for (a, b), G in given.items():
        if b == ONE:
            continue  # no softmax sees it
        # words of a key are uniform: their mean is the same at every key, as a number for the query is
        table = G.mid if b == "x" else _centred(G.mid)
        if a in (ONE, "x"):
            mean = table if a == ONE else np.zeros((1, table.shape[1]))
        else:
            mean = table.mean(axis=0, keepdims=True)
        shared[b] = shared.get(b, np.zeros((1, table.shape[1]))) + mean
        rest = table - mean if a not in (ONE, "x") else table * (a == "x")
        size = float((rest**2).sum()) * (moment if a == "x" else 1 / len(table))
        total += size * (moment if b == "x" else 1 / table.shape[1])
        if (a, b) == (f"slot{slot}", PLACE):
            block = rest
    common = {b: float((row**2).sum()) * (moment if b == "x" else 1 / row.size) for b, row in shared.items()}
    block = block + shared.get(PLACE, 0.0)  # the mean of a score, given the index and the key's position
    whole, square = total + sum(common.values()), float((gram**2).sum())
    inner, size = float((block * gram).sum()), float((block**2).mean())
    if not whole or not size or not square:
        return 0.0, 0.0, 0.0
    return inner / square, min(1.0, size / whole), min(1.0, inner**2 / square / gram.size / whole)


def _compared(statement: str, N: int, shape: Structure, codes: Array) -> tuple[float, float]:
    """The statement's bound, and what the construction leaks, at the least inverse temperature of the heads."""
    beta, rho = max(0.0, min(shape.beta)), coherence(codes)
    bound = float(bound_of(statement, STATEMENTS[statement])(N=N, beta=beta, rho=min(rho, 1.0)))
    return bound, construction_leakage(codes, beta)


def construction_leakage(codes: Array, beta: float) -> float:
    """Return, in doubles, what the construction on these codes leaks at an inverse temperature."""
    K = codes @ codes.T
    gaps = beta * (K - np.diag(K)[:, None]) / float(np.diag(K).mean())
    np.fill_diagonal(gaps, -np.inf)
    S = np.exp(np.minimum(gaps, 700.0)).sum(1).max()
    return float(S / (1 + S))


def coherence(codes: Array) -> float:
    """Return the largest cosine between two codes, in doubles."""
    unit = codes / np.linalg.norm(codes, axis=1, keepdims=True)
    K = unit @ unit.T
    np.fill_diagonal(K, -np.inf)
    return float(K.max())
