r"""A recurrent network whose state is a codeword: constant operator norm and readout slope, risk 1 - 2/pi.

The payload signs :math:`b_k=\mathbb 1[x_k>0]` of the tokens read so far (the others 0) are encoded by a binary linear
code of length ``D = d_h``; the state is the unit vector :math:`h=D^{-1/2}(-1)^{\mathcal E(b)}`, :math:`r_h=1`,
:math:`U^\to=U^\leftarrow=I`.  A transition decodes, sets one bit and encodes.  With :math:`a=\sqrt{2/\pi}` and
:math:`\beta` the relative minimum distance, payload ``k`` is read by the McShane extension

.. math:: \Phi_k(v)=\min_c\{\pm_{c_k}a+\ell\|v-c\|\},\qquad\ell=\frac{2a}{2\sqrt\beta}=\sqrt{\frac2{\pi\beta}},

which is :math:`\ell`-Lipschitz and gives :math:`\pm a` on the codewords, the best value known from a sign:
:math:`E(x-a\operatorname{sign}x)^2=1-\frac2\pi`.  The own token is returned as it is, so the risk is
:math:`\frac{N-1}N(1-\frac2\pi)`.  By Gilbert and Varshamov a code of :math:`D=6N` with :math:`\beta=0.26441` exists for
every :math:`N`: there :math:`\ell\le1.552`, whatever :math:`N`.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Proposition 8, arXiv 2503.11272v1 (the network is derived here).
MacWilliams, Sloane (1977), The Theory of Error-Correcting Codes, chapter 1.
McShane (1934), Extension of range of functions, Bulletin of the AMS 40.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorytools.arguments.checked import ENTRIES, STEPS, NonNegativeInt, at_most, checked, ranks
from theorytools.codes.linear import LinearCode
from theorytools.constructions.network import DOUBLE, Network, absent
from theorytools.constructions.shapes import exact_array, indices
from theorytools.constructions.twin import twin
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure, minimum, pi, total

if TYPE_CHECKING:
    import torch

GILBERT_DISTANCE = Fraction(26441, 100_000)  # H(beta) <= 5/6: the rate 1/6 of D = 6N
_RUN = 8


@checked
@dataclass(frozen=True)
class CodeStateRNN(Network):
    r"""A bidirectional network on general 1STR that keeps the signs of the payloads in a codeword.

    Attributes
    ----------
    N, d_h : sequence length, and dimension of a state.
    beta : relative minimum distance of the code.
    code : the code, ``N`` generator rows of length ``d_h``; None where it is only known to exist.
    scale : factor on the slope :math:`\ell` of the readout (1; less no longer reads every codeword).

    Raises
    ------
    DomainError : sizes below 1, a distance outside (0, 1], a scale that is not positive, or a code of another size.

    Examples
    --------
    >>> from theorytools import LinearCode
    >>> word = LinearCode(np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=np.uint8))
    >>> net = CodeStateRNN(2, 4, Fraction(1, 2), word)
    >>> net.wrong(), round(float(net.risk()), 6), round(float(net.risk_bound()), 6)
    (Fraction(0, 1), 0.18169, 0.18169)
    """

    N: NonNegativeInt
    d_h: NonNegativeInt
    beta: Fraction
    code: LinearCode | None = None
    scale: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not (self.N >= 1 <= self.d_h and 0 < self.beta <= 1 and self.scale > 0):
            raise DomainError(
                f"N, d_h = {self.N, self.d_h}, beta = {self.beta}, scale = {self.scale}",
                required="N, d_h >= 1, 0 < beta <= 1, scale > 0",
                why="a code of N bits with a relative distance, and a slope",
            )
        if self.code is not None and (self.code.N, self.code.d_e) != (1 << self.N, self.d_h):
            raise DomainError(f"a code of dimension {self.code.d_e}", required=f"N bits in {self.d_h}", why="the state")

    @classmethod
    @at_most(N=ENTRIES, rate=ENTRIES, draws=STEPS)
    def drawn(
        cls, N: NonNegativeInt, rng: np.random.Generator, *, rate: NonNegativeInt = 6, draws: NonNegativeInt = 8
    ) -> CodeStateRNN:
        """Return the network of the best of several random codes, all words enumerated.

        Parameters
        ----------
        N : sequence length, at least 2.
        rng : generator of the codes.
        rate : length of a code over ``N``.
        draws : number of codes.

        Returns
        -------
        CodeStateRNN : with the code of largest minimum distance.

        Raises
        ------
        DomainError
            For ``N < 2`` or a ``rate`` or number of ``draws`` below 1.
        BudgetError
            If there are more than 2**24 words.
        """
        if N < 2 or rate < 1 or draws < 1:
            raise DomainError(f"N = {N}, rate {rate}, {draws} draws", required="N >= 2, rate >= 1, draws >= 1")
        identity = np.eye(N, dtype=np.uint8)  # systematic: the rows are independent
        codes = [
            LinearCode(np.hstack([identity, rng.integers(0, 2, (N, (rate - 1) * N), dtype=np.uint8)]))
            for _ in range(draws)
        ]
        best = max(codes, key=LinearCode.minimum_distance)
        return cls(N, best.d_e, Fraction(best.minimum_distance(), best.d_e), best)

    @classmethod
    def existing(cls, N: int) -> CodeStateRNN:
        r"""Return the numbers of the network with a code of length ``6 N`` that exists by counting.

        There are at most :math:`2^{D\,H(\beta)}` words of weight below :math:`\beta D`, and each of the :math:`2^N-1`
        messages is encoded to a given one with probability :math:`2^{-D}`: :math:`H(\beta)\le\frac56` leaves a code.

        Parameters
        ----------
        N : sequence length, at least 2.

        Returns
        -------
        CodeStateRNN : without a code; what needs one refuses.

        Raises
        ------
        DomainError : ``N < 2``.
        """
        if N < 2:
            raise DomainError(f"N = {N}", required="N >= 2")
        return cls(N, 6 * N, GILBERT_DISTANCE)

    def slope(self) -> Enclosure:
        r"""Return :math:`L\|U\|_{\mathrm{op}}=\ell=\sqrt{2/(\pi\beta)}` times ``scale``, at the ambient precision."""
        return (Enclosure(2) / (pi() * self.beta)).sqrt() * self.scale

    def frobenius(self) -> Enclosure:
        r"""Return :math:`\|U^\to\|_F+\|U^\leftarrow\|_F`; the maps are identities of order ``d_h``."""
        return Enclosure(self.d_h).sqrt() * sum(map(bool, self.written))

    @cached_property
    def kept(self) -> int:
        """The message bits that a transition keeps, as a mask: all of them."""
        return (1 << self.N) - 1

    @cached_property
    def written(self) -> tuple[int, int]:
        """The message bits that the forward and the backward transition write, as masks: all of them."""
        return self.kept, self.kept

    @cached_property
    def words(self) -> NDArray[np.float64]:
        """The sign vectors of all messages, shape ``(2**N, d_h)``; message bit ``k`` is the sign of payload ``k``.

        Raises
        ------
        BudgetError : no code is known, or ``N`` is too large for all messages to be run.
        """
        if self.code is None or self.N > _RUN:
            why = "every message, position and index is run"
            raise BudgetError(f"N = {self.N}", required=f"a drawn code and N <= {_RUN}", why=why)
        return self.code.rows(range(1 << self.N)).astype(np.float64)  # sums of signs are exact

    @ranks(states=2)
    def decode(self, states: NDArray[np.float64]) -> NDArray[np.int64]:
        r"""Return the messages of sign vectors: the nearest codeword.

        Parameters
        ----------
        states : states times :math:`\sqrt{d_h}`, shape ``(n, d_h)``.

        Returns
        -------
        array : integers below :math:`2^N`, shape ``(n,)``.
        """
        return np.asarray(np.argmax(states @ self.words.T, axis=1), dtype=np.int64)

    def states(self, backward: bool = False) -> NDArray[np.float64]:
        """Run all payload signs through one direction.

        Parameters
        ----------
        backward : from the last position to the first.

        Returns
        -------
        array : the states before each position, shape ``(N, 2**N, d_h)``, as signs.
        """
        messages = np.arange(1 << self.N)
        state = np.broadcast_to(self.words[0], (len(messages), self.d_h))
        result = np.empty((self.N, len(messages), self.d_h))
        for j in reversed(range(self.N)) if backward else range(self.N):
            result[j] = state
            state = self.words[(self.decode(state) & self.kept) | (messages & (1 << j) & self.written[backward])]
        return result

    @cached_property
    def values(self) -> NDArray[np.float64]:
        r"""What the readout gives at each word for each payload: :math:`\pm a`, shape ``(2**N, N)``."""
        bits = np.arange(1 << self.N)[:, None] >> np.arange(self.N) & 1
        return np.asarray((2 * bits - 1) * math.sqrt(2 / math.pi), dtype=np.float64)

    def prompt_states(self, X: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        r"""Return both states of every position, times :math:`\sqrt{d_h}`.

        Parameters
        ----------
        X : numbers as tokens, shape ``(n, N, 1)``.

        Returns
        -------
        tuple of arrays : forward and backward, each ``(n, N, d_h)``.

        Raises
        ------
        DomainError : another shape, or numbers that are not finite.
        """
        tokens = np.asarray(X)
        if tokens.ndim != 3 or tokens.shape[1:] != (self.N, 1) or not np.isfinite(tokens).all():
            raise DomainError(f"tokens of shape {tokens.shape}", required=f"numbers of shape (n, {self.N}, 1)")
        messages = (tokens[..., 0] > 0) @ (1 << np.arange(self.N))
        ahead, behind = (np.moveaxis(self.states(backward)[:, messages], 0, 1) for backward in (False, True))
        return ahead, behind

    def __call__(self, X: ArrayLike, T: ArrayLike) -> NDArray[np.float64]:
        """Return the predictions, shape ``(n, N)``, for tokens ``(n, N, 1)`` and indices ``(n, N, 1)``, in float64."""
        t, own = indices("T", T, self.N, len(np.asarray(X)), self.N, 1)[..., 0], np.arange(self.N)
        ahead, behind = self.prompt_states(X)
        state = np.where((t < own)[..., None], ahead, behind)
        distance = np.sqrt(2 * (self.d_h - state @ self.words.T) / self.d_h)  # of unit vectors
        extension = (self.values.T[t] + float(self.slope()) * distance).min(axis=-1)
        return np.where(t == own, np.asarray(X, dtype=np.float64)[..., 0], extension)

    def exact(self, X: Any, T: ArrayLike) -> NDArray[Any]:
        """Return a call on integers or Fractions by enclosures at the ambient precision, an object array."""
        tokens = exact_array("X", X, "n", self.N, 1)
        t, own = indices("T", T, self.N, len(tokens), self.N, 1)[..., 0], np.arange(self.N)
        ahead, behind = self.prompt_states(tokens.astype(np.float64))
        products = np.where((t < own)[..., None], ahead, behind) @ self.words.T
        slope, a = self.slope(), (Enclosure(2) / pi()).sqrt()
        steps = {p: slope * (Enclosure(2) * Fraction(int(self.d_h - p), self.d_h)).sqrt() for p in np.unique(products)}
        out = np.empty(t.shape, dtype=object)
        for place in np.ndindex(*t.shape):
            values = zip(self.values[:, t[place]], products[place], strict=True)
            read = minimum([steps[p] + (a if value > 0 else -a) for value, p in values])
            out[place] = tokens[place][0] if t[place] == place[1] else read
        return out

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        r"""Return a bound on the rounding of predictions: products of words are exact, the rest a few operations.

        A state is a word, so the least of the values :math:`\pm a+\ell\,\text{distance}` is at most
        :math:`a=\sqrt{2/\pi}<\frac45`, and where it is attained, exactly or in floats, :math:`\ell\,\text{distance}` is
        at most :math:`2a`.  That is off by 4.5 roundings (a quotient under a root 1.5, the slope 2, their product 1),
        :math:`a` by 3, their sum by one of at most :math:`a`: in all by at most :math:`13au<10.4u` to first order, and
        by :math:`12u` from :math:`u=2^{-6}` down, as :math:`(1+u)^8<\frac{12}{10.4}`.  A token that is returned is
        rounded once where it is no number of the type.
        """
        stored = u * size if size * u > 1 else 0.0
        return max(12 * u, stored) if self.d_h * u <= 1 and u <= 1 / 64 else math.inf

    certificate = absent("the error is random: risk() is its exact mean square")
    norms = absent("the network is three functions, not weights: slope() and frobenius() bound them")

    def sizes(self) -> dict[str, int]:
        """Return the dimension of a state and its bits: it has no parameters."""
        return {"width": self.d_h, "bits": self.N, "parameters": 0}

    @cached_property
    def reads(self) -> dict[tuple[int, int], int]:
        r"""Run everything: how often the payload sign is ``s`` and the readout sees the distance ``w``, by (s, w).

        ``w`` is the Hamming distance of the state from the nearest word whose bit ``k`` is 0.  At a codeword the
        extension has the value :math:`a\min(1,-1+2\sqrt{w/(\beta D)})`: the words of sign - give the second term, the
        word itself gives :math:`a` if its sign is +, and :math:`w=0` otherwise.  Payload ``k`` is read from the forward
        state for ``k < j``, from the backward state for ``k > j``.
        """
        counts: dict[tuple[int, int], int] = {}
        messages = np.arange(1 << self.N)
        both = self.states(), self.states(backward=True)
        for j in range(self.N):
            products = [direction[j] @ self.words.T for direction in both]
            for k in range(self.N):
                if k == j:
                    continue
                plus = messages >> k & 1 == 1
                w = np.rint((self.d_h - products[k > j][:, ~plus].max(axis=1)) / 2).astype(int)
                for sign, part in ((1, w[plus]), (-1, w[~plus])):
                    for value, count in zip(*np.unique(part, return_counts=True), strict=True):
                        key = (sign, int(value))
                        counts[key] = counts.get(key, 0) + int(count)
        return counts

    def wrong(self) -> Fraction:
        """Return the fraction of reads of another payload that miss the value of its sign, exactly."""
        right = self.beta * self.d_h / self.scale**2
        missed = sum(n for (sign, w), n in self.reads.items() if (w < right if sign > 0 else w > 0))
        return Fraction(missed, sum(self.reads.values()))

    def risk(self) -> Enclosure:
        r"""Return the risk of all these reads for Gaussian payloads, at the ambient precision.

        The value :math:`a\varphi` read for a payload of sign ``s`` costs
        :math:`1-\frac2\pi(2s\varphi-\varphi^2)`, since :math:`E|x|=a`; the own payload costs nothing.
        """
        costs = []
        for (sign, w), count in self.reads.items():
            level = (Enclosure(w) / (self.beta * self.d_h)).sqrt() * 2 * self.scale - 1
            level = minimum([level, 1])
            costs.append((1 - 2 / pi() * (level * 2 * sign - level**2)) * count)
        return total(costs) * Fraction(self.N - 1, self.N * sum(self.reads.values()))

    def risk_bound(self) -> Enclosure:
        r"""Return :math:`\frac{N-1}N(1-\frac2\pi)`, the risk of the honest network (any ``N``, nothing is run)."""
        return (1 - 2 / pi()) * Fraction(self.N - 1, self.N)

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a ``torch.nn.Module``, ``forward(X, T)``, that computes the same function; it has no parameters."""
        return twin("theorytools.papers.qstr.torch.code_state:CodeStateModule")(self, dtype, device)
