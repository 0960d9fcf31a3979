"""The two-layer networks for the nearest neighbour as torch modules: one residual stream, two attention layers."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from theorytools.arguments.checked import checked
from theorytools.constructions.torch.layer import attended, placed, projections, shapes
from theorytools.errors import DomainError
from theorytools.optional import require
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch")


@checked
class NearestModule(torch.nn.Module):
    r"""Full softmax attention on the tokens :math:`x_1,\dots,x_N,y_1,\dots,y_N,x_q`, with the construction's weights.

    ``forward(points, labels, queries)`` takes unit vectors ``(m, N, d)``, labels ``(m, N)`` and queries ``(m, d)`` and
    returns the output at the last token, ``(m,)``.  Blocks of the stream: vectors as keys, vectors as queries, codes of
    vectors, codes of labels, what layer 1 fetches, three flags, label, output.
    """

    codes: torch.Tensor
    label_codes: torch.Tensor

    extra_repr = shapes

    def __init__(self, net: NearestNeighbour, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        place = placed(dtype, device)
        N, d, k = net.task.N, net.task.d, net.k
        self.N, self.by_position, fetched = N, net.variant == "position", k if net.variant == "position" else d
        sizes = (d, d, k, k, fetched, 1, 1, 1, 1, 1)
        ends = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
        self.width = ends[-1]
        self.key, self.query, self.code, self.own, self.fetched, *flags, self.label, self.out = (
            slice(a, b) for a, b in itertools.pairwise(ends)
        )
        self.is_x, self.is_y, self.is_q = flags
        self.own_key = net.own_key
        self.register_buffer("codes", torch.tensor(net.codes, **place))
        self.register_buffer("label_codes", torch.tensor(net.label_codes, **place))
        if self.by_position:
            first = math.log(net.base) * d / net.unit
            one = (self.query, self.key, first, (self.is_q, self.is_x), 2 * first)
            second = math.log(16 * k) / 2
            two = (self.fetched, self.own, second, (self.is_q, self.is_y), second * k)
        else:
            first = math.log(32 * k / net.task.margin) / 2
            one = (self.own, self.code, first, (self.is_y, self.is_x), first * k)
            second = math.log(net.pull) / (0.75 * float(net.task.margin))
            two = (self.query, self.fetched, second, (self.is_q, self.is_y), 3 * second)
        self.Q_1, self.K_1 = map(torch.nn.Parameter, projections(self.width, *one, **place))
        self.Q_2, self.K_2 = map(torch.nn.Parameter, projections(self.width, *two, **place))

    def embed(self, points: torch.Tensor, labels: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
        """Return the residual stream, shape ``(m, 2 N + 1, width)``."""
        sizes, d = [tuple(part.shape) for part in (points, labels, queries)], self.key.stop - self.key.start
        if sizes != [(len(points), self.N, d), (len(points), self.N), (len(points), d)]:
            required = f"(m, {self.N}, {d}), (m, {self.N}) and (m, {d})"
            raise DomainError(
                f"points, labels and queries {sizes}", required=required, why="weights are made for a size"
            )
        N, h = self.N, self.codes.new_zeros(len(points), 2 * self.N + 1, self.width)
        h[:, :N, self.key], h[:, :N, self.code], h[:, :N, self.is_x] = points, self.codes, 1
        h[:, N : 2 * N, self.label], h[:, N : 2 * N, self.own] = labels[..., None], self.label_codes
        h[:, N : 2 * N, self.is_y] = 1
        h[:, 2 * N, self.query], h[:, 2 * N, self.is_q] = queries, 1
        if self.own_key:
            h[:, 2 * N, self.key], h[:, 2 * N, self.is_x] = queries, 1
        return h

    def forward(self, points: torch.Tensor, labels: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
        """Return the output at the last token, shape ``(m,)``."""
        h = self.embed(points, labels, queries)
        taken = attended(h, self.Q_1, self.K_1, h[..., self.code if self.by_position else self.key])
        # the gates of the feedforward part: what other tokens fetched is not kept
        if self.by_position:
            h[..., self.fetched] = torch.clamp(2 * taken, -1, 1) * h[..., self.is_q]
        else:
            h[..., self.fetched] = taken * h[..., self.is_y]
        return attended(h, self.Q_2, self.K_2, h[..., self.label])[:, -1, 0]
