r"""Plain SGD on all weights of one attention layer that learns sparse token selection, from exact zero.

Keys and values are :math:`z_i=[x_i;e_i]`, the query column is :math:`z_q=[0_d;e_y]` and no key;
:math:`f=V\sum_ia_iz_i`, :math:`a=\mathrm{softmax}(z_i^\top Wz_q)`, loss :math:`\|f-s\|^2` without a factor ½.  The
first ``d`` columns of ``W`` meet the zeros of the query and never move, so ``W`` is held as its last ``d_e`` columns.

All arrays have the repeats as their first axis.  Every batch is fresh; with stochastic encodings (``gauss``, ``rad``)
so are the encodings of every prompt, with fixed ones (``orth``, ``frozen``) all prompts share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from theorytools.errors import DomainError
from theorytools.papers.stsq.tasks.sparse_selection import checked_sizes
from theorytools.tasks.digits import digit_tokens

ENCODINGS = ("gauss", "rad", "orth", "frozen")
STACKED_BATCH = 64  # tools/benchmarks/test_selection.py: stacking gains 1.3 at batch 32, 1.15 at 64, nothing at 256


@dataclass(frozen=True, kw_only=True)
class Selection:
    r"""The task and its encodings.

    Parameters
    ----------
    T, q, d : tokens, selected tokens, token dimension.
    d_e : encoding dimension; for ``orth`` at least the largest length.
    encodings : ``gauss`` :math:`N(0,I/d_e)` or ``rad`` :math:`\pm d_e^{-1/2}`, drawn anew for every prompt; ``orth``,
        the standard basis; ``frozen``, one Gaussian draw per repeat.
    query : ``dual`` (score 1 on every selected token, shortest) or ``sum`` of the selected encodings.
    longest : the largest length at which it is used, with encodings for so many positions.
    tokens : ``gauss`` :math:`N(0,I)`, or ``digits``, handwritten digits less their mean, scaled to
        :math:`E\|x\|^2=d=64`.

    Raises
    ------
    DomainError
        For an unknown word, ``q >= T``, a length below ``T``, or dimensions too small for the query or for ``orth``.
    """

    T: int
    q: int
    d: int
    d_e: int
    encodings: str
    query: str
    longest: int
    tokens: str = "gauss"

    def __post_init__(self) -> None:
        checked_sizes(self.T, self.q, self.d)
        if self.encodings not in ENCODINGS or self.query not in ("dual", "sum"):
            raise DomainError(f"{self.encodings!r}, {self.query!r}", required=f"one of {ENCODINGS}; dual or sum")
        # at d_e = q the gradient at zero is not integrable, at q + 1 its variance is infinite
        least = {"orth": self.longest, "rad": 1}.get(self.encodings, self.q + 2 if self.query == "dual" else 1)
        if self.longest < self.T or self.d_e < least or (self.encodings, self.query) == ("rad", "dual"):
            raise DomainError(
                f"longest = {self.longest}, d_e = {self.d_e}, {self.encodings}, {self.query}",
                required=f"longest >= T, d_e >= {least}, and no dual query of signs",
                why="the dual query needs independent encodings, and signs are dependent with positive probability",
            )

    def drawn(self, rng: torch.Generator, size: int, length: int, dtype: torch.dtype, held_out: bool) -> torch.Tensor:
        """Draw tokens ``(size, length, d)``; digits from the images for learning, or from those held out."""
        if self.tokens == "gauss":
            return torch.randn(size, length, self.d, generator=rng, dtype=dtype)
        images = torch.tensor(digit_tokens(held_out), dtype=dtype)
        return images[torch.randint(len(images), (size, length), generator=rng)]

    @property
    def fresh(self) -> bool:
        """Whether encodings are drawn anew for every prompt."""
        return self.encodings in ("gauss", "rad")

    def fixed(self, rng: torch.Generator, dtype: torch.dtype) -> torch.Tensor | None:
        """Return the fixed encodings ``(longest, d_e)`` of one repeat; None if every prompt has its own."""
        if self.encodings == "orth":
            return torch.eye(self.longest, self.d_e, dtype=dtype)
        if self.encodings == "frozen":
            return torch.randn(self.longest, self.d_e, generator=rng, dtype=dtype).mul_(self.d_e**-0.5)
        return None


@dataclass(frozen=True, eq=False)
class SelectionBatch:
    """Tokens ``(R, n, T, d)``, encodings ``(R, n, T, d_e)`` or ``(R, T, d_e)``, queries ``(R, n, d_e)``, targets."""

    X: torch.Tensor
    E: torch.Tensor
    e_y: torch.Tensor
    s: torch.Tensor


def draw_batch(
    task: Selection, rngs: Sequence[torch.Generator], size: int, length: int, fixed: Sequence[torch.Tensor | None],
    dtype: torch.dtype = torch.float32, *, held_out: bool = False,
) -> SelectionBatch:  # fmt: skip
    """Draw a batch of every repeat from its own generator, at any length up to ``longest``; then stack them."""
    members = [_member(task, rng, size, length, E, dtype, held_out) for rng, E in zip(rngs, fixed, strict=True)]
    return SelectionBatch(*(torch.stack(parts) for parts in zip(*members, strict=True)))


def _member(
    task: Selection, rng: torch.Generator, size: int, length: int, fixed: torch.Tensor | None, dtype: torch.dtype,
    held_out: bool = False,
) -> tuple[torch.Tensor, ...]:
    X = task.drawn(rng, size, length, dtype, held_out)
    Y = torch.rand(size, length, generator=rng).topk(task.q, dim=1).indices  # exchangeable keys: a uniform set
    rows = torch.arange(size)[:, None]
    if fixed is not None:
        E = fixed[:length]
        chosen = E[Y]
    else:
        shape = (size, length, task.d_e)
        if task.encodings == "gauss":
            E = torch.randn(shape, generator=rng, dtype=dtype) * task.d_e**-0.5
        else:
            E = torch.randint(0, 2, shape, generator=rng, dtype=torch.int8).to(dtype).mul_(2).sub_(1)
            E *= task.d_e**-0.5
        chosen = E[rows, Y]
    if task.query == "sum":
        return X, E, chosen.sum(1), X[rows, Y].mean(1)
    ones = chosen.new_ones(size, task.q, 1)
    weights = torch.linalg.solve(chosen @ chosen.mT, ones)
    return X, E, (weights * chosen).sum(1), X[rows, Y].mean(1)


class SelectionSGD:
    r"""Stacked layers ``V`` ``(R, d, d + d_e)`` and ``W`` ``(R, d + d_e, d_e)``, all zero at the start.

    Parameters
    ----------
    task : the task.
    repeats : how many layers train together.
    rate : the step :math:`\eta`; training time is :math:`t=\eta k` after ``k`` steps.
    dtype : of all numbers.
    """

    def __init__(self, task: Selection, repeats: int, rate: float, dtype: torch.dtype = torch.float32) -> None:
        self.task, self.rate, self.width = task, rate, task.d + task.d_e
        self.V = torch.zeros(repeats, task.d, self.width, dtype=dtype)
        self.W = torch.zeros(repeats, self.width, task.d_e, dtype=dtype)

    def attention(self, batch: SelectionBatch) -> torch.Tensor:
        """Return the attention weights, ``(R, n, T)``."""
        return torch.softmax(_read(batch, batch.e_y @ self.W.mT, self.task.d), dim=-1)

    def forward(self, batch: SelectionBatch) -> torch.Tensor:
        """Return the predictions, ``(R, n, d)``."""
        return _mix(batch, self.attention(batch)) @ self.V.mT

    def step(self, batch: SelectionBatch) -> None:
        """Make one step on the mean of the squared error over the batch, by the gradient written out."""
        a = self.attention(batch)
        c = _mix(batch, a)
        rest = (c @ self.V.mT - batch.s) * (2 / a.shape[1])
        slopes = _read(batch, rest @ self.V, self.task.d)
        turn = _mix(batch, a * (slopes - (a * slopes).sum(-1, keepdim=True)))
        self.V -= self.rate * (rest.mT @ c)
        self.W -= self.rate * (turn.mT @ batch.e_y)

    def squared_errors(self, batch: SelectionBatch) -> torch.Tensor:
        r"""Return :math:`\|f-s\|^2` of every prompt, ``(R, n)``."""
        return (self.forward(batch) - batch.s).square().sum(-1)

    def read_off(self) -> list[dict[str, float]]:
        r"""Return what population training from zero would leave, and what else there is, for every repeat.

        ``alpha`` :math:`=\frac1d\operatorname{tr}V_1`; ``beta`` the coefficient of :math:`P=I_{d_e}`, or with ``orth``
        of :math:`P=I-\frac1T\mathbf{11}^\top` on the trained positions, in :math:`W_{22}`, its projection.  Relative
        Frobenius norms of the rest: ``off_W`` of :math:`W_{22}-\beta P`, ``off_V`` of :math:`V-\alpha[I\ 0]`,
        ``off_x`` of :math:`W_{12}`, over those of :math:`W_{22}`, ``V``, ``W``; 0 at the start.
        """
        d, T, P = self.task.d, self.task.T, torch.eye(self.task.d_e, dtype=torch.float64)
        if self.task.encodings == "orth":
            P[T:] = 0
            P[:T, :T] -= 1 / T
        found = []
        for V, W in zip(self.V.double(), self.W.double(), strict=True):
            alpha, beta = V[:, :d].trace() / d, (W[d:] * P).sum() / P.square().sum()
            target = alpha * torch.eye(d, self.width, dtype=V.dtype)
            off = [_share(W[d:] - beta * P, W[d:]), _share(V - target, V), _share(W[:d], W)]
            values = [alpha.item(), beta.item(), *off]
            found.append(dict(zip(("alpha", "beta", "off_W", "off_V", "off_x"), values, strict=True)))
        return found


def _share(part: torch.Tensor, whole: torch.Tensor) -> float:
    return float(part.norm() / whole.norm()) if whole.any() else 0.0


def _read(batch: SelectionBatch, k: torch.Tensor, d: int) -> torch.Tensor:
    """Return the products of every ``z_i`` with its prompt's vector ``(R, n, d + d_e)``, ``(R, n, T)``."""
    tokens, places = k[..., :d], k[..., d:]
    products = (batch.X @ tokens[..., None])[..., 0]
    if batch.E.dim() == 3:
        return torch.baddbmm(products, places, batch.E.mT)
    return products + (batch.E @ places[..., None])[..., 0]


def _mix(batch: SelectionBatch, a: torch.Tensor) -> torch.Tensor:
    """Return the sums of the ``z_i`` with weights ``(R, n, T)``, shape ``(R, n, d + d_e)``."""
    tokens = (a[..., None, :] @ batch.X)[..., 0, :]
    places = a @ batch.E if batch.E.dim() == 3 else (a[..., None, :] @ batch.E)[..., 0, :]
    return torch.cat([tokens, places], dim=-1)
