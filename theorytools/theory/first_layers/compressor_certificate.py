r"""What one first layer lets any fully-connected network know about the mean of the selected tokens.

With :math:`P` the projector on the kernel of the first layer :math:`W_1` and the second moment
:math:`M=\frac1{q^2}E[\mathbf 1_y\mathbf 1_y^\top]\otimes I_d=\lambda I+(\frac1T-\lambda)J`, where :math:`J` projects on
:math:`\mathbf 1\otimes\mathbb R^d` and :math:`\lambda=\frac{T-q}{qT(T-1)}`, every network
:math:`h(W_1\operatorname{vec}X,y)` on independent :math:`N(0,I_d)` tokens loses at least

.. math:: \operatorname{tr}PM=\lambda(Td-\operatorname{rank}W_1)+\bigl(\tfrac1T-\lambda\bigr)
    \bigl(d-\operatorname{tr}\Pi J\bigr),\qquad \Pi=I-P,

and the conditional mean attains it.  Floats are the binary fractions that they are, so a trained layer has an exact
certificate.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import (
    ENTRIES,
    STEPS,
    NonNegativeInt,
    Numbers,
    PositiveInt,
    Real,
    at_most,
    checked,
    ranks,
)
from theorytools.errors import BudgetError, DomainError
from theorytools.notebook import fields_html
from theorytools.numbers import first_independent, over_one, rational_rank, shortest_fraction, solve_rational
from theorytools.theory.first_layers.bottleneck import compressor_eigenvalues, compressor_risk
from theorytools.theory.first_layers.certified_span import exact_matrix

Exact = NDArray[Any]


_PROMPTS = 2**14  # sign prompts that are enumerated


@dataclass(frozen=True)
class CompressorCertificate:
    r"""What is proved of one first layer; made by :func:`certify_compressor`.

    Attributes
    ----------
    m, rank : neurons, and independent ones among them.
    risk : :math:`\operatorname{tr}PM`, the least loss of any network with this first layer.
    width_risk : :math:`R_m`, the least loss of any network with ``m`` neurons there; at most ``risk``.
    """

    m: NonNegativeInt
    rank: int
    risk: Fraction
    width_risk: Fraction

    _repr_html_ = fields_html


@checked
def certify_compressor(W: Numbers, *, T: int, d: int, q: int, tokens: str = "gaussian") -> CompressorCertificate:
    """Return the exact lower bound of the loss of every network with the first layer ``W``.

    Parameters
    ----------
    W : first layer, shape ``(m, T d)`` (columns of token 1 first) or ``(m, T, d)``: the weights on the prompt;
        those on an encoding of the subset, and biases, do not matter.  Integers, fractions or floats.
    T, d, q : number of tokens, their dimension, number of selected tokens.
    tokens : the law of a token; only ``"gaussian"``.

    Returns
    -------
    CompressorCertificate : the bound and what it rests on.

    Raises
    ------
    DomainError
        For tokens of another law, weights that are not finite, and shapes or sizes that do not fit.

    References
    ----------
    Wang, Wei, Hsu, Lee (2024), fcn, arXiv 2406.06893v1.  The certificate is derived here.

    Examples
    --------
    >>> found = certify_compressor([[1, 1, 1]], T=3, d=1, q=1)  # the sum of three tokens
    >>> found.risk, found.width_risk
    (Fraction(2, 3), Fraction(2, 3))
    """
    least = compressor_risk(len(W), T, d, q, tokens=tokens)
    (top, _), (rest, _) = compressor_eigenvalues(T, d, q)
    R = _kernel_rows(W, T * d)
    # tr(Pi J) = (1/T) sum_k c_k' (RR')^-1 c_k with c_k = R (1 (x) e_k), the sums of the rows over the tokens
    seen = Fraction(0)
    if len(R):
        c = R.reshape(len(R), T, d).sum(axis=1)
        seen = (c * np.array(solve_rational(R @ R.T, c), dtype=object)).sum() / Fraction(T)
    risk = rest * (T * d - len(R)) + (top - rest) * (d - seen)
    return CompressorCertificate(len(W), len(R), risk, least)


def _kernel_rows(W: Any, columns: int) -> Exact:
    """Return the first independent rows of a layer, each scaled to integers, which does not change its kernel."""
    A = exact_matrix(W, columns, "W")
    return np.array([over_one(A[k])[0] for k in first_independent(A)], dtype=object).reshape(-1, columns)


@checked
@at_most(T=ENTRIES, d=ENTRIES, q=ENTRIES)
def selection_moment(T: PositiveInt, d: PositiveInt, q: PositiveInt) -> Exact:
    r"""Return :math:`M=\frac1{q^2}E[\mathbf 1_y\mathbf 1_y^\top]\otimes I_d` by counting all subsets, ``(Td, Td)``."""
    counts = np.zeros((T, T), dtype=object)
    for y in combinations(range(T), q):
        counts[np.ix_(y, y)] += 1
    return np.kron(counts * Fraction(1, q * q * comb(T, q)), np.eye(d, dtype=int).astype(object))


@checked
@ranks(M=2)
def multiplicity(M: Exact, eigenvalue: Fraction) -> int:
    """Return the dimension of the eigenspace of a rational matrix, by elimination; 0 if it is no eigenvalue."""
    shifted = M - eigenvalue * np.eye(len(M), dtype=int)
    return len(M) - (rational_rank(shifted) if shifted.any() else 0)


@checked
@at_most(q=ENTRIES)
def conditioned_risk(W: Numbers, *, T: int, d: int, q: PositiveInt) -> Fraction:
    r"""Return :math:`E_y\operatorname{tr}\operatorname{Cov}(s\mid W\operatorname{vec}X,y)` by Gaussian conditioning.

    For every subset the covariance :math:`A_yA_y^\top-C^\top(RR^\top)^{-1}C` with :math:`C=RA_y^\top`, the
    covariances of target and layer: a second route to the certificate that uses neither :math:`M` nor its eigenvalues.
    """
    R = _kernel_rows(W, T * d)
    total = Fraction(d, q) * comb(T, q)
    for y in combinations(range(T), q) if len(R) else ():
        C = R.reshape(len(R), T, d)[:, list(y)].sum(axis=1) * Fraction(1, q)
        total -= (C * np.array(solve_rational(R @ R.T, C), dtype=object)).sum()
    return total / comb(T, q)


@checked
def uniform_pair_risk(ratio: Real, *, d: NonNegativeInt = 1) -> Fraction:
    r"""Return the least loss for two uniform tokens, one selected, behind the neurons :math:`x_1+\rho x_2`.

    Coordinates are uniform on :math:`[-\sqrt3,\sqrt3]`, variance 1, and :math:`0\le\rho\le1` is rational.  On
    :math:`[-1,1]^2` the line :math:`x+\rho y=u` leaves :math:`y` uniform on an interval of length 2 for
    :math:`|u|\le1-\rho` and :math:`(1+\rho-|u|)/\rho` beyond.  With the mean :math:`4-2\rho` of the squared length the
    loss is :math:`\frac d2(1+\rho^2)(1-\frac\rho2)`, for :math:`0<\rho<1` less than the :math:`\frac d2` of Gaussian
    tokens.

    Raises
    ------
    DomainError
        Unless :math:`0\le\rho\le1`.
    """
    rho = shortest_fraction(ratio)
    if not 0 <= rho <= 1:
        raise DomainError(f"ratio = {ratio}", required="0 <= ratio <= 1", advice="exchange the two tokens")
    return Fraction(d, 2) * (1 + rho**2) * (1 - rho / 2)


@checked
@at_most(T=STEPS, d=STEPS, q=ENTRIES)
def discrete_risk(W: Numbers, *, T: NonNegativeInt, d: NonNegativeInt, q: PositiveInt) -> Fraction:
    r"""Return the least loss of any network with first layer ``W`` when tokens are uniform signs :math:`\{\pm1\}^d`.

    The variance of :math:`s` within each set of prompts that the layer does not tell apart, over all :math:`2^{Td}`
    prompts and all subsets.

    Raises
    ------
    BudgetError
        For more than :math:`2^{14}` prompts.
    """
    if 2 ** (T * d) > _PROMPTS:
        raise BudgetError(f"2^{T * d} prompts", required=f"at most {_PROMPTS}")
    rows = exact_matrix(W, T * d, "W")
    groups: dict[tuple[Any, ...], list[tuple[int, ...]]] = defaultdict(list)
    for x in product((-1, 1), repeat=T * d):
        groups[tuple(rows @ np.array(x, dtype=object))].append(x)
    loss = Fraction(0)
    for prompts in groups.values():
        X = np.array(prompts).reshape(len(prompts), T, d)
        for y in combinations(range(T), q):
            s = X[:, list(y)].sum(axis=1)  # q times the target, integers
            loss += int((s**2).sum()) - Fraction(int((s.sum(axis=0) ** 2).sum()), len(prompts))
    return loss / (q * q * comb(T, q) * 2 ** (T * d))
