r"""The Fourier transform of :math:`|x|`, :math:`x\sim N(0,1)`, as an analytic integrand."""

from __future__ import annotations

from flint import acb

from theorytools.algebra.rigorous.quadrature import Complex


def absolute_sum_transform(z: Complex, k: int) -> tuple[Complex, Complex]:
    r"""Return :math:`E\cos(zS)` and :math:`E\sin(zS)`, :math:`S=|x_1|+\dots+|x_k|` of standard normal numbers.

    For real :math:`z` they are the real and the imaginary part of
    :math:`\bigl(e^{-z^2/2}(1+i\,\mathrm{erfi}(z/\sqrt2))\bigr)^k`; both are entire.
    """
    half = z.value / acb(2).sqrt()
    even, odd = (-half * half).exp(), (-half * half).exp() * half.erfi()
    i = acb(0, 1)
    up, down = (even + i * odd) ** k, (even - i * odd) ** k
    return Complex((up + down) / 2, z.checked), Complex((up - down) / (2 * i), z.checked)
