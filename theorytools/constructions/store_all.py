r"""A recurrent network that stores every payload in a slot of its own: width linear in the sequence length.

The forward state holds the payloads of the tokens already read, the backward state those still to come, each in its
slot, :math:`U^\to=U^\leftarrow=I`.  The readout returns the slot that the index names, from whichever state fills it,
or the payload of the own token; as the sum of two slots it is :math:`\sqrt2`-Lipschitz, so :math:`L=\sqrt2\,r_h`.
States are projected on the ball of radius :math:`r_h`.  The forward state never needs slot ``N`` and the backward state
never slot 1: ``N - 1`` slots suffice.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Proposition 8, arXiv 2503.11272v1 (the network is derived here).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from theorytools.algebra.rigorous import Enclosure
from theorytools.errors import DomainError


@dataclass(frozen=True)
class StoreAll:
    r"""A bidirectional network on general 1STR with one slot per payload.

    Attributes
    ----------
    N : sequence length.
    d_h : slots of each state: the first ones of the forward, the last ones of the backward state.
    radius2 : :math:`r_h^2`, more than :math:`N+2`.
    """

    N: int
    d_h: int
    radius2: Fraction

    def __post_init__(self) -> None:
        if not (self.N >= 2 and 1 <= self.d_h <= self.N and self.radius2 > self.N + 2):
            given = f"N = {self.N}, {self.d_h} slots, r_h^2 = {self.radius2}"
            raise DomainError(given, required="N >= 2, 1 <= slots <= N, r_h^2 > N + 2")

    def changed(self, **changes: object) -> StoreAll:
        """Return this network with some attributes replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def slope(self) -> Enclosure:
        r"""Return :math:`L\|U\|_{\mathrm{op}}=\sqrt2\,r_h`."""
        return Enclosure(2 * self.radius2).sqrt()

    def frobenius(self) -> Enclosure:
        r"""Return :math:`\|U^\to\|_F+\|U^\leftarrow\|_F=2\sqrt{d_h}`."""
        return 2 * Enclosure(self.d_h).sqrt()

    def risk_bound(self) -> Enclosure:
        r"""Return an upper bound of the risk of all ``N`` (or ``N - 1``) slots for Gaussian payloads ``v``.

        A payload is off, by at most its own size, only if a projection is active:

        .. math:: R\le E\frac1N\|v\|^2\mathbb 1[\|v\|^2>r_h^2]=\Pr(\chi^2_{N+2}>r_h^2)\le(xe^{1-x})^{(N+2)/2},
                  \qquad x=\frac{r_h^2}{N+2}>1 .
        """
        x = self.radius2 / (self.N + 2)
        return (Enclosure(x) * Enclosure(1 - x).exp()) ** Fraction(self.N + 2, 2)

    def lost(self) -> Fraction:
        """Return the fraction of wrong reads when the payloads 1, …, N are run and every index asked, exactly."""
        payloads, wrong = np.arange(1, self.N + 1), 0
        shift = self.N - self.d_h
        for j in range(self.N):
            forward, backward = np.zeros((2, self.d_h), dtype=np.int64)
            forward[: min(j, self.d_h)] = payloads[: min(j, self.d_h)]
            backward[max(j + 1 - shift, 0) :] = payloads[max(j + 1, shift) :]
            answers = np.append(forward, [0] * shift) + np.append([0] * shift, backward)
            answers[j] = payloads[j]
            wrong += int((answers != payloads).sum())
        return Fraction(wrong, self.N**2)
