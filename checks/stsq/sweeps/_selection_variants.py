r"""Attention layers beside the one of the theorem: other initialisations, separate keys and queries, LayerNorm, Adam.

Keys and values are :math:`z_i=[x_i;e_i]`, with ``layer_norm`` centred and scaled to :math:`\|z_i\|^2=d+d_e`; the query
column is :math:`e_y`; :math:`f=V\sum_ia_iz_i`, :math:`a=\mathrm{softmax}(z_i^\top We_y)`, with ``separate``
:math:`W=W_K^\top W_Q`.  Gradients are those of autograd.  A trained layer succeeds at a prompt if the ``q`` largest
attention weights are those of the selected tokens; for :math:`W=\operatorname{diag}(0,\beta I)` that is
:math:`\kappa<1`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import torch

from theorytools.errors import DomainError
from theorytools.training.sweep import Results, Spec
from theorytools.training.trials.trial import trial_generator

from ._selection_sgd import Selection, SelectionBatch, draw_batch

FORMS = ("zero", "random", "separate", "layer norm", "adam")
TEST_BLOCK = 512


class VariantLayer(torch.nn.Module):
    """One layer of the form named, from its own generator.

    Parameters
    ----------
    task : the task.
    form : ``zero`` and ``adam`` start at zero; ``random`` draws the part of V on the encodings and that of W on the
        tokens, ``separate`` all of W_K and W_Q (V from zero), entries of variance one over their columns.
    rng : draws the start.
    """

    def __init__(self, task: Selection, form: str, rng: torch.Generator) -> None:
        super().__init__()
        if form not in FORMS:
            raise DomainError(f"form = {form!r}", required=f"one of {', '.join(FORMS)}")
        self.task, self.form, width = task, form, task.d + task.d_e

        def drawn(*shape: int) -> torch.Tensor:
            return torch.randn(*shape, generator=rng) * shape[1] ** -0.5

        V, W = torch.zeros(task.d, width), torch.zeros(width, task.d_e)
        if form == "random":
            V[:, task.d:], W[:task.d] = drawn(task.d, task.d_e), drawn(task.d, task.d_e)
        self.V = torch.nn.Parameter(V)
        parts = (drawn(width, width), drawn(width, task.d_e)) if form == "separate" else (W,)
        self.W = torch.nn.ParameterList(torch.nn.Parameter(part) for part in parts)

    def attention(self, batch: SelectionBatch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the attention weights ``(n, T)`` and the columns ``(n, T, d + d_e)`` of one repeat."""
        Z = torch.cat([batch.X[0], batch.E[0].expand(*batch.X[0].shape[:2], -1)], dim=-1)
        if self.form == "layer norm":
            Z = torch.nn.functional.layer_norm(Z, Z.shape[-1:])
        key = batch.e_y[0] @ self.W[-1].T
        if len(self.W) == 2:
            key = key @ self.W[0]
        return torch.softmax((Z @ key[..., None])[..., 0], dim=-1), Z

    def forward(self, batch: SelectionBatch) -> torch.Tensor:
        """Return the predictions, ``(n, d)``."""
        a, Z = self.attention(batch)
        return (a[:, None] @ Z)[:, 0] @ self.V.T


def success(a: torch.Tensor, E: torch.Tensor, e_y: torch.Tensor, q: int) -> torch.Tensor:
    """Return whether the ``q`` largest weights are on the tokens whose product with the dual query is 1, ``(n,)``."""
    chosen = ((E @ e_y[..., None])[..., 0] - 1).abs().topk(q, dim=1, largest=False).indices
    return (a.topk(q, dim=1).indices.sort(dim=1).values == chosen.sort(dim=1).values).all(dim=1)


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Run the repeats of an arm one after the other."""
    torch.set_num_threads(1)
    for spec in specs:
        yield dict(spec), train(spec)


def train(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Train one layer; return its loss and its rate of success at each mark, and the last ones."""
    names = ("T", "q", "d", "d_e", "encodings", "query", "longest")
    task = Selection(**{name: spec[name] for name in names})
    start, stream, tests = (trial_generator(role, spec) for role in ("codes", "train", "test"))
    net, rate = VariantLayer(task, spec["form"], start), float(Fraction(spec["rate"]))
    if spec["form"] == "adam":
        optimiser: torch.optim.Optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    else:
        optimiser = torch.optim.SGD(net.parameters(), lr=rate)
    curve = []
    for step in range(int(spec["marks"][-1]) + 1):
        if step in spec["marks"]:
            curve.append({"step": step, **_measured(net, tests, int(spec["tests"]))})
        batch = draw_batch(task, [stream], int(spec["batch"]), task.T, [None])
        optimiser.zero_grad()
        (net(batch) - batch.s[0]).square().sum(-1).mean().backward()
        optimiser.step()
    return {"loss": curve[-1]["loss"], "success": curve[-1]["success"], "curve": curve}


@torch.no_grad()
def _measured(net: VariantLayer, rng: torch.Generator, tests: int) -> dict[str, float]:
    losses, found = [], []
    for _ in range(tests // TEST_BLOCK):
        batch = draw_batch(net.task, [rng], TEST_BLOCK, net.task.T, [None])
        losses.append((net(batch) - batch.s[0]).square().sum(-1).double())
        found.append(success(net.attention(batch)[0], batch.E[0], batch.e_y[0], net.task.q).double())
    return {"loss": torch.cat(losses).mean().item(), "success": torch.cat(found).mean().item()}
