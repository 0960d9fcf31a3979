r"""Logarithms of covering numbers, from the head and the attention parameters to the whole network.

.. math:: \Lambda(\epsilon)=D_1\log\Bigl(1+\tfrac{8AB\sqrt{1+Hr_z^2}}\epsilon\Bigr)
          +D_2\log\Bigl(1+\tfrac{4c_{sm}ABR_Fr_z^3}\epsilon\Bigr),\qquad D_1=m(HD_e+2),\quad D_2=HD_e^2

bounds that of :math:`\hat y_j=f(h_j)`, :math:`f(h)=a^\top\mathrm{ReLU}(Wh+b)`, :math:`h_j` the :math:`H` attention
outputs with parameters :math:`\Theta=(W^{(1)},\dots,W^{(H)})`, where :math:`\|a\|\le A`, :math:`\|(W,b)\|_F\le B`,
:math:`\|\Theta\|_F\le R_F`, in the largest distance over the sample, if no encoded token is longer than :math:`r_z`.

*Proof.*  Three Lipschitz inequalities, each with :math:`\|h\|\le\sqrt Hr_z`:

.. math:: |f(h)-f'(h)| &\le \sqrt{1+Hr_z^2}\,\bigl(B\|a-a'\|+A\|(W,b)-(W',b')\|_F\bigr),\\
          |f(h)-f(h')| &\le AB\,\|h-h'\|,\qquad
          \|h_j-h_j'\| \le c_{sm}r_z^2\,\|(\Theta-\Theta')^\top z_j\| \le c_{sm}r_z^3\,\|\Theta-\Theta'\|_F .

A ball of radius :math:`r` in :math:`\mathbb R^D` has a covering of radius :math:`\epsilon` by at most
:math:`(1+2r/\epsilon)^D` of its own points.  Half of :math:`\epsilon` goes to the head, half of that to :math:`a`; the
other half to the attention, whose radius is :math:`\epsilon/(2AB)`.  ∎

All centres lie in the class, so the head's inequality applies to the outputs of the covering's attention.  Every
function takes letters, sympy expressions or exact numbers and returns a :class:`Step`; the constants are derived here.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemmas 13–16 and Proposition 17, arXiv 2503.11272v1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy import ceiling, log, sqrt

from theorytools.arguments.checked import Formula, checked
from theorytools.claims.language.bound import Bound, expression
from theorytools.errors import DomainError


@checked
@dataclass(frozen=True)
class Step:
    """A bound on the logarithm of a covering number, with the factors that it is made of.

    Parameters
    ----------
    name : what is covered, in words.
    bound : the logarithm of the covering number is at most this (natural logarithm).
    factors : the parts of the formula by name (``dimension``, ``lipschitz``, ``radius``, …), as expressions.
    parts : the steps that it is composed of.
    """

    name: str
    bound: Bound
    factors: Mapping[str, sympy.Expr] = field(default_factory=dict)
    parts: tuple[Step, ...] = ()

    @property
    def expr(self) -> sympy.Expr:
        """The bound as a sympy expression."""
        return self.bound.expr


@checked
def ball(eps: Formula, *, dimension: Formula, radius: Formula, lipschitz: Formula = 1) -> Step:
    r"""Return :math:`D\log(1+2Lr/\epsilon)`: a ball of radius :math:`r` in :math:`\mathbb R^D`, by volume.

    The distance covered is at most :math:`L` times the Euclidean one.  The centres, a maximal set at mutual distance
    above :math:`\epsilon/L`, lie in the ball.
    """
    eps, D, r, L = _expressions(eps, dimension, radius, lipschitz)
    factors = {"dimension": D, "radius": r, "lipschitz": L}
    return Step("a Euclidean ball", Bound(D * log(1 + 2 * L * r / eps)), factors)


@checked
def product(first: Step, second: Step, *, name: str = "a composition", **factors: Any) -> Step:
    r"""Return the sum of two steps: coverings multiply (Lemma 13).

    .. math:: \mathcal C(\{f\circ g\},L_f\epsilon_1+\epsilon_2)
              \le\mathcal C(\{g\},\epsilon_1)\,\mathcal C(\{f\},\epsilon_2)

    if every :math:`f` is :math:`L_f`-Lipschitz and the centres of one of the two coverings lie in their class.
    """
    return Step(name, Bound(first.expr + second.expr), dict(factors), (first, second))


@checked
def head(eps: Formula, *, m: Formula, H: Formula, D_e: Formula, A: Formula, B: Formula, r_z: Formula) -> Step:
    r"""Return the two-layer head of width :math:`m` (Lemma 14): :math:`D_1\log(1+4AB\sqrt{1+Hr_z^2}/\epsilon)`.

    The distance of two heads is the largest on :math:`\|h\|\le\sqrt Hr_z`, :math:`h\in\mathbb R^{HD_e}`;
    :math:`D_1=m(HD_e+2)` parameters.
    """
    eps, m, H, D_e, A, B, r_z = _expressions(eps, m, H, D_e, A, B, r_z)
    L = sqrt(1 + H * r_z**2)
    outer = ball(eps / 2, dimension=m, radius=A, lipschitz=B * L)
    inner = ball(eps / 2, dimension=m * (H * D_e + 1), radius=B, lipschitz=A * L)
    D_1 = m * (H * D_e + 2)
    factors = {"dimension": D_1, "radius": A * B, "lipschitz": L}
    return Step("the two-layer head", Bound(D_1 * log(1 + 4 * A * B * L / eps)), factors, (outer, inner))


@checked
def attention_parameters(eps: Formula, *, H: Formula, D_e: Formula, R_F: Formula, r_z: Formula) -> Step:
    r"""Return the volume branch of Lemma 16: :math:`HD_e^2\log(1+2R_Fr_z/\epsilon)`.

    The distance is :math:`\max_j\|(\Theta-\Theta')^\top z_j\|` over the sample, for :math:`\|\Theta\|_F\le R_F`,
    :math:`\Theta\in\mathbb R^{D_e\times HD_e}`.
    """
    eps, H, D_e, R_F, r_z = _expressions(eps, H, D_e, R_F, r_z)
    step = ball(eps, dimension=H * D_e**2, radius=R_F, lipschitz=r_z)
    return Step("the attention parameters, by volume", step.bound, step.factors, (step,))


@checked
def sparse_attention_parameters(
    eps: Formula, *, n: Formula, H: Formula, D_e: Formula, R_1: Formula, r_z: Formula
) -> Step:
    r"""Return the sparsification branch of Lemma 16: :math:`k\log(2HD_e^2+1)`, with constants derived here.

    .. math:: k=\bigl\lceil8R_1^2r_z^2\log(2n+1)/\epsilon^2\bigr\rceil

    For :math:`\sum|\Theta_{ab}|\le R_1`, in the largest distance over :math:`n` sampled tokens.  *Proof.*
    :math:`\Theta` is the mean of a random vertex among :math:`K=2HD_e^2+1`: :math:`\pm R_1E_{ab}` and 0.  The
    average of :math:`k` independent ones errs on :math:`z_i` by a mean of :math:`k` centred vectors of length at most
    :math:`2R_1r_z`, hence by more than :math:`\epsilon` with probability at most
    :math:`2e^{-k\epsilon^2/(8R_1^2r_z^2)}` (Pinelis 1994, Theorem 3.5).  Summed over the sample that is below 1, so
    some average errs nowhere; there are at most :math:`K^k`.  ∎
    """
    eps, n, H, D_e, R_1, r_z = _expressions(eps, n, H, D_e, R_1, r_z)
    k, K = ceiling(8 * R_1**2 * r_z**2 * log(2 * n + 1) / eps**2), 2 * H * D_e**2 + 1
    return Step("the attention parameters, by sparsification", Bound(k * log(K)), {"terms": k, "vertices": K})


@checked
def attention(eps: Formula, *, H: Formula, D_e: Formula, R_F: Formula, r_z: Formula, c_sm: Formula = 1) -> Step:
    r"""Return the log-covering of the attention *outputs* at radius ``eps`` (Lemma 15).

    It is that of the parameters at radius :math:`\epsilon/(c_{sm}r_z^2)`, for ``H`` heads of width ``D_e``, weights of
    Frobenius norm at most ``R_F`` and tokens of norm at most ``r_z``.
    :math:`\|\mathrm{softmax}(u)-\mathrm{softmax}(v)\|_1\le c_{sm}\|u-v\|_\infty`; :math:`c_{sm}=1` is true and sharp.
    """
    eps, H, D_e, R_F, r_z, c_sm = _expressions(eps, H, D_e, R_F, r_z, c_sm)
    L = c_sm * r_z**2
    parameters = attention_parameters(eps / L, H=H, D_e=D_e, R_F=R_F, r_z=r_z)
    factors = {**parameters.factors, "lipschitz": L * r_z}
    return Step("the attention outputs", parameters.bound, factors, (parameters,))


@checked
def transformer(
    eps: Formula,
    *,
    m: Formula,
    H: Formula,
    D_e: Formula,
    A: Formula,
    B: Formula,
    R_F: Formula,
    r_z: Formula,
    c_sm: Formula = 1,
) -> Step:
    r"""Return :math:`\Lambda(\epsilon)`, the whole network (Proposition 17), as a product of two coverings.

    Its factors are :math:`D_1`, :math:`D_2`, the radii :math:`\epsilon_1=\epsilon/(2AB)` of the attention and
    :math:`\epsilon_2=\epsilon/2` of the head, and the Lipschitz constant :math:`AB` of the head.
    """
    eps, A, B = _expressions(eps, A, B)
    eps_1, eps_2 = eps / (2 * A * B), eps / 2
    inner = attention(eps_1, H=H, D_e=D_e, R_F=R_F, r_z=r_z, c_sm=c_sm)
    outer = head(eps_2, m=m, H=H, D_e=D_e, A=A, B=B, r_z=r_z)
    factors = {"D_1": outer.factors["dimension"], "D_2": inner.factors["dimension"], "eps_1": eps_1, "eps_2": eps_2}
    return product(outer, inner, name="the whole network", **factors, lipschitz=A * B)


@checked
def log_covering(
    eps: Formula,
    *,
    m: Formula,
    H: Formula,
    D_e: Formula,
    A: Formula,
    B: Formula,
    R_F: Formula,
    r_z: Formula,
    c_sm: Formula = 1,
) -> sympy.Expr:
    r"""Return :math:`\Lambda(\epsilon)` of Proposition 17 as one sympy expression (see :func:`transformer`).

    Examples
    --------
    >>> from theorytools.papers.qstr.capacity.covering import log_covering
    >>> log_covering(1, m=2, H=1, D_e=1, A=1, B=1, R_F=1, r_z=1)
    log(5) + 6*log(1 + 8*sqrt(2))
    """
    return transformer(eps, m=m, H=H, D_e=D_e, A=A, B=B, R_F=R_F, r_z=r_z, c_sm=c_sm).expr


def _expressions(*values: Any) -> tuple[sympy.Expr, ...]:
    result = tuple(expression(value, "a letter of a covering number") for value in values)
    for value in result:
        if value.is_negative:
            raise DomainError(
                f"{value} in a covering number", required="radii, norms and dimensions that are not negative"
            )
    return result
