r"""Fewer heads than indices: each copies one token, and the best readout predicts the label from the copies.

With block-diagonal :math:`W_{QK}` the attention weights of a late position of :class:`FewTokens` depend on
codes only: the network sees the Gaussian tokens through a linear map, and no head of any width does better
than the conditional mean (:mod:`.quadratic_readout`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked
from theorytools.codes.protocol import Code
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.network import DOUBLE, Network, absent, gamma
from theorytools.constructions.shapes import exact_array, in_range, indices, shaped
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, at_precision, ball_matmul, minimum, total
from theorytools.numbers.softmax import exact_number
from theorytools.papers.qstr.few_heads.quadratic_readout import QuadraticError, conditional_form, gram, trace
from theorytools.papers.qstr.tasks.few_heads import FewTokens

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]
Rows = list[list[Enclosure]]

_BITS = 256  # the doubles of the readout are rounded from balls of this precision


@checked
@dataclass(frozen=True)
class FewHeads(Network):
    r"""Attention whose heads copy the first ``H`` of ``q`` indexed tokens, read by the conditional mean.

    Head ``h`` has the block of :class:`BlockAttention` for index slot ``h``.  With
    :math:`v_h=\sum_j\pi^{(h)}_{ij}x_j` and ``V`` the late weights on the ``K`` Gaussian tokens,

    .. math:: \hat y_i=(qd)^{-1/2}\Bigl(\sum_{h,k\le H}C_{hk}\langle v_h,v_k\rangle-d(a+bs_i)\Bigr),\qquad
              C=G^{-1}MG^{-1},\ G=VV^\top,\ M=VJV^\top,

    the conditional mean given :math:`Vx` at late positions (``J`` projects on the indexed tokens).  The
    number :math:`s_i=\langle\omega_N,\sum_j\pi^{(1)}_{ij}\omega_j\rangle` is read off the code part of head
    1; ``a`` and ``b`` make the late and the blank tuple free of bias.  As :math:`\beta\to\infty`,
    :math:`C\to I` and :math:`v_h\to x_{t_{ih}}`.  The matrix ``C`` undoes leakage among indexed tokens, so
    with :math:`q=K` the least error is attained at every :math:`\beta` for which ``V`` has rank ``H``.

    Parameters
    ----------
    codes : position codes, as many as the task has positions.
    beta : effective inverse temperature, an exact number; orthogonal codes and :math:`\beta=\log k` make all
        weights rational.
    task : the distribution; its link is ``sq``.
    H : number of heads, ``1 <= H <= q``.

    Raises
    ------
    DomainError
        For ``H`` outside ``1, …, q``, another link, codes of another length; when used, for dependent rows.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Proposition 21, arXiv 2503.11272v1; readout derived here.

    Examples
    --------
    >>> import sympy
    >>> from theorytools import hadamard
    >>> net = FewHeads(hadamard(8), beta=sympy.log(16), task=FewTokens(N=8, d=2, q=3), H=1)
    >>> net.late_error().fraction(), net.risk().fraction() / net.late_error().fraction() < 0.626
    (Fraction(4, 3), True)
    """

    codes: Code
    beta: Real
    task: FewTokens
    H: int

    def __post_init__(self) -> None:
        if not 1 <= self.H <= self.task.q:
            raise DomainError(
                f"H = {self.H} heads",
                required=f"1 <= H <= q = {self.task.q}",
                why="one head copies one token",
            )
        if not exact_number(self.beta, "beta").is_positive:
            raise DomainError(f"beta = {self.beta}", required="beta > 0", why="an indexed position must score highest")
        if self.task.link != "sq" or self.codes.N != self.task.N:
            raise DomainError(
                f"the link {self.task.link!r}, {self.codes.N} codes for {self.task.N} positions",
                required="the link 'sq' and one code per position",
            )

    @cached_property
    def attention(self) -> BlockAttention:
        """The attention layer: head ``h`` reads slot ``h``."""
        blocks = tuple((h, 0) for h in range(1, self.H + 1))
        return BlockAttention(self.codes, self.beta, self.task.q, self.task.d, blocks=blocks)

    # -- exact: rationals where the exponentials are -----------------------------------------------------
    def rows(self, indices: Sequence[int]) -> Rows:
        """Return the attention weights of a query with these indices.

        Parameters
        ----------
        indices : the ``q`` indexed positions, from 0.

        Returns
        -------
        list : ``H`` rows of ``N`` enclosures.

        Raises
        ------
        DomainError : another number of indices, or a position that does not exist.
        """
        shaped("indices", indices, self.task.q)
        for t in indices:
            in_range("t", t, self.task.N)
        return [self.attention.layer.weights(t) for t in indices[: self.H]]

    def late_error(self) -> Enclosure:
        r"""Return :math:`E(y_i-\hat y_i)^2` at late positions, the least of any head on this attention."""
        return self.residual_law().second_moment()

    def form(self) -> Rows:
        """Return the matrix ``C`` of the conditional mean at the ambient precision."""
        late = self.rows(self.task.indices)
        return conditional_form(self._gram(late), self._gram(late, self.task.indices))

    def readout(self) -> tuple[Rows, Enclosure, Enclosure]:
        """Return ``(C, a, b)`` at the ambient precision.

        Returns
        -------
        tuple : ``C`` as ``H`` rows of enclosures, then ``a`` and ``b``.

        Raises
        ------
        DomainError : attention that cannot tell the late tuple from the blank one.
        """
        task, blank = self.task, (self.task.N - 1,) * self.task.q
        late, far = self.rows(task.indices), self.rows(blank)
        C = self.form()
        # a + b s = tr(V^T C V) - #{Gaussian indices} + q makes E(y - yhat) = 0 at either tuple
        goals = [trace(ball_matmul(C, self._gram(late))) - self._asked(task.indices) + task.q]
        goals.append(trace(ball_matmul(C, self._gram(far))) + task.q)
        places = [self._place(rows[0]) for rows in (late, far)]
        apart = places[1] - places[0]
        if apart.contains(0):
            raise DomainError(
                f"beta = {self.beta}",
                required="attention that tells the late tuple from the blank one",
                why="their labels have different means",
            )
        b = (goals[1] - goals[0]) / apart
        return C, goals[0] - b * places[0], b

    def residual_law(self, indices: Sequence[int] | None = None) -> QuadraticError:
        r"""Return the exact law of the error at positions with these indices.

        It is that of :math:`(qd)^{-1/2}\bigl(x^\top(B\otimes I_d)x-d\,\mathrm{tr}B\bigr)` with
        :math:`B=J-V^\top CV`.  With :math:`q=K`, and for every ``q`` in the limit :math:`\beta\to\infty`,
        ``B`` is at late positions a projection of rank :math:`q-H`, so the error is there

        .. math:: (qd)^{-1/2}\bigl(\chi^2_{(q-H)d}-(q-H)d\bigr),\qquad E(y_i-\hat y_i)^2=2(1-H/q).

        In general :math:`-I\preceq-\Pi\preceq B\preceq J\preceq I` there, so
        :math:`\mathrm{tr}B^4\le\mathrm{tr}B^2`; and :math:`\mathrm{tr}B^4\le(\mathrm{tr}B^2)^2` for every
        symmetric ``B``.

        Parameters
        ----------
        indices : the tuple at these positions, one of the task's two; the late one unless given.

        Returns
        -------
        QuadraticError : its moments are exact.

        Raises
        ------
        DomainError : a tuple that is not of the task: for it the readout is biased.
        """
        task = self.task
        chosen = task.indices if indices is None else tuple(indices)
        if chosen not in (task.indices, task.first):
            raise DomainError(f"the tuple {chosen}", required=f"{task.indices} or {task.first}")
        C, rows = self.form(), self.rows(chosen)
        CG, CM = ball_matmul(C, self._gram(rows)), ball_matmul(C, self._gram(rows, chosen))
        square = self._asked(chosen) - 2 * trace(CM) + trace(ball_matmul(CG, CG))
        late = chosen == task.indices
        rank = task.q - self.H if late and set(chosen) == set(range(task.K)) else None
        fourth = minimum([square, square**2]) if late else square**2
        return QuadraticError(square, fourth, task.q, task.d, rank)

    def risk(self) -> Enclosure:
        r"""Return :math:`R=\frac1N\sum_iE(y_i-\hat y_i)^2` exactly."""
        return self.task.average(lambda indices: self.residual_law(indices).second_moment())

    def fourth_moment(self) -> Enclosure:
        r"""Return an upper bound of :math:`E Z^2`, :math:`Z=\frac1N\sum_i(y_i-\hat y_i)^2`.

        By Minkowski's inequality :math:`\|Z\|_2\le\frac1N\sum_i\bigl(E(y_i-\hat y_i)^4\bigr)^{1/2}`.
        """
        return self.task.average(lambda indices: self.residual_law(indices).fourth_moment().sqrt()) ** 2

    def _gram(self, rows: Rows, columns: Sequence[int] | None = None) -> Rows:
        K = self.task.K
        return gram(rows, [j for j in (range(K) if columns is None else columns) if j < K])

    def _asked(self, indices: Sequence[int]) -> int:
        return sum(j < self.task.K for j in indices)

    def _place(self, row: Sequence[Enclosure]) -> Enclosure:
        last = self.attention.layer.scores[self.codes.N - 1]
        return total(w * int(g) for w, g in zip(row, last, strict=True) if g) / self.codes.gram_denominator

    # -- float64 -----------------------------------------------------------------------------------------
    @cached_property
    def weights(self) -> tuple[Array, float, float]:
        """The readout ``(C, a, b)`` in doubles, ``C`` of shape ``(H, H)``."""
        C, a, b = at_precision(_BITS, self.readout)
        return np.array([[float(x) for x in row] for row in C]), float(a), float(b)

    def __call__(self, X: Array, T: NDArray[np.int64]) -> Array:
        """Return the predictions, shape ``(n, N)``, for tokens ``(n, N, d)`` and indices ``(n, N, q)``."""
        A = self.attention.attention(X, T)
        v, s = np.einsum("nhij,njk->nihk", A, np.asarray(X)), A[:, 0] @ self._last
        C, a, b = self.weights
        forms = np.einsum("nihk,nihk->ni", v, np.einsum("hg,nigk->nihk", C, v))
        return (forms - self.task.d * (a + b * s)) / self._root

    def exact(self, X: Any, T: NDArray[np.int64]) -> list[Any]:
        """Return a call on integers or Fractions by enclosures at the ambient precision, as nested lists."""
        task = self.task
        X = exact_array("X", X, "n", task.N, task.d)
        T = indices("T", T, task.N, len(X), task.N, task.q)
        C, a, b = self.readout()
        found = []
        for x, t in zip(X.tolist(), T.tolist(), strict=True):
            every = [(ball_matmul(rows, x), self._place(rows[0])) for rows in map(self.rows, t)]
            forms = [trace(ball_matmul(C, [[total(map(mul, v, w)) for w in V] for v in V])) for V, _ in every]
            root = Enclosure(task.q * task.d).sqrt()
            found.append([(f - task.d * (a + b * s)) / root for f, (_, s) in zip(forms, every, strict=True)])
        return found

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return a bound on the rounding of predictions: of copies, then of the quadratic form and of the mean."""
        d, (C, a, b) = self.task.d, self.weights
        share = self.attention.share_rounding(u)
        off, form = size * share, float(np.abs(C).sum())
        form *= 2 * size * off + off**2 + gamma(self.H**2 * d + 8, u) * (size + off) ** 2
        mean = abs(b) * (share + (self.task.N + 2 * self.codes.d_e + 8) * u) + 4 * u * (abs(a) + abs(b))
        return d * (form + mean) / self._root + 4 * u * d * (float(np.abs(C).sum()) * size**2 + abs(a) + abs(b))

    certificate = absent("the error is random: late_error() and risk() are its exact laws")
    norms = absent("the read-out is rational in the weights of the attention; its norm enters no claim")

    def sizes(self) -> dict[str, int]:
        """Return the embedding width, the number of heads and of parameters."""
        inner = self.attention.sizes()
        return inner | {"parameters": inner["parameters"] + self.H**2 + 2}

    def predict(self, X: Array) -> Array:
        """Return the predictions for prompts with the tuples of the task.

        As weights do not depend on tokens, one matrix product serves all prompts: each index tuple is a row.

        Parameters
        ----------
        X : tokens, shape ``(n, N, d)``.

        Returns
        -------
        array : shape ``(n, N)``.
        """
        N, K, d = self.task.N, self.task.K, self.task.d
        shaped("X", X, "n", N, d)
        C, a, b = self.weights
        W, s = self._late_and_first
        maps = [np.kron(A.reshape(-1, N), np.eye(d)).T for A in (W, C @ W)]
        v, Cv = ((X.reshape(len(X), -1) @ A).reshape(len(X), 2, -1) for A in maps)
        y = (np.einsum("nuk,nuk->nu", v, Cv) - d * (a + b * s)) / self._root
        return np.repeat(y[:, ::-1], [K, N - K], axis=1)

    @cached_property
    def _last(self) -> Array:
        return self.codes.gram_numerators()[-1] / self.codes.gram_denominator

    @cached_property
    def _root(self) -> float:
        return float(np.sqrt(self.task.q * self.task.d))

    @cached_property
    def _late_and_first(self) -> tuple[Array, Array]:
        queries = np.array([self.task.indices[: self.H], self.task.first[: self.H]])
        products = self.codes.gram_numerators()[queries] / self.codes.gram_denominator
        W = np.exp(float(self.attention.temperature) * (products - 1))  # a code's product with itself is 1
        W /= W.sum(axis=-1, keepdims=True)
        return W, W[:, 0] @ self._last

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a trainable ``torch.nn.Module``, ``forward(X, T)``, that computes the same function."""
        return twin("theorytools.papers.qstr.torch.few_heads:FewHeadsModule")(self, dtype, device)
