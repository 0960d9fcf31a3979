r"""Covering numbers of bidirectional recurrent networks, from their maps to the whole network.

The states :math:`h_{j+1}=\Pi_{r_h}(h_j+f(h_j,z_j))` of two transitions at distance :math:`d_\infty`, over all inputs
and all states of the ball, drift apart by at most

.. math:: S_Nd_\infty,\qquad S_N=\sum_{i=0}^{N-2}(1+\alpha)^i\le(e-1)N\quad\text{for }\alpha\le1/N,

if one of them is :math:`\alpha`-Lipschitz in the state, since :math:`\Pi_{r_h}` is 1-Lipschitz.  A state that :math:`k`
steps have made is off by at most :math:`s_kd_\infty`, :math:`s_k=\sum_{i<k}(1+\alpha)^i`, which is superadditive; at
every position the two directions take :math:`N-1` steps together, so their drifts *add up* to at most
:math:`S_Nd_\infty`.

A network of :math:`L` layers with :math:`\|W_l\|_F,\|b_l\|\le R`, :math:`R\ge1`, on inputs of length at most
:math:`R_{in}` moves by at most :math:`\rho\Lambda` if every block moves by at most :math:`\rho`:

.. math:: \Lambda=LR^{L-1}\bigl(R_{in}+\tfrac{L+1}2\bigr).

*Proof.*  Behind :math:`l` layers a vector is no longer than :math:`R^l(R_{in}+l)`, so a change of block :math:`l` alone
moves the output by at most :math:`\rho R^{L-1}(R_{in}+l)`; sum over :math:`l`.  ∎

Every function takes letters, sympy expressions or exact numbers; the constants are derived here.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemmas 29, 30 and Corollary 31, arXiv 2503.11272v1.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Integer, sqrt

from theorytools.arguments.checked import Formula, checked
from theorytools.claims.language.bound import expression
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.qstr.capacity.covering import Step, ball, product

_MOST_LAYERS = 10**4


@checked
def drift_factor(N: Formula, alpha: Formula = 0) -> sympy.Expr:
    r"""Return :math:`S_N=((1+\alpha)^{N-1}-1)/\alpha`, and :math:`N-1` for :math:`\alpha=0`.

    Examples
    --------
    >>> from sympy import Rational
    >>> drift_factor(5), drift_factor(3, Rational(1, 3))
    (4, 7/3)
    """
    N, alpha = _recurrent_expressions(N, alpha)
    if alpha == 0:
        return N - 1
    return ((1 + alpha) ** (N - 1) - 1) / alpha


@checked
def perturbation_factor(*, L: Formula, R: Formula, R_in: Formula) -> sympy.Expr:
    r"""Return :math:`\Lambda=LR^{L-1}(R_{in}+\frac{L+1}2)` of Lemma 30, for :math:`R\ge1`."""
    _layers(L)
    L, R, R_in = _recurrent_expressions(L, R, R_in)
    _at_least_one(R)
    return L * R ** (L - 1) * (R_in + (L + 1) / 2)


@checked
def output_radius(*, L: Formula, R: Formula, R_in: Formula) -> sympy.Expr:
    r"""Return :math:`R^L(R_{in}+L)`, the length that no output exceeds, for :math:`R\ge1`."""
    _layers(L)
    L, R, R_in = _recurrent_expressions(L, R, R_in)
    _at_least_one(R)
    return R**L * (R_in + L)


@checked
def deep_network(eps: Formula, *, P: Formula, L: Formula, R: Formula, R_in: Formula) -> Step:
    r"""Return :math:`P\log(1+2R\Lambda/\epsilon)`: :math:`L` layers with :math:`P` parameters (Lemma 30)."""
    factor = perturbation_factor(L=L, R=R, R_in=R_in)
    step = ball(eps, dimension=P, radius=R, lipschitz=factor)
    return Step("a network of L layers", step.bound, step.factors, (step,))


@checked
def recurrent_network(
    eps: Formula, *, N: Formula, P_h: Formula, L_h: Formula, P_y: Formula, L_y: Formula, R: Formula, r_h: Formula,
    R_z: Formula, alpha: Formula = 0, C_y: Formula = None, split: Formula = 2,
) -> Step:  # fmt: skip
    r"""Return the bidirectional class (Corollary 31): the readout and the transitions of both directions.

    .. math:: P_y\log\Bigl(1+\tfrac{4R\Lambda_y}\epsilon\Bigr)+2P_h\log\Bigl(1+\tfrac{2cR\Lambda_hC_yS_N}\epsilon\Bigr)

    Parameters
    ----------
    eps : radius, in the largest distance of predictions over the sample.
    N : sequence length.
    P_h, L_h, P_y, L_y : parameters and layers of one transition and of the readout.
    R : bound on the norm of every block, at least 1.
    r_h, R_z : radius of the states and of the inputs.
    alpha : Lipschitz constant of the transitions in the state.
    C_y : Lipschitz constant of the readout in the states, :math:`R^{L_y}` unless given.
    split : :math:`c`; each direction is covered at radius :math:`\epsilon/(cC_yS_N)`, and :math:`c\ge2` suffices.
    """
    _layers(L_y)
    eps, R, r_h, R_z, split = _recurrent_expressions(eps, R, r_h, R_z, split)
    C = R ** expression(L_y) if C_y is None else expression(C_y)
    S = drift_factor(N, alpha)
    eps_y, eps_h = eps / 2, eps / (split * C * S)
    readout = deep_network(eps_y, P=P_y, L=L_y, R=R, R_in=sqrt(2 * r_h**2 + R_z**2))
    transition = deep_network(eps_h, P=P_h, L=L_h, R=R, R_in=sqrt(r_h**2 + R_z**2))
    both = product(transition, transition, name="the transitions of both directions")
    factors = {"S_N": S, "C_y": C, "eps_y": eps_y, "eps_h": eps_h}
    return product(readout, both, name="the bidirectional network", **factors)


def _at_least_one(R: sympy.Expr) -> None:
    if (R - 1).is_negative:
        raise DomainError(f"R = {R}", required="R >= 1", why="biases then outgrow a power of R")


def _layers(L: Any) -> None:
    if isinstance(L, int) and L > _MOST_LAYERS:
        raise BudgetError(f"L = {L} layers", required=f"at most {_MOST_LAYERS}", why="powers of R are exact numbers")


def _recurrent_expressions(*values: Any) -> tuple[sympy.Expr, ...]:
    result = tuple(expression(value, "a letter of a recurrent network") for value in values)
    for value in result:
        if value.is_negative:
            raise DomainError(f"{value}", required="lengths, radii and norms that are not negative")
    return tuple(Integer(value) if isinstance(value, int) else value for value in result)
