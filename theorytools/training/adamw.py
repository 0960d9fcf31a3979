"""AdamW by torch's fused kernel, without ``torch.optim``.

The first optimiser that ``torch.optim`` makes in a process imports the compiler, ``torch._dynamo``, which takes longer
than a check trains.  The kernel and the state are those of ``torch.optim.AdamW(..., fused=True)``, and so are all bits.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch


class AdamW:
    r"""Loshchilov and Hutter's optimiser with :math:`\beta=(0.9,0.999)`, :math:`\epsilon=10^{-8}`.

    Parameters
    ----------
    parameters : the tensors that move.
    lr, weight_decay : the rate, and the decoupled decay.

    References
    ----------
    Loshchilov, Hutter (2019), Algorithm 2, arXiv 1711.05101.
    """

    def __init__(self, parameters: Iterable[torch.Tensor], *, lr: float, weight_decay: float) -> None:
        self.parameters, self.lr, self.weight_decay = list(parameters), lr, weight_decay
        self.means, self.squares = ([torch.zeros_like(p) for p in self.parameters] for _ in range(2))
        self.steps = [torch.zeros((), dtype=torch.float32) for _ in self.parameters]

    def zero_grad(self) -> None:
        """Drop the gradients."""
        for p in self.parameters:
            p.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Move every parameter that has a gradient."""
        rows = zip(self.parameters, self.means, self.squares, self.steps, strict=True)
        moved = [(p, p.grad, *state) for p, *state in rows if p.grad is not None]
        if not moved:
            return
        parameters, gradients, means, squares, steps = map(list, zip(*moved, strict=True))
        torch._foreach_add_(steps, 1)
        torch._fused_adamw_(
            parameters, gradients, means, squares, [], steps, lr=self.lr, beta1=0.9, beta2=0.999,
            weight_decay=self.weight_decay, eps=1e-8, amsgrad=False, maximize=False,
        )  # fmt: skip
