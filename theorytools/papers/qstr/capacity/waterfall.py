r"""Where the explicit generalisation bound loses: one factor per lemma, measured, and their product accounted for.

The bound is evaluated again and again, each time with one more of its ingredients replaced by what is true of Gaussian
tokens, a linear link and a given code; the last value is the population risk itself.  Every replacement lowers the
bound, and the product of the quotients is the whole loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from theorytools.arguments.checked import checked
from theorytools.codes.protocol import Code
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, maximum, total
from theorytools.papers.qstr.capacity.generalisation import GeneralisationBound
from theorytools.papers.qstr.capacity.token_norms import GaussianTokens


@checked
@dataclass(frozen=True)
class Loss:
    """What one lemma of the chain loses.

    Attributes
    ----------
    source, ingredient : the lemma, and what it bounds, in words.
    claimed, measured : the ingredient as the chain bounds it, and as it is.
    before, after : the bound on the risk with the one and with the other.
    """

    source: str
    ingredient: str
    claimed: Enclosure
    measured: Enclosure
    before: Enclosure
    after: Enclosure

    @property
    def factor(self) -> Enclosure:
        """By how much the bound on the risk is larger for it."""
        return self.before / self.after


@checked
@dataclass(frozen=True)
class Waterfall:
    """The losses of the chain in the order of their replacement, from the bound to the population risk."""

    rows: tuple[Loss, ...]

    @property
    def total(self) -> Enclosure:
        """The bound over the risk."""
        return self.rows[0].before / self.rows[-1].after

    def product(self, rows: Sequence[Loss] | None = None) -> Enclosure:
        """Return the product of the factors of these rows, of all unless given; that of all is the total."""
        result = Enclosure(1)
        for row in self.rows if rows is None else rows:
            result = result * row.factor
        return result


@checked
def waterfall(N: int, d: int, q: int, n: int, *, code: Code) -> Waterfall:
    r"""Return the losses of the chain from the bound (Dudley's form) to the risk, at the ambient precision.

    Tokens :math:`N(0,I_d)`, label :math:`q^{-1/2}\sum_h\langle u,x_{t_h}\rangle` with distinct uniform indices.

    Parameters
    ----------
    N, d, q, n : sequence length, token dimension, indexed tokens, training prompts.
    code : unit codes of coherence at most 1/2, no longer than Hoeffding's inequality asks of random signs.

    Returns
    -------
    Waterfall : the losses in the order of their replacement.

    Raises
    ------
    DomainError
        For another number of codes, a coherence above 1/2 or a longer code.

    Examples
    --------
    >>> from theorytools import hadamard
    >>> found = waterfall(16, 4, 1, 10**6, code=hadamard(16))
    >>> [row.source for row in found.rows][:2], round(float(found.product() / found.total), 6)
    (['Lemma 18', 'Lemma 20'], 1.0)
    """
    bound = GeneralisationBound(N=N, n=n, d=d, q=q)
    chained, single, cut = (bound.values(variant) for variant in ("dudley", "one-step", "clipped"))
    _admit(code, N, chained["d_e"])
    radius = gaussian_radius(d, n * N)
    short = replace(bound, d_e=code.d_e)
    gaussian = bound.values("clipped", given={"r_x": radius})
    coded = short.values("clipped", given={"r_x": radius})
    attention = FrozenAttention(code, coded["beta"])
    fit = (2 * coded["A"] * coded["B"] * coded["q"].sqrt() * radius * attention.leakage) ** 2
    fitted = short.values("clipped", given={"r_x": radius, "fit": fit})
    size = readout_size(fitted)
    frozen = short.values("clipped", given={"r_x": radius, "fit": fit, "Lambda": size})
    risk = attention.risk(q)
    rows = (
        ("Lemma 18", "Rademacher complexity: chaining, one covering", "complexity", chained, single),
        ("Lemma 20", "largest loss: from moments, clipped", "tau", single, cut),
        ("Lemma 12", "norm of a token: from moments, Gaussian", "r_x", cut, gaussian),
        ("Assumption 3", "length of a code: Hoeffding, this one", "d_e", gaussian, coded),
        ("Lemma 11", "risk of the construction: from coherence, from distances", "fit", coded, fitted),
        ("Proposition 17", "log covering number: all parameters, readouts only", "Lambda", fitted, frozen),
    )
    losses = [Loss(s, what, a[key], b[key], a["bound"], b["bound"]) for s, what, key, a, b in rows]
    last = Loss(
        "Corollary 19", "risk: bounded uniformly over readouts, exact", frozen["bound"], risk, frozen["bound"], risk
    )
    return Waterfall((*losses, last))


def _admit(code: Code, N: int, hoeffding: Enclosure) -> None:
    longer = hoeffding.certainly_lt(code.d_e) is not False
    if code.N != N or code.coherence() > Fraction(1, 2) or longer:
        raise DomainError(
            f"{code.N} codes of dimension {code.d_e} and coherence {code.coherence()}",
            required=f"{N} codes of dimension at most {float(hoeffding):.0f} and coherence at most 1/2",
            why="the bound is evaluated at coherence 1/2, where Hoeffding's inequality fixes the dimension",
        )


def gaussian_radius(d: int, count: int) -> Enclosure:
    r"""Return a radius that the longest of ``count`` Gaussian tokens exceeds with probability at most ``count**-1/2``.

    The least multiple of 1/64 in :math:`r^2` with a certificate.
    """
    tokens, allowed = GaussianTokens(d), 1 / Enclosure(count).sqrt()
    low, high = 0, 64
    while not _rare(tokens, count, high, allowed):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _rare(tokens, count, middle, allowed) else (middle, high)
    return Enclosure(Fraction(high, 64)).sqrt()


def _rare(tokens: GaussianTokens, count: int, step: int, allowed: Enclosure) -> bool:
    return tokens.failure(count, Fraction(step, 64)).certainly_le(allowed) is True


def readout_size(values: dict[str, Enclosure]) -> Enclosure:
    r"""Return the log covering number of linear readouts of :math:`q` retrieved tokens, :math:`\|w\|\le AB`.

    By volume, at the radius of the bound: :math:`qd\log(1+2AB\sqrt qr_x/\epsilon)`,
    :math:`\epsilon=1/(2\sqrt{\tau n})`.
    """
    reach = values["A"] * values["B"] * values["q"].sqrt() * values["r_x"]
    return values["q"] * values["d"] * (1 + 4 * reach * (values["tau"] * values["n"]).sqrt()).log()


@checked
@dataclass(frozen=True)
class FrozenAttention:
    r"""The attention weights of the construction, :math:`\pi_{tj}\propto e^{\beta G_{tj}}`, at a fixed temperature.

    Parameters
    ----------
    code : position codes.
    beta : effective inverse temperature, an enclosure.
    """

    code: Code
    beta: Enclosure

    def weights(self) -> list[list[Enclosure]]:
        r"""Return :math:`\pi_{tj}`, shape ``(N, N)``, at the ambient precision."""
        K, s = self.code.gram_numerators(), self.code.gram_denominator
        power = {int(k): (self.beta * Fraction(int(k) - s, s)).exp() for k in np.unique(K)}
        rows = [[power[k] for k in row] for row in K.tolist()]
        return [[w / mass for w in row] for row in rows for mass in [total(row)]]

    @property
    def leakage(self) -> Enclosure:
        r"""The largest weight outside the indexed position."""
        s = self.code.gram_denominator
        values, counts = self.code.gram_counts()
        power = [(self.beta * Fraction(int(k) - s, s)).exp() for k in values]
        worst = maximum(total(int(c) * w for c, w in zip(row, power, strict=True)) for row in np.unique(counts, axis=0))
        return worst / (1 + worst)

    def risk(self, q: int = 1) -> Enclosure:
        r"""Return the population risk of the true linear readout behind this attention.

        For standard Gaussian tokens, :math:`y=q^{-1/2}\sum_h\langle u,x_{t_h}\rangle`, :math:`\|u\|=1`, and distinct
        uniform indices, with :math:`v_t=\pi_t-e_t`,

        .. math:: R=\frac1q\mathbb E\Bigl\|\sum_hv_{t_h}\Bigr\|^2
                  =M+\frac{q-1}{N-1}\bigl(N\|\bar v\|^2-M\bigr),\qquad M=\frac1N\sum_t\|v_t\|^2 .
        """
        N = self.code.N
        if not 1 <= q <= N:
            raise DomainError(f"q = {q}", required=f"1 <= q <= N = {N}", why="the indices are distinct")
        pi = self.weights()
        outside = [[w for j, w in enumerate(row) if j != t] for t, row in enumerate(pi)]
        # (1 - pi_t)^2 as the square of a sum of small weights, not of a difference of numbers near 1
        M = total(total(rest) ** 2 + total(w**2 for w in rest) for rest in outside) / N
        if q == 1:
            return M
        mean = [(total(pi[t][j] for t in range(N) if t != j) - total(outside[j])) / N for j in range(N)]
        return M + Fraction(q - 1, N - 1) * (N * total(x**2 for x in mean) - M)
