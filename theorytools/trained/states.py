r"""How many bits a trained network's state holds of the tokens that it has read, enclosed, against what answers need.

:math:`P_\epsilon` is the largest number of states after :math:`m` tokens, over all tokens of a class, that are pairwise
more than :math:`\epsilon` apart in the Euclidean norm: the norm in which Proposition 35 of arXiv 2503.11272 asks the
read-out to be Lipschitz.  Enclosed is :math:`\log_2P_\epsilon` for the function that the weights define as real
numbers.

*Below*: prefixes whose boxes (:mod:`.recurrent`) are certainly more than :math:`\epsilon` apart, taken one by one.
*Above*: of the states in a set of diameter :math:`\epsilon` at most one is counted, so :math:`P_\epsilon` is at most
the number of such sets that hold all states: sets of prefixes where all are listed; else pieces of the boxes to which
the last :math:`k` tokens, listed, lead from a box of all states before them, for the best :math:`k`.  For signs it is
at most the number of prefixes, too.

*What answers need.*  The question, one of the :math:`m` positions, comes after the state is fixed.  The tokens are
independent uniform signs, the answers have mean square error :math:`c` at a uniform position, and they are
:math:`\Lambda`-Lipschitz in the state.  A largest set of states that are more than :math:`\epsilon` apart has every
state within :math:`\epsilon` of one of its :math:`P_\epsilon` members, for otherwise it could be larger.  Answers from
that member have mean square error at most :math:`D=(\sqrt c+\Lambda\epsilon)^2`.  Choose :math:`J` entries of a token
and tell everybody the others; the :math:`2^J` labels that are left are pairwise at least :math:`g` apart, and the one
nearest to the answer is wrong only where the answer is off by :math:`g/2`: with probability at most :math:`4D/g^2` on
average over positions.  The member is a function of the tokens with :math:`P_\epsilon` values, the chosen entries of
the positions are independent of each other and of what was told, and Fano's bound is concave and rises up to
:math:`1-2^{-J}`; so with :math:`p=\min(4D/g^2,1-2^{-J})`

.. math:: \log_2P_\epsilon\ge\sum_{t\le m}I(x_t;\text{member})\ge m\bigl(J-h(p)-p\log_2(2^J-1)\bigr).

So where the upper end is below this for some :math:`J`, no :math:`\Lambda`-Lipschitz read-out of this state has the
risk :math:`c`.  The other direction is not claimed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np

from theorytools.arguments.checked import BODY, PositiveInt, checked
from theorytools.claims.language.estimate import Estimate
from theorytools.errors import BudgetError, DomainError
from theorytools.notebook import fields_html
from theorytools.numbers import float_lower
from theorytools.numbers.boxes import Box
from theorytools.theory.memory.fano import fano_bits
from theorytools.trained.certify import interval
from theorytools.trained.checkpoint import Array, rounded_codes
from theorytools.trained.recurrent import FUDGE, LARGEST, Boxes, TrainedCell, bounded, separated, sets_of
from theorytools.trained.running import RunningCell
from theorytools.trained.worst.prompts import Indices

STATEMENT = "qstr.proposition_35"
COMPARED = 8  # prefixes on which the module is held against its weights
RESOLUTIONS = (1e-30, 1e30)  # finer ones drown in what the boxes add for underflow
BITS = 10_000  # of a prefix, and of a count of states


@dataclass(frozen=True, eq=False)
class StatePair:
    """Two prefixes whose states nearly agree, run on the module.

    Attributes
    ----------
    X : the tokens of both, ``(2, m, d)``.
    distance : of the two states in the module's own arithmetic, observed.
    labels : the largest difference of what can be asked: of labels, or of a token's entries without a direction.
    """

    X: Array
    distance: float
    labels: float

    _repr_html_ = fields_html


@dataclass(frozen=True, eq=False)
class StateCertificate:
    r"""What is proved of the states of a trained recurrent network; made by :func:`certify_states`.

    Attributes
    ----------
    statement, kind, dtype : the statement, the cell, the type of the weights.
    m, d, size : tokens read, their dimension, numbers in a state.
    tokens, radius : the class, ``"signs"`` or ``"box"``, with the radius in the type of the weights.
    resolution : :math:`\epsilon`.
    bits : an enclosure of :math:`\log_2P_\epsilon`.
    states : the two ends of :math:`P_\epsilon` itself.
    listed : how many prefixes were run through the boxes.
    need : the bits that answers of the given risk and Lipschitz constant need at least, or None.
    pair : two prefixes with states within the resolution whose labels differ most, of those looked at, or None.
    """

    statement: str
    kind: str
    dtype: str
    m: int
    d: int
    size: int
    tokens: str
    radius: float
    resolution: float
    bits: Estimate
    states: tuple[int, int]
    listed: int
    need: float | None
    pair: StatePair | None

    _repr_html_ = fields_html

    @property
    def too_small(self) -> bool:
        """Whether the state certainly holds less than is needed; False also where nothing is known."""
        return self.need is not None and self.bits.floats[1] < self.need

    def to_json(self) -> dict[str, Any]:
        """Return JSON data: bounds as doubles that were rounded outward, counts only where a double holds them."""
        plain = ("statement", "kind", "dtype", "m", "d", "size", "tokens", "radius", "resolution", "listed", "need")
        pair = self.pair
        told = None if pair is None else {"X": pair.X.tolist(), "distance": pair.distance, "labels": pair.labels}
        counts = list(self.states) if self.states[1] < 2**53 else None
        return {**{name: getattr(self, name) for name in plain}, "bits": list(self.bits.floats), "states": counts,
                "too_small": self.too_small, "pair": told}  # fmt: skip


@checked
def certify_states(
    module: Annotated[Any, BODY],
    m: PositiveInt | None = None,
    *,
    resolution: float,
    tokens: Annotated[str, BODY] = "signs",
    radius: float = 1.0,
    codes: Annotated[Any, BODY] = None,
    direction: Annotated[Any, BODY] = None,
    q: PositiveInt = 1,
    indices: Annotated[Any, BODY] = None,
    risk: float | None = None,
    lipschitz: float | None = None,
    limit: PositiveInt = 4096,
) -> StateCertificate:
    r"""Return an enclosure of the bits that a recurrent network's state holds of its tokens, and what answers need.

    Parameters
    ----------
    module : a ``torch.nn`` GRU, LSTM or RNN of one layer or its cell, the sweeps' ``Recurrent``
        (:mod:`theorytools.training.networks`), or such weights by name, as
        :func:`~theorytools.trained.checkpoint.read_checkpoint` returns them.  The forward direction is read.
    m : how many tokens the state has seen; one less than there are codes unless given.
    resolution : :math:`\epsilon`, the Euclidean distance beyond which two states count as different.
    tokens, radius : the class: ``"signs"`` :math:`\pm r` or ``"box"`` :math:`|x_k|\le r`.
    codes, direction : as for :func:`~theorytools.trained.certify.certify`; without codes a token is fed alone.
    q : index slots, where no direction tells.
    indices : the indices of these tokens, ``(m, q)``, from 0; all 0 unless given.  The tokens vary, these do not.
    risk, lipschitz : the mean square error :math:`c` of answers about a uniform one of the tokens, with these indices,
        and a Lipschitz constant of the answers in the state; both, with signs and a direction, for ``need``.
    limit : the most prefixes that are listed; fewer where they are long.

    Returns
    -------
    StateCertificate : the enclosure, and two prefixes with nearly one state.

    Raises
    ------
    CertificateError
        If the module returns other states than its weights define.
    DomainError
        For weights of no cell that is known, NaN, a class without a bound, states beyond doubles.
    BudgetError
        For prefixes of more than 10,000 bits, or a resolution at which a state may hold more.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Proposition 35, arXiv 2503.11272v1; this form is derived here.

    Examples
    --------
    >>> weights = {"cell.weight_ih": np.array([[1.0]]), "cell.weight_hh": np.array([[2.0]])}  # h' = relu(x + 2 h)
    >>> certify_states(weights, 3, resolution=0.5).states  # 0, 1, 3, 5 and 7
    (5, 5)
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what is no number, or too large, is refused
        cell = TrainedCell.of(module, codes=codes, direction=direction, q=q)
        ask = _Asked.of(cell, m, tokens, radius, resolution, indices, limit)
        need = ask.need(risk, lipschitz)
        X, run = ask.prefixes(), RunningCell.of(cell, module)
        run.compare(X[np.linspace(0, len(X) - 1, min(COMPARED, len(X))).astype(np.int64)], ask.T)
        boxes = ask.boxes(X)
        if not bounded(boxes):
            raise _beyond()
        low, near = separated(boxes, resolution)
        high = ask.at_most(boxes)
    return StateCertificate(
        STATEMENT, cell.kind, cell.dtype, ask.m, cell.d, cell.size, tokens, ask.radius, resolution, _bits(low, high),
        (low, high), len(X), need, _pair(ask, run, X, near),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is asked of a cell."""

    cell: TrainedCell
    m: int
    tokens: str
    radius: float
    T: Indices
    resolution: float
    limit: int

    @classmethod
    def of(
        cls, cell: TrainedCell, m: int | None, tokens: str, radius: float, resolution: float, indices: Any, limit: int
    ) -> _Asked:
        if tokens not in ("signs", "box"):
            raise DomainError(
                f"tokens of the class {tokens!r}", required="signs or box", advice='tokens="signs"',
                why="without a bound on tokens there is no largest set of states; balls are not read here",
            )  # fmt: skip
        stored = float(rounded_codes(np.array([radius]), cell.dtype)[0])
        if not (np.isfinite(stored) and stored > 0):
            raise DomainError(
                f"radius = {radius}", required=f"a finite radius > 0 in {cell.dtype}", why="tokens are bounded by it"
            )
        if not RESOLUTIONS[0] <= resolution <= RESOLUTIONS[1]:
            raise DomainError(
                f"resolution = {resolution}", required="between {:g} and {:g}".format(*RESOLUTIONS),
                why="states are told apart by it, in doubles",
            )  # fmt: skip
        N = None if cell.codes is None else len(cell.codes)
        m = N - 1 if m is None and N is not None else m
        if m is None or m < 1 or (N is not None and m > N):
            raise DomainError(
                f"m = {m}", required="how many tokens the state has read, at least 1" + (f", at most {N}" if N else ""),
                why="the prompt ends with the codes" if N else "without codes nothing tells how long a prompt is",
                advice="certify_states(module, 6, …), or --m 6",
            )  # fmt: skip
        if m * cell.d > BITS:
            raise BudgetError(f"{m} tokens of dimension {cell.d}", required=f"m d <= {BITS}", why="prefixes are listed")
        return cls(cell, m, tokens, stored, _indices(cell, m, indices), resolution, limit)

    @property
    def total(self) -> int:
        """How many prefixes of signs there are."""
        return 1 << (self.m * self.cell.d)

    @property
    def most(self) -> int:
        """How many prefixes may be listed: as many as are asked for, in at most about 4 million numbers."""
        return max(1, min(self.limit, 2**22 // (self.m * self.cell.d)))

    def prefixes(self) -> Array:
        """All prefixes of signs, or as many as may be listed: last tokens varied, first ones, and a walk over all."""
        bits, share = self.m * self.cell.d, max(1, self.most // 3)
        if self.total <= self.most:
            return self._signs(range(self.total), self.m)
        some = share.bit_length() - 1
        step = self.total * 618 // 1000 | 1
        parts = (range(1 << some), (k << (bits - some) for k in range(1 << some)),
                 (k * step % self.total for k in range(share)))  # fmt: skip
        return self._signs(sorted(set(itertools.chain(*parts))), self.m)

    def _signs(self, numbers: Any, count: int) -> Array:
        """Prefixes of ``count`` tokens from the bits of numbers; the lowest bits are those of the last token."""
        bits = count * self.cell.d
        flags = np.array([[(n >> k) & 1 for k in reversed(range(bits))] for n in numbers], dtype=np.float64)
        return np.asarray(self.radius * (2 * flags - 1)).reshape(len(numbers), count, self.cell.d)

    def boxes(self, X: Array, start: Box | None = None) -> Box:
        """Return the states after the last tokens ``X`` ``(count, k, d)``, from a box of all states before them."""
        boxes, zero = Boxes(self.cell), np.zeros(X.shape[::2])
        first = boxes.start(1) if start is None else start
        first = Box(np.repeat(first.mid, len(X), 0), np.repeat(first.rad, len(X), 0))
        given = self.cell.given(self.T)[self.m - X.shape[1] :]
        return boxes.after(first, (Box(x, zero) for x in X.swapaxes(0, 1)), given)

    def hulls(self) -> list[Box]:
        """Return boxes of all states after 0, 1, …, m tokens of the class."""
        boxes, d = Boxes(self.cell), self.cell.d
        whole, found = Box(np.zeros((1, d)), np.full((1, d), self.radius)), [boxes.start(1)]
        for rest in self.cell.given(self.T):
            found.append(boxes.step(found[-1], whole, rest))
        return found

    def at_most(self, boxes: Box) -> int:
        """Return an upper bound of the number of states that are pairwise further apart than the resolution.

        ``boxes`` are those of the prefixes that were listed.
        """
        found = [self.total] if self.tokens == "signs" else []
        if self.tokens == "signs" and len(boxes.mid) == self.total:
            found.append(sets_of(boxes, self.resolution))
        else:
            listed, hulls = range(self.m) if self.tokens == "signs" else range(1), self.hulls()
            for k in itertools.takewhile(lambda k: 1 << (k * self.cell.d) <= self.most, listed):
                left = self.boxes(self._signs(range(1 << (k * self.cell.d)), k), hulls[self.m - k])
                if bounded(left):
                    found.append(sets_of(left, self.resolution))
        if not found:
            raise _beyond()
        if min(found) > 1 << BITS:
            raise BudgetError(
                f"a resolution of {self.resolution:g}", required=f"at most {BITS} bits in a state",
                why="so many states cannot be told from each other here", advice="a coarser resolution",
            )  # fmt: skip
        return min(found)

    def need(self, risk: float | None, lipschitz: float | None) -> float | None:
        """Return the bits that answers need, rounded down; None where no risk is asked for."""
        if risk is None and lipschitz is None:
            return None
        u = self.cell.u
        if u is None or self.tokens != "signs" or risk is None or lipschitz is None or min(risk, lipschitz) < 0:
            raise DomainError(
                f"risk = {risk}, lipschitz = {lipschitz}" + ("" if u is not None else ", no direction")
                + ("" if self.tokens == "signs" else f", tokens {self.tokens}"),
                required="both at least 0, a direction, and signs",
                why="the need is that of labels <u, x> of uniform signs, read by a Lipschitz read-out",
                advice="direction=…, risk=…, lipschitz=…",
            )  # fmt: skip
        root = math.sqrt(risk) + lipschitz * self.resolution
        error = root * root * FUDGE + 1e-300 if root else 0.0
        sizes = np.sort(np.abs(u))[::-1] * self.radius
        return max(_needed(self.m, error, gap, J) for J, gap in enumerate(_gaps(sizes), 1))


def _indices(cell: TrainedCell, m: int, indices: Any) -> Indices:
    if indices is None:
        return np.zeros((m, cell.q), dtype=np.int64)
    codes = 1 if cell.codes is None else len(cell.codes)
    try:
        T = np.asarray(indices)
    except ValueError:  # rows of several lengths
        T = np.asarray(None)
    if T.shape != (m, cell.q) or (T.size and not (T.dtype.kind in "iu" and T.min() >= 0 and T.max() < codes)):
        raise DomainError(
            f"indices of shape {T.shape} and type {T.dtype}",
            required=f"integers from 0 to {codes - 1}, shape ({m}, {cell.q})",
            why="each token is fed with the codes of its indices",
        )  # fmt: skip
    return T.astype(np.int64)


def _needed(m: int, error: float, gap: float, J: int) -> float:
    """The bits about ``m`` of ``2^J`` labels, ``gap`` apart, that answers of this mean square error hold at least."""
    chance = 1 - Fraction(1, 2**J)
    square = gap * gap / FUDGE
    wrong = 4 * error / square * FUDGE if square > 0 else math.inf
    return max(0.0, float_lower((m * fano_bits(Fraction(wrong), 2**J)).lower)) if wrong < chance else 0.0


def _gaps(sizes: Array) -> Iterator[float]:
    """The least distance of two sums of the first ``J`` sizes with signs, rounded down, for J = 1, 2, … to 12."""
    levels = np.zeros(1)
    for size in sizes[:12]:
        levels = np.sort(np.concatenate([levels - size, levels + size]))
        yield max(0.0, float(np.diff(levels).min()) - 1e-12 * float(sizes.sum()))


def _beyond() -> DomainError:
    return DomainError(
        "states beyond doubles", required=f"states below {LARGEST:g}", why="their distances are bounded in doubles",
        advice="fewer tokens: a cell that grows over each of them loses all doubles at last",
    )  # fmt: skip


def _bits(low: int, high: int) -> Estimate:
    ends = [math.log2(low), math.log2(high)]  # within a unit of the last place; powers of two exactly
    down, up = (0 if n & (n - 1) == 0 else 4 * abs(x) * 2.0**-52 for n, x in zip((low, high), ends, strict=True))
    return interval(max(0.0, ends[0] - down), ends[1] + up)


def _pair(ask: _Asked, run: RunningCell, X: Array, near: list[tuple[int, Indices]]) -> StatePair | None:
    """Return the prefixes of nearly one state whose labels differ most, of those that were compared."""
    u = np.eye(ask.cell.d) if ask.cell.u is None else ask.cell.u[:, None]
    values, best = X @ u, (0.0, 0, 0)
    for i, others in (one for one in near if one[1].size):
        gaps = np.abs(values[others] - values[i]).max((1, 2))
        best = max(best, (float(gaps.max()), i, int(others[int(np.argmax(gaps))])))
    gap, i, j = best
    if not gap:
        return None
    states = run.states(X[[i, j]], ask.T)
    return StatePair(X[[i, j]], float(np.linalg.norm(states[0] - states[1])), gap)
