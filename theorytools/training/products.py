"""Which library multiplies float32 matrices on the CPU: the default one, or the faster one that torch can be allowed.

``torch.set_float32_matmul_precision("medium")`` sends float32 products to oneDNN, which is twice as fast as MKL on many
processors.  It also *permits* bfloat16, so the error of one product is measured before it is used.  The setting is
global; :func:`fast_products` holds it only inside its block.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import torch

TOLERANCE = 1e-5


@dataclass(frozen=True)
class Route:
    """What multiplies float32 matrices on the CPU.

    Parameters
    ----------
    precision : the setting of torch, ``"medium"`` or the default, ``"highest"``.
    error : the error of one product at ``"medium"``, relative to the largest entry.
    """

    precision: str
    error: float


@cache
def route() -> Route:
    r"""Return the route: ``"medium"`` if one product of :math:`64\times512\times512` errs by at most ``TOLERANCE``."""
    a, b = (torch.randn(n, 512, generator=torch.Generator().manual_seed(n)) for n in (64, 512))
    exact = a.double() @ b.double().T
    with _precision("medium"):
        error = float(((a @ b.T).double() - exact).abs().max() / exact.abs().max())
    return Route("medium" if error <= TOLERANCE else "highest", error)


@contextmanager
def _precision(name: str) -> Iterator[None]:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(name)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


@contextmanager
def fast_products(device: str = "cpu") -> Iterator[Route | None]:
    """Take the measured route inside the block, on a CPU only: elsewhere float32 is float32, and never TF32."""
    if torch.device(device).type != "cpu":
        with _precision("highest"):
            yield None
        return
    with _precision(route().precision):
        yield route()
