r"""Stacked feed-forward networks; the columns that are fed the codes of the positions are folded into one vector.

Those inputs are the same for every prompt.  Let column :math:`c` of the first layer be fed the constant
:math:`a_c=\pm d_e^{-1/2}`.  Its gradient is :math:`a_c` times that of the bias, so with AdamW's averages :math:`m,v` of
the bias its own are :math:`a_cm,a_c^2v`, and the contribution :math:`o=\sum_ca_cW_c` of the :math:`Nd_e` columns to the
layer moves by

.. math:: o\leftarrow(1-\eta\lambda)\,o-\eta N\sqrt{d_e}\;\frac{\hat m}{\sqrt{\hat v}+\epsilon\sqrt{d_e}} .

Only the vector :math:`o` is trained, and since :math:`\sum_ca_c^2=N` every column is recovered from it:
:math:`W_c=(1-\eta\lambda)^kW_c(0)+a_c\,(o-(1-\eta\lambda)^ko(0))/N` after :math:`k` steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import torch
from torch import nn

from theorytools.errors import DomainError
from theorytools.papers.qstr.training.costs import BLOCK
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.stacks.attention import Inputs, Workspace
from theorytools.papers.qstr.training.stacks.stacked import Stacked
from theorytools.training.networks import FeedForward

bmm = torch.bmm


class StackedFeedForward(Stacked):
    r"""Members with three layers; of the first, the weights of tokens and tuples and the folded vector are trained.

    Parameters
    ----------
    modules, codes, experiment, device : as for every ensemble.

    Raises
    ------
    DomainError : codes that are not :math:`\pm d_e^{-1/2}`.
    """

    block = BLOCK["ffn"]

    def __init__(
        self, modules: Sequence[nn.Module], codes: torch.Tensor, experiment: Experiment, device: str = "cpu"
    ) -> None:
        super().__init__(modules, codes, experiment, device)
        _, N, d_e = codes.shape
        if not torch.allclose(codes.abs(), codes.new_tensor(d_e**-0.5)):
            raise DomainError("codes of several absolute values", required="unit sign codes, whose columns fold")
        first = (cast(FeedForward, module).first.weight.detach() for module in modules)
        parts = (weight.unflatten(1, (N, -1))[:, :, self._folded()] for weight in first)
        self.columns = torch.stack(list(parts)).to(device)
        self.start = torch.einsum("mwnc,mnc->mw", self.columns, self.codes)
        self.offset, self.steps = self.start.clone(), 0

    def _folded(self) -> slice:
        return slice(self.experiment.d, self.experiment.d + self.experiment.d_e)

    def _varying(self, weight: torch.Tensor) -> list[torch.Tensor]:
        """Return the views of tokens and tuples in a first layer ``(width, N D_e)``, each ``(width, N, columns)``."""
        columns, folded = weight.unflatten(1, (self.experiment.N, -1)), self._folded()
        return [columns[:, :, : folded.start], columns[:, :, folded.stop :]]

    def layout(self, module: nn.Module) -> dict[str, torch.Size]:
        """Return the plain module's parameters, the first layer without the folded columns."""
        shapes = super().layout(module)
        width, inputs = shapes["first.weight"]
        return {**shapes, "first.weight": torch.Size((width, inputs - self.experiment.N * self.experiment.d_e))}

    def store(self, views: dict[str, torch.Tensor], module: nn.Module) -> None:
        """Copy a plain module's weights into one member's views."""
        for name, weights in module.named_parameters():
            kept = torch.cat(self._varying(weights), 2).flatten(1) if name == "first.weight" else weights
            views[name].copy_(kept)

    def load(self, member: int, module: nn.Module) -> nn.Module:
        """Copy the weights of one member into a plain module, folded columns included, and return it."""
        decay = (1 - float(self.experiment.lr * self.experiment.weight_decay)) ** self.steps
        with torch.no_grad():
            for name, weights in module.named_parameters():
                if name != "first.weight":
                    weights.copy_(self.weights[name][member])
            first = cast(FeedForward, module).first.weight
            d = self.experiment.d
            kept = self.weights["first.weight"][member].unflatten(1, (self.experiment.N, -1))
            for view, part in zip(self._varying(first), (kept[:, :, :d], kept[:, :, d:]), strict=True):
                view.copy_(part)
            moved = (self.offset[member] - decay * self.start[member]) / self.experiment.N
            columns = decay * self.columns[member] + moved[:, None, None] * self.codes[member]
            first.unflatten(1, (self.experiment.N, -1))[:, :, self._folded()] = columns
        return module

    def _adopt(self, flat: torch.Tensor, state: dict[str, torch.Tensor] | None = None) -> None:
        super()._adopt(flat, state)
        self.inputs = Inputs(self.codes, self.experiment.d, self.experiment.q, constant=False)
        self.space = Workspace(flat)
        self.moments: tuple[torch.Tensor, torch.Tensor] | None = None

    def state(self) -> dict[str, torch.Tensor]:
        """Return also the folded vector and how many steps it made."""
        return {**super().state(), "offset": self.offset.to("cpu", copy=True), "steps": torch.tensor(self.steps)}

    def restart(self, state: Mapping[str, torch.Tensor]) -> None:
        """Take the folded vector, too."""
        self.offset, self.steps = state["offset"].to(self.flat.device, copy=True), int(state["steps"])
        super().restart({name: array for name, array in state.items() if name not in ("offset", "steps")})

    def keep(self, left: Sequence[int]) -> None:
        """Keep these members, in this order."""
        super().keep(left)
        index = torch.tensor(list(left), device=self.flat.device)
        self.columns, self.start, self.offset = self.columns[index], self.start[index], self.offset[index]

    def forward(
        self, X: torch.Tensor, T: torch.Tensor, members: Sequence[int] | None = None, *, keep: bool = False
    ) -> torch.Tensor:
        """Return the predictions ``(M, B, N)``."""
        rows = self.rows(members)
        W = {name: w[rows] for name, w in self.weights.items()}
        Z = self.inputs(X, T, members).flatten(2)
        first = self._affine("first", Z, W["first.weight"], W["first.bias"] + self.offset[rows]).relu_()
        second = self._affine("second", first, W["second.weight"], W["second.bias"]).relu_()
        if keep:
            self.kept = Z, first, second
        return self._affine("last", second, W["last.weight"], W["last.bias"])

    def _affine(self, name: str, Z: torch.Tensor, W: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        out = self.space(name, *Z.shape[:2], W.shape[1])
        return bmm(Z, W.transpose(1, 2), out=out).add_(b[:, None])

    def backward(self, gradient: torch.Tensor) -> None:
        """Write the gradient, layer by layer."""
        Z, first, second = self.kept
        self._layer("last", gradient, second)
        inner = self._through("last", gradient, second)
        self._layer("second", inner, first)
        inner = self._through("second", inner, first)
        self._layer("first", inner, Z)

    def _layer(self, name: str, gradient: torch.Tensor, inputs: torch.Tensor) -> None:
        bmm(gradient.transpose(1, 2), inputs, out=self.gradients[f"{name}.weight"])
        torch.sum(gradient, 1, out=self.gradients[f"{name}.bias"])

    def _through(self, name: str, gradient: torch.Tensor, active: torch.Tensor) -> torch.Tensor:
        """Return the gradient before the ReLU that a layer reads, given that after the layer."""
        inner = bmm(gradient, self.weights[f"{name}.weight"], out=self.space(f"before {name}", *active.shape))
        return torch.ops.aten.threshold_backward.grad_input(inner, active, 0, grad_input=inner)

    def descend(self) -> None:
        """Move all weights, and the folded vector with the averages of the first bias."""
        super().descend()
        one, N, d_e = self.experiment, self.experiment.N, self.experiment.d_e
        lr, decay = float(one.lr), float(one.weight_decay)
        self.steps += 1
        if one.optimiser == "sgd":
            self.offset.mul_(1 - lr * decay).sub_(self.gradients["first.bias"], alpha=lr * N)
            return
        if self.moments is None:
            state = self.optimiser.state[self.flat]
            found = (self._views(state[name])["first.bias"] for name in ("exp_avg", "exp_avg_sq"))
            self.moments = cast(tuple[torch.Tensor, torch.Tensor], tuple(found))
        m, v = self.moments
        (beta_1, beta_2), eps = self.optimiser.defaults["betas"], self.optimiser.defaults["eps"]
        root = (v / (1 - beta_2**self.steps)).sqrt_().add_(eps * d_e**0.5)
        rate = lr * N * d_e**0.5 / (1 - beta_1**self.steps)
        self.offset.mul_(1 - lr * decay).addcdiv_(m, root, value=-rate)
