r"""Integrals with proved error: the integrand is evaluated on complex balls around pieces of the path.

The proof needs to know whether the integrand is analytic on a ball.  The argument handed to it therefore has
analytic operations only, and roots and logarithms check their branch cut by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import acb

from theorytools.errors import DomainError
from theorytools.numbers.balls import at_own_nodes, whole_line
from theorytools.numbers.enclosure import Enclosure, wrap


class Complex:
    """A complex ball with analytic operations only.

    These are ``+ - * /``, integer powers, exp, log, sqrt, sin, cos, tanh, erf.  It mixes with
    enclosures, integers and fractions; made by :func:`integrate`.
    """

    __slots__ = ("checked", "value")

    def __init__(self, value: acb, checked: bool) -> None:
        self.value, self.checked = value, checked

    def _with(self, other: Any, operation: Callable[[acb, acb], acb]) -> Complex:
        if isinstance(other, Complex):
            return Complex(operation(self.value, other.value), self.checked)
        try:
            given = other if isinstance(other, Enclosure) else Enclosure(other)
        except TypeError:
            return NotImplemented  # type: ignore[no-any-return]
        return Complex(operation(self.value, acb(given.ball())), self.checked)

    def __add__(self, other: Any) -> Complex:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Complex:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Complex:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Complex:
        return self._with(other, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> Complex:
        return self._with(other, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Complex:
        return self._with(other, lambda a, b: b / a)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Complex:
        return Complex(-self.value, self.checked)

    def __pow__(self, exponent: int) -> Complex:
        if not isinstance(exponent, int):
            return NotImplemented  # x**y is (y * x.log()).exp(), whose logarithm checks its branch cut
        return Complex(self.value**exponent, self.checked)

    def exp(self) -> Complex:
        """Return :math:`e^z`."""
        return Complex(self.value.exp(), self.checked)

    def log(self) -> Complex:
        """Return the principal logarithm; not finite where analyticity is asked and the cut is met."""
        return Complex(self.value.log(analytic=self.checked), self.checked)

    def sqrt(self) -> Complex:
        """Return the principal square root; not finite where analyticity is asked and the cut is met."""
        return Complex(self.value.sqrt(analytic=self.checked), self.checked)

    def sin(self) -> Complex:
        """Return the sine."""
        return Complex(self.value.sin(), self.checked)

    def cos(self) -> Complex:
        """Return the cosine."""
        return Complex(self.value.cos(), self.checked)

    def tanh(self) -> Complex:
        """Return the hyperbolic tangent."""
        return Complex(self.value.tanh(), self.checked)

    def erf(self) -> Complex:
        """Return the error function."""
        return Complex(self.value.erf(), self.checked)


def integrate(f: Callable[[Any], Any], a: Any, b: Any) -> Enclosure:
    r"""Return an enclosure of :math:`\int_a^b f(x)\,dx` at the ambient precision.

    Parameters
    ----------
    f : callable
        Takes a :class:`Complex` and returns one built from it by that class's operations (or a constant);
        real on the segment.  It must not look inside the ball, branch on it, or keep state.
    a, b : Enclosure, int or Fraction
        The finite ends.

    Returns
    -------
    Enclosure
        The whole line where the integral is not proved finite and real: a pole or a root of a negative
        number on the segment.  Endpoint singularities converge slowly; substitute them away.
    """
    if not callable(f):
        raise DomainError(f"f = {f!r:.60}", required="a function of one complex ball")
    raised: list[BaseException] = []

    def integrand(z: acb, analytic: bool) -> acb:
        if raised:
            return acb(whole_line(), whole_line())
        try:
            value = f(Complex(z, analytic))
            return value.value if isinstance(value, Complex) else acb(Enclosure(value).ball())
        except Exception as error:  # flint would replace it by a SystemError
            raised.append(error)
            return acb(whole_line(), whole_line())

    low, high = Enclosure(a), Enclosure(b)
    result = at_own_nodes(lambda: acb.integral(integrand, low.ball(), high.ball()))
    if raised:
        raise raised[0]
    return wrap(result.real if result.imag.contains(0) else whole_line())


def absolute_sum_transform(
    cosines: Mapping[int, Any], sines: Mapping[int, Any], damping: int = 0
) -> Callable[[Complex], Complex]:
    r"""Return :math:`z\mapsto e^{-qz^2/2}\bigl(\sum_kc_kE\cos(zS_k)+\sum_ks_kE\frac{\sin(zS_k)}z\bigr)`, entire.

    :math:`S_k=|x_1|+\dots+|x_k|` of standard normal numbers.  With :math:`a=e^{-z^2/2}`, :math:`d=a\,{}_1F_1(\tfrac12;
    \tfrac32;\tfrac{z^2}2)\sqrt{2/\pi}=\sqrt{2/\pi}\,{}_1F_1(1;\tfrac32;-\tfrac{z^2}2)`, which is
    :math:`a\,\mathrm{erfi}(z/\sqrt2)/z`, and :math:`u,v=a\pm izd` they are :math:`\tfrac12(u^k+v^k)` and
    :math:`\frac{u^k-v^k}{2iz}=d\sum_{j<k}u^jv^{k-1-j}`: no quotient by ``z``, which says nothing on a ball around 0.

    Parameters
    ----------
    cosines, sines : the weights :math:`c_k`, :math:`s_k` by ``k``, enclosures or exact numbers.
    damping : the integer :math:`q\ge0`.
    """
    even, odd = ({k: acb(Enclosure(x).ball()) for k, x in weights.items()} for weights in (cosines, sines))
    top, zero = max([*even, *odd], default=0), acb(0)
    scale, one, three_halves, i = (acb(2) / acb.pi()).sqrt(), acb(1), acb(3) / 2, acb(0, 1)

    def transform(z: Complex) -> Complex:
        square = -z.value * z.value / 2
        a, d = square.exp(), scale * square.hypgeom_1f1(one, three_halves)
        turn = i * z.value * d
        u, v, high, low, mixed, found, slopes = a + turn, a - turn, one, one, zero, zero, zero
        for k in range(top + 1):  # high = u^k, low = v^k, mixed the sum of u^j v^(k-1-j)
            if k in even:
                found += even[k] * (high + low)
            if k in odd:
                slopes += odd[k] * mixed
            mixed, high, low = mixed * v + high, high * u, low * v
        return Complex((found / 2 + d * slopes) * a**damping, z.checked)

    return transform
