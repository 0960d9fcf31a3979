r"""The protocol of a one-layer attention model in real arithmetic: a margin :math:`\tau` makes the message finite.

Let :math:`|v|\le V`, logits in :math:`[-S,S]`, and let the answer, a function of the :math:`Hd_v` head outputs, be
constant within closed sup-distance :math:`\tau` of every attained output.  For each head Alice sends
:math:`o_A=N_A/D_A` as the midpoint of a cell of width :math:`\tau` of :math:`[-V,V]`, and :math:`\lambda_A=\ln D_A` as
that of a cell of width :math:`2\tau/V` of :math:`[\ln n_A-S,\ln n_A+S]` (nothing if :math:`S=0`).  The output is
:math:`wo_A+(1-w)o_B` with :math:`w=\sigma(\lambda_A-\lambda_B)`; as :math:`\sigma'\le\frac14`, :math:`w` moves by at
most :math:`\frac14\frac\tau V` and the output by at most :math:`\frac\tau2+2V\frac\tau{4V}=\tau`.  So Bob answers right
after

.. math:: B_R=H\bigl(d_v\lceil\log_2(2V/\tau+1)\rceil+\lceil\log_2(SV/\tau+1)\rceil\bigr)

bits, and :math:`B_R\ge\log_2\#\{\text{distinct rows}\}`: the margin of a single layer that compares strings of length
:math:`n` decays, :math:`\log_2\frac1\tau\ge\frac n{H(d_v+1)}-O(1+\log(V(1+S)))`.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), one-layer lower bounds, arXiv 2406.09347v1; this version is derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any

import numpy as np

from theorytools.arguments.checked import BODY, NonNegativeInt, Real, checked, ranks
from theorytools.constructions.attention.fixed_point import Integers, MarginAttention, admitted
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure, maximum
from theorytools.papers.sep.communication.margin_message import Share, bounded, cell_of, mixed, share_of
from theorytools.theory.communication.matrix import shared_inputs

Task = Callable[[Any, Any], Any]


@checked
def margin_bits(tau: Real, V: Real, S: Real, heads: NonNegativeInt = 1, width: NonNegativeInt = 1) -> int:
    r"""Return :math:`B_R` for exact :math:`\tau,V,S`, the formula of this module."""
    tau, V, S = Fraction(tau), Fraction(V), Fraction(S)
    if not (tau > 0 and V > 0 and S >= 0):
        given = f"tau = {tau}, V = {V}, S = {S}"
        raise DomainError(given, required="tau > 0, V > 0, S >= 0", why="cells have a width")
    return heads * (width * _length(2 * V / tau) + _length(S * V / tau))


def _length(cells: Fraction) -> int:
    """The least k with 2^k >= cells + 1."""
    return int(-(-(cells + 1).numerator // (cells + 1).denominator) - 1).bit_length()


@dataclass(frozen=True)
class CloseOutputs:
    r"""Two inputs that differ in Alice's string only, executed: one message, outputs within :math:`2\tau`.

    Bob's output is within :math:`\tau` of both, so an answer with the margin :math:`\tau` is the same on both; the
    targets differ, so the model is wrong on one of them, or its margin is smaller than it says.

    Attributes
    ----------
    x, other : Alice's two strings.
    y : Bob's string.
    message : the cells that Alice sends for either.
    distance : sup-distance of the two outputs of the model.
    targets : of the task.
    """

    x: tuple[int, ...]
    other: tuple[int, ...]
    y: tuple[int, ...]
    message: tuple[int, ...]
    distance: Enclosure
    targets: tuple[int, int]


def _cells(number: Callable[[], Enclosure], shift: Fraction, times: Fraction | int, width: Fraction) -> Enclosure:
    """The number, moved to be positive, in cells of this width over ``times``."""
    return (number() + shift) * times / width


@checked
@dataclass(frozen=True)
class MarginProtocol:
    """The protocol of a :class:`MarginAttention` and a partition of its positions into Alice's and Bob's.

    Bob owns all positions that are not Alice's; public tokens he knows anyway.

    Parameters
    ----------
    model : a :class:`MarginAttention`; anything else is refused by name.
    alice : her positions, some but not all.
    letters : size of the alphabet of strings; tokens are ``0 .. letters - 1``.

    Raises
    ------
    DomainError
        Where the model is not admitted with semantics R, or Alice has no position or all of them; later, for logits or
        values beyond their bounds and for strings whose length or alphabet does not match.

    References
    ----------
    Bhattamishra, Hahn, Blunsom, Kanade (2024), one-layer lower bounds, arXiv 2406.09347v1; this version is derived
    here.

    Examples
    --------
    >>> from theorytools.constructions.attention.attention_tables import MarginEquality
    >>> from theorytools.theory.communication.matrix import all_strings, equality
    >>> coarse = MarginProtocol(MarginEquality(4, Fraction(1, 2)), range(4))
    >>> found = coarse.wrong_pair(equality, all_strings(4), all_strings(4))
    >>> coarse.bits, found.x, found.other, float(found.distance)
    (3, (0, 0, 0, 0), (0, 0, 0, 1), 0.03125)
    """

    model: Annotated[MarginAttention, BODY]
    alice: Sequence[int]
    letters: NonNegativeInt = 2

    def __post_init__(self) -> None:
        if admitted(self.model).semantics != "R":
            given = f"{type(self.model).__name__} with semantics E"
            raise DomainError(given, required="semantics R", why="a margin", advice="OneLayerProtocol")
        if not 0 < len(set(self.alice)) < self.model.length or not set(self.alice) < set(range(self.model.length)):
            raise DomainError(f"Alice {list(self.alice)}", required="some of the positions", why="Bob has the others")

    @property
    def bob(self) -> list[int]:
        """Bob's positions."""
        return [j for j in range(self.model.length) if j not in set(self.alice)]

    @property
    def bits(self) -> int:
        """Bits of a message by the formula."""
        return margin_bits(self.model.tau, self.model.V, self.model.S, self.model.heads, self.model.width)

    def shares(self, tokens: Integers, positions: Sequence[int]) -> list[list[Share]]:
        """Return what a party knows of each head.

        Parameters
        ----------
        tokens : inputs, shape ``(k, length)``.
        positions : those of the party.

        Returns
        -------
        list : for each input the shares of all heads.

        Raises
        ------
        DomainError : logits or values beyond their bounds.
        """
        k, H = len(tokens), self.model.heads
        L = bounded(self.model.logits(tokens), "logits", (k, self.model.length, H), self.model.S)
        v = bounded(self.model.values(tokens), "values", (*L.shape, self.model.width), self.model.V)
        own = list(positions)
        return [[share_of(L[i, own, h], v[i, own, h]) for h in range(H)] for i in range(k)]

    def message(self, known: Sequence[Share]) -> tuple[int, ...]:
        r"""Return Alice's message, the numbers of the cells of :math:`o_A` and :math:`\lambda_A` for each head.

        Parameters
        ----------
        known : her shares, one for each head.

        Returns
        -------
        tuple of int : numbers of cells.

        Raises
        ------
        DomainError : another number of shares.
        """
        self._headed("shares", len(known), self.model.heads)
        V, S, tau = self.model.V, self.model.S, self.model.tau
        sent: list[int] = []
        for one in known:
            sent += [cell_of(partial(_cells, mean, V, 1, tau), 2 * V / tau) for mean in one.mean]
            sent += [cell_of(partial(_cells, one.excess, S, V, 2 * tau), S * V / tau)] if S else []
        return tuple(sent)

    def rebuilt(self, sent: Sequence[int | Fraction], his: Sequence[Share]) -> list[Enclosure]:
        """Return Bob's outputs, head by head, at the ambient precision.

        Parameters
        ----------
        sent : a message.
        his : his own shares, one for each head.

        Returns
        -------
        list of Enclosure : ``heads * width`` of them.

        Raises
        ------
        DomainError : another number of shares or cells.
        """
        V, S, tau, d = self.model.V, self.model.S, self.model.tau, self.model.width
        self._headed("shares", len(his), self.model.heads)
        self._headed("numbers of cells", len(sent), self.model.heads * (d + bool(S)))
        out: list[Enclosure] = []
        for h, bob in enumerate(his):
            own = sent[h * (d + bool(S)) :]
            middles = [Enclosure(-V + (own[c] + Fraction(1, 2)) * tau) for c in range(d)]
            log = Enclosure(len(self.alice)).log() + ((own[d] + Fraction(1, 2)) * 2 * tau / V - S if S else 0)
            out += mixed(middles, log, bob.means(), bob.log())
        return out

    def _headed(self, what: str, given: int, needed: int) -> None:
        if given != needed:
            required = f"{needed} for {self.model.heads} heads of width {self.model.width}"
            raise DomainError(f"{given} {what}", required=required, why="every head has its own")

    def error(self, tokens: Integers) -> Enclosure:
        """Return the largest distance of Bob's outputs from the model's: at most tau.

        Parameters
        ----------
        tokens : inputs, shape ``(k, length)``.

        Returns
        -------
        Enclosure : at the ambient precision.
        """
        bob = self.bob
        gaps: list[Enclosure] = []
        for hers, his in zip(self.shares(tokens, self.alice), self.shares(tokens, bob), strict=True):
            rebuilt = self.rebuilt(self.message(hers), his)
            exact = [o for a, b in zip(hers, his, strict=True) for o in mixed(a.means(), a.log(), b.means(), b.log())]
            gaps += [abs(one - other) for one, other in zip(rebuilt, exact, strict=True)]
        return maximum(gaps)

    def count(self, tokens: Integers) -> int:
        """Return the number of different messages of Alice over inputs ``(k, length)``."""
        return len({self.message(known) for known in self.shares(tokens, self.alice)})

    def inputs(self, x: Integers, y: Integers) -> Integers:
        """Return whole inputs.

        Parameters
        ----------
        x, y : strings of Alice and of Bob, ``(k, n_A)`` and ``(k, n_B)``.

        Returns
        -------
        array : shape ``(k, length)``.

        Raises
        ------
        DomainError : different numbers of strings, other lengths or another alphabet.
        """
        return shared_inputs(self.model.length, self.letters, (self.alice, x), (self.bob, y))

    @ranks(y=2)
    def wrong_pair(self, task: Task, x: Integers, y: Integers) -> CloseOutputs | None:
        """Return two inputs with one message and different targets, executed; None where there is no such pair.

        Parameters
        ----------
        task : ``task(x, y)``, broadcasting over leading axes.
        x, y : strings of Alice and of Bob to look among, ``(k, n_A)`` and ``(k', n_B)``.

        Returns
        -------
        CloseOutputs or None : their common message, the distance of their outputs and both targets.

        Raises
        ------
        CertificateError
            If the outputs are farther than two margins apart: then logits or values depend on Bob's tokens too.
        """
        seen: dict[tuple[int, ...], list[Integers]] = {}
        nothing = np.zeros((len(x), len(self.bob)), dtype=np.int64)
        for one, known in zip(x, self.shares(self.inputs(x, nothing), self.alice), strict=True):
            sent = self.message(known)
            for other in seen.setdefault(sent, []):
                targets = np.asarray(task(np.stack([other, one])[:, None], y[None]))
                for column in np.flatnonzero(targets[0] != targets[1])[:1].tolist():
                    return self._confirmed(other, one, y[column], sent, targets[:, column])
            seen[sent].append(one)
        return None

    def _confirmed(self, x: Integers, other: Integers, y: Integers, sent: tuple[int, ...], targets: Any) -> Any:
        tokens = self.inputs(np.stack([x, other]), np.stack([y, y]))
        parties = zip(self.shares(tokens, self.alice), self.shares(tokens, self.bob), strict=True)
        one, two = (
            [o for a, b in zip(hers, his, strict=True) for o in mixed(a.means(), a.log(), b.means(), b.log())]
            for hers, his in parties
        )
        distance = maximum([abs(a - b) for a, b in zip(one, two, strict=True)])
        if not distance.certainly_le(2 * self.model.tau):
            raise CertificateError(
                f"outputs {distance} apart after one message",
                required=f"at most {2 * self.model.tau}",
                why="a single layer sees Alice's means and normalisers only",
            )
        plain = [tuple(map(int, row)) for row in (x, other, y)]
        return CloseOutputs(plain[0], plain[1], plain[2], sent, distance, (int(targets[0]), int(targets[1])))
