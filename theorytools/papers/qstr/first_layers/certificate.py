r"""What a trained first layer lets a feedforward network know about the label: a certified lower bound of its risk.

A network :math:`f(T,Wx)` on :math:`n` training inputs splits into :math:`W=W\Pi+W_\perp`, with :math:`\Pi` the
projector on the span of the inputs.  For prompts :math:`x\sim N(0,I_{Nd})` that are independent of the training and
labels :math:`\langle u,x_t\rangle` with a uniform index, :math:`f(T,W\Pi x)` has risk at least :math:`D(u)`; if every
output of :math:`z\mapsto f(T,z)` is :math:`L_f`-Lipschitz, it is within
:math:`L_f(E\lVert W_\perp x\rVert^2)^{1/2}=L_f\lVert W_\perp\rVert_F` of the network.  So by Minkowski's inequality

.. math:: \sqrt R\ge\sqrt{D(u)}-L_f\lVert W_\perp\rVert_F .

Without a Lipschitz constant nothing remains unless :math:`W_\perp=0`: if :math:`\operatorname{rank}W=Nd` some ``f``
has risk 0, however small :math:`W_\perp` is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theorytools.arguments.checked import Numbers, Real, checked
from theorytools.errors import CertificateError, DomainError
from theorytools.notebook import fields_html
from theorytools.numbers import Enclosure, maximum
from theorytools.theory.first_layers.certified_span import CertifiedSpan, Exact, exact_matrix


@checked
@dataclass(frozen=True, eq=False)
class FirstLayerCertificate:
    r"""What is proved of one first layer; made by :func:`certify_first_layer`.

    Attributes
    ----------
    data : the span of the training inputs: ``rank``, ``average`` (:math:`1-\operatorname{rank}X/(Nd)`), ``supremum``.
    in_span : every row lies in the span, decided exactly.
    off_span : :math:`\lVert W(I-\Pi)\rVert_F`.
    gradient_norm : :math:`\lVert G(I-\Pi)\rVert_F/\lambda`, equal to ``off_span`` for an exact gradient; or None.
    mismatch : :math:`\lVert(G-\lambda W)(I-\Pi)\rVert_F`, 0 for an exact gradient; or None.
    lipschitz : :math:`L_f`, or None.
    risk : a lower bound of the risk on labels with direction ``u``; None if no ``u`` was given.
    """

    data: CertifiedSpan
    in_span: bool
    off_span: Enclosure
    gradient_norm: Enclosure | None
    mismatch: Enclosure | None
    lipschitz: Enclosure | None
    risk: Enclosure | None = None

    _repr_html_ = fields_html

    @property
    def rank(self) -> int:
        """The rank of the training inputs."""
        return self.data.rank

    @property
    def average(self) -> Fraction:
        r"""The Bayes loss of the span averaged over an orthonormal basis, :math:`1-\operatorname{rank}X/(Nd)`."""
        return self.data.average

    @property
    def supremum(self) -> Enclosure:
        r"""The largest Bayes loss of the span over all links, :math:`\sup_uD(u)`."""
        return self.data.supremum

    def loss(self, u: Sequence[Real]) -> Enclosure:
        """Return the Bayes loss of the span, :math:`D(u)`, at the direction ``u``."""
        return self.data.bayes_loss(u)

    def bound(self, u: Sequence[Real]) -> Enclosure:
        r"""Return :math:`D(u)` for rows in the span, else :math:`(\sqrt{D(u)}-L_f\lVert W_\perp\rVert_F)_+^2`."""
        if self.in_span:
            return self.loss(u)
        if self.lipschitz is None:
            raise _outside(self.data, self.off_span)
        return maximum([self.loss(u).nonnegative_part().sqrt() - self.lipschitz * self.off_span, 0]) ** 2


@checked
def certify_first_layer(
    W: Numbers,
    X: Numbers,
    *,
    N: int | None = None,
    u: Sequence[Real] | None = None,
    gradient: Numbers = None,
    decay: Real = None,
    lipschitz: Real = None,
    exact: bool | None = None,
) -> FirstLayerCertificate:
    r"""Return a certified lower bound of the risk of every network with this first layer, or refuse.

    .. math:: R\ge D(u)\ \text{ if }W(I-\Pi)=0,\qquad
        R\ge\bigl(\sqrt{D(u)}-L_f\lVert W(I-\Pi)\rVert_F\bigr)_+^2\ \text{ otherwise.}

    Parameters
    ----------
    W : first layer, shape ``(m, N d)``.  Floats here and below are the binary fractions that they are.
    X : training inputs, shape ``(n, N, d)``, or ``(n, N d)`` with ``N`` given.
    u : direction of the labels, shape ``(d,)``; labels have variance 1, so its length does not matter.
    gradient, decay : the gradient :math:`G` of loss plus :math:`\frac\lambda2\lVert W\rVert_F^2` at ``W``, and
        :math:`\lambda`; for any such ``W``, :math:`\lVert W(I-\Pi)\rVert_F=\lVert G(I-\Pi)\rVert_F/\lambda`.
    lipschitz : Lipschitz constant of every output of the rest of the network in :math:`z=Wx`
        (:func:`head_lipschitz`); a finite number or an enclosure.
    exact : rational arithmetic or certified residuals, see :mod:`theorytools.theory.first_layers.certified_span`;
        unless given, small data are exact.

    Returns
    -------
    FirstLayerCertificate : the bound and what it rests on.

    Raises
    ------
    CertificateError
        If a row lies outside the span and no Lipschitz constant is given, as after random initialisation without
        decay, and after Adam or AdamW; or if exact numbers are given and the gradient is not one of a decayed loss.
    DomainError
        For shapes that do not fit, numbers that are not finite, a gradient without its decay, a decay not positive.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorem 6, arXiv 2503.11272v1.  The robust form is derived here.

    Examples
    --------
    >>> X = [[[1], [0]]]  # one prompt of two tokens in one dimension
    >>> found = certify_first_layer([[2, 0]], X, u=[1])
    >>> found.in_span, found.rank, found.risk
    (True, 1, Enclosure(1/2))
    """
    data = CertifiedSpan.of(X, N=N, exact=exact)
    rows = exact_matrix(W, data.N * data.d, "W")
    in_span = data.contains(rows)
    off_span = Enclosure(0) if in_span else data.distance(rows)
    if not in_span and lipschitz is None:
        raise _outside(data, off_span)
    of_gradient = _gradient(data, rows, gradient, decay, floats=any(map(_has_floats, (W, X, gradient))))
    found = FirstLayerCertificate(data, in_span, off_span, *of_gradient, _constant(lipschitz))
    if u is None:
        return found
    return FirstLayerCertificate(data, in_span, off_span, *of_gradient, found.lipschitz, found.bound(u))


@checked
def head_lipschitz(a: Any) -> Enclosure:
    r"""Return the bound :math:`\max_t\lVert a_t\rVert` of the Lipschitz constants of two-layer heads.

    :math:`z\mapsto a_t^\top\sigma(z+e_t)` with any 1-Lipschitz :math:`\sigma`, such as the ReLU, and any biases.

    Parameters
    ----------
    a : output weights, shape ``(m,)``, or ``(N, m)`` with one row per index.
    """
    shape = _shape(a)
    if len(shape) not in (1, 2) or not np.size(a):
        raise DomainError(f"output weights of shape {shape}", required="(m,) or (N, m)")
    weights = a.tolist() if hasattr(a, "tolist") else list(a)
    rows = exact_matrix(weights if len(shape) == 2 else [weights], shape[-1], "the output weights")
    return maximum([Enclosure(row @ row).sqrt() for row in rows])


def _shape(a: Any) -> tuple[int, ...]:
    try:
        return np.shape(a)
    except ValueError:
        raise DomainError("output weights in rows of different lengths", required="(m,) or (N, m)") from None


def _gradient(
    data: CertifiedSpan, W: Exact, G: Any, decay: Any, *, floats: bool
) -> tuple[Enclosure | None, Enclosure | None]:
    if (G is None) != (decay is None):
        raise DomainError("one of gradient and decay", required="both or none")
    if G is None:
        return None, None
    lam = exact_matrix([[decay]], 1, "the decay")[0, 0]
    if not lam > 0:
        raise DomainError(f"decay = {decay}", required="decay > 0", why="without decay W outside the span is free")
    slope = exact_matrix(G, data.N * data.d, "the gradient")
    if slope.shape != W.shape:
        raise DomainError(f"a gradient of shape {slope.shape}", required=f"that of W, {W.shape}")
    mismatch = data.distance(slope - lam * W)
    if not floats and not data.contains(slope - lam * W):
        raise CertificateError(
            f"a gradient that differs from {decay} W by {float(mismatch):.3g} outside the span",
            required="the gradient of a loss of W x plus (decay/2) |W|^2, at this W",
            why="the gradient of the loss has its rows in the span of the inputs",
            advice="give the gradient of the decayed loss, before any preconditioner",
        )
    return data.distance(slope) / lam, mismatch


def _constant(lipschitz: Any) -> Enclosure | None:
    if lipschitz is None:
        return None
    L = lipschitz if isinstance(lipschitz, Enclosure) else exact_matrix([[lipschitz]], 1, "the constant")[0, 0]
    if not isinstance(L, Enclosure):
        L = Enclosure(L)
    if L.certainly_lt(0) is not False or not L.upper.finite:
        raise DomainError(f"lipschitz = {lipschitz}", required="a finite number >= 0")
    return L


def _has_floats(A: Any) -> bool:
    entries = np.array(A.tolist() if hasattr(A, "tolist") else A, dtype=object)
    return any(isinstance(x, float) for x in entries.flat)


def _outside(data: CertifiedSpan, off_span: Enclosure) -> CertificateError:
    return CertificateError(
        f"a first layer with {float(off_span):.3g} (Frobenius) outside the span of inputs of rank {data.rank}",
        required="rows exactly in the span, or a Lipschitz constant of the rest of the network",
        why=f"the rest may amplify what lies outside: with rank W = N d = {data.N * data.d} some network has risk 0; "
        "descent with decay only shrinks that part, without decay it keeps it, and Adam and AdamW create it",
        advice="lipschitz=head_lipschitz(a) for a two-layer head; CertifiedSpan.of(W, N=N).average is what any network "
        "on this W leaves unknown, on average over links",
    )
