r"""Members of one cell as one program: stacked weights, one fused optimiser step, members leave when they are done.

Members are experiments that differ only in the repeat.  All weights lie in one vector, parameter by parameter, and
each parameter is a contiguous view ``(M, *shape)`` of it; so one optimiser call moves all members.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import torch
from torch import nn

from theorytools.errors import DomainError
from theorytools.papers.qstr.training.costs import evaluated, together
from theorytools.papers.qstr.training.experiment import Experiment


class Stacked(ABC):
    r"""``M`` members of one cell.

    Subclasses give :meth:`forward` and :meth:`backward` in terms of the views ``self.weights[name]`` and
    ``self.gradients[name]``, which are ``(M, *shape)`` and named as in the plain module unless a subclass lays them
    out in its own way (:meth:`layout`, :meth:`store`, :meth:`load`).

    Parameters
    ----------
    modules : plain modules of one architecture, whose weights are copied.
    codes : the members' codes, shape ``(M, N, d_e)``.
    experiment : any one of the cell; its optimiser, rate and decay are common to all.
    device : where the arrays live.

    Attributes
    ----------
    block : prompts of one member that are evaluated together.  On a CPU temporaries beyond the cache page-fault; an
        accelerator is given as many as its memory takes, since what it waits for are launches.

    Raises
    ------
    DomainError : no module, or as many codes as modules fails.
    """

    block: int = 125

    def __init__(
        self, modules: Sequence[nn.Module], codes: torch.Tensor, experiment: Experiment, device: str = "cpu"
    ) -> None:
        if not modules or len(codes) != len(modules):
            raise DomainError(f"{len(modules)} modules and {len(codes)} tables of codes", required="equally many, >= 1")
        self.experiment = experiment
        self.shapes = self.layout(modules[0])
        self.members = len(modules)
        flat = codes.new_zeros(len(modules) * sum(shape.numel() for shape in self.shapes.values()))
        views = self._views(flat)
        with torch.no_grad():
            for member, module in enumerate(modules):
                self.store({name: view[member] for name, view in views.items()}, module)
        self.codes = codes.to(device)
        self._adopt(flat.to(device))

    def layout(self, module: nn.Module) -> dict[str, torch.Size]:
        """Return the names and shapes of the views; those of the plain module's parameters unless overridden."""
        return {name: weights.shape for name, weights in module.named_parameters()}

    def store(self, views: dict[str, torch.Tensor], module: nn.Module) -> None:
        """Copy a plain module's weights into one member's views."""
        for name, weights in module.named_parameters():
            views[name].copy_(weights)

    def _adopt(self, flat: torch.Tensor, state: dict[str, torch.Tensor] | None = None) -> None:
        """Take ``flat`` for the weights, with the optimiser's running averages where there are any."""
        self.flat = nn.Parameter(flat)
        self.flat.grad = torch.zeros_like(flat)
        self.weights, self.gradients = self._views(self.flat.detach()), self._views(self.flat.grad)
        lr, decay = float(self.experiment.lr), float(self.experiment.weight_decay)
        kind = torch.optim.AdamW if self.experiment.optimiser == "adamw" else torch.optim.SGD
        fused = flat.device.type != "meta"  # where no kernel is registered, and nothing is computed
        self.optimiser = kind([self.flat], lr=lr, weight_decay=decay, fused=fused)
        if state is not None:
            self.optimiser.state[self.flat] = state
        if flat.device.type != "cpu":
            self.block = together(self.experiment, self.members, self.evaluated())

    def state(self) -> dict[str, torch.Tensor]:
        """Return, on the host, copies of all that the next steps depend on: weights and what the optimiser keeps."""
        arrays = {"weights": self.flat.detach(), **self.optimiser.state[self.flat]}
        return {name: array.to("cpu", copy=True) for name, array in arrays.items()}

    def restart(self, state: Mapping[str, torch.Tensor]) -> None:
        """Take the state of a stack of the same members, and go on as that one would have."""
        kept = dict(state)
        flat = kept.pop("weights").to(self.flat.device)
        of_optimiser = {name: array.to(self.flat.device, copy=True) for name, array in kept.items()}
        self._adopt(flat.clone(), of_optimiser or None)

    def evaluated(self) -> int:
        """Return about the numbers that one prompt of a member needs while it is evaluated."""
        return evaluated(self.experiment)

    def _views(self, flat: torch.Tensor) -> dict[str, torch.Tensor]:
        views, start = {}, 0
        for name, shape in self.shapes.items():
            size = self.members * shape.numel()
            views[name] = flat[start : start + size].view(self.members, *shape)
            start += size
        return views

    def rows(self, members: Sequence[int] | None) -> slice | list[int]:
        """Return the index of some members, a slice wherever it can be: that copies nothing."""
        if members is None:
            return slice(None)
        first = members[0]
        return slice(first, first + 1) if len(members) == 1 else list(members)

    def keep(self, left: Sequence[int]) -> None:
        """Keep these members, in this order; weights and running averages of the others are dropped."""
        index = torch.tensor(list(left), device=self.flat.device)
        state = self.optimiser.state[self.flat]
        vectors = {name: value for name, value in state.items() if value.shape == self.flat.shape}
        rows = {
            name: torch.cat([view[index].reshape(-1) for view in self._views(vector).values()])
            for name, vector in {**vectors, "weights": self.flat.detach()}.items()
        }
        self.codes, self.members = self.codes[index], len(index)
        self._adopt(rows.pop("weights"), {**state, **rows} or None)

    def finite(self) -> list[bool]:
        """Return for each member whether all its weights are finite."""
        flat = self.flat.detach()
        if flat.device.type == "cpu":  # one pass; a NaN anywhere is both extremes
            found = all(math.isfinite(extreme.item()) for extreme in flat.aminmax())
        else:
            found = bool(flat.isfinite().all())
        if found:
            return [True] * self.members
        return torch.stack([view.isfinite().flatten(1).all(1) for view in self.weights.values()]).all(0).tolist()

    def load(self, member: int, module: nn.Module) -> nn.Module:
        """Copy the weights of one member into a plain module and return it."""
        with torch.no_grad():
            for name, weights in module.named_parameters():
                weights.copy_(self.weights[name][member])
        return module

    @abstractmethod
    def forward(
        self, X: torch.Tensor, T: torch.Tensor, members: Sequence[int] | None = None, *, keep: bool = False
    ) -> torch.Tensor:
        """Return the predictions ``(M, B, N)`` for ``X`` ``(M, B, N, d)`` and ``T`` ``(M, B, N, q)``.

        With ``members`` only those are evaluated, and the arrays have as many rows; with ``keep`` what
        :meth:`backward` needs is kept.
        """

    @abstractmethod
    def backward(self, gradient: torch.Tensor) -> None:
        """Write the gradient of all weights, given that of the predictions kept last, ``(M, B, N)``."""

    def descend(self) -> None:
        """Move all weights along the gradient that :meth:`backward` wrote.

        The kernel is called as ``torch.optim.AdamW(..., fused=True)`` calls it, with the same state, so all bits are
        the same; what is left out is half a tenth of a millisecond of its Python.  The first step is the optimiser's
        own, which makes the state.
        """
        one, state, gradient = self.optimiser.param_groups[0], self.optimiser.state.get(self.flat), self.flat.grad
        known = type(self.optimiser) is torch.optim.AdamW and one["fused"] and self.flat.device.type == "cpu"
        if not (known and state) or gradient is None:
            self.optimiser.step()
            return
        beta_1, beta_2 = one["betas"]
        with torch.no_grad():
            state["step"] += 1
            torch._fused_adamw_(
                [self.flat], [gradient], [state["exp_avg"]], [state["exp_avg_sq"]], [], [state["step"]],
                lr=one["lr"], beta1=beta_1, beta2=beta_2, weight_decay=one["weight_decay"], eps=one["eps"],
                amsgrad=False, maximize=False,
            )  # fmt: skip

    def advance(self, X: torch.Tensor, T: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Make one step of every member on its own batch; return the errors ``(M, B, N)`` before it."""
        error = self.forward(X, T, keep=True).sub_(y)
        self.backward(error * (2 / error[0].numel()))
        self.descend()
        return error

    def step(self, X: torch.Tensor, T: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Make one step of every member on its own batch; return the losses ``(M,)`` before it."""
        with torch.no_grad():
            return self.advance(X, T, y).square().mean((1, 2))

    def losses(
        self, X: torch.Tensor, T: torch.Tensor, y: torch.Tensor, members: Sequence[int] | None = None
    ) -> torch.Tensor:
        """Return each prompt's mean squared error over its positions, ``(M, B)``."""
        with torch.no_grad():
            return (self.forward(X, T, members) - y).square().mean(-1)
