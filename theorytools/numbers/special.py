r"""Pi, gamma and its kin, zeta, Lambert's function, remainders, tails of the chi-square law, quotients of logarithms.

Each is exact where it is rational and that is known without a search.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpq, fmpz

from theorytools.arguments.checked import STEPS, PositiveInt, at_most, checked
from theorytools.errors import DomainError
from theorytools.numbers.balls import lower_end, upper_end, whole_line
from theorytools.numbers.combine import between, total
from theorytools.numbers.enclosure import EXACT_BITS, Enclosure, power, wrap

_EXACT_FACTORIAL = 100_000  # 100000! has 1.5 million bits
_FALLING_FACTORS = 1_000
_LOGARITHM_BITS = 4_096
_BERNOULLI = 1_000


def pi() -> Enclosure:
    r"""Return :math:`\pi` at the ambient precision."""
    return wrap(arb.pi())


def gamma(x: Enclosure) -> Enclosure:
    r"""Return :math:`\Gamma(x)`: exact at positive integers, the whole line where a pole may be met."""
    n = integer(x)
    if n is None or n > _EXACT_FACTORIAL:
        return x.apply("gamma")
    return Enclosure(fmpz.fac_ui(fmpz(n - 1))) if n > 0 else wrap(whole_line())


def loggamma(x: Enclosure) -> Enclosure:
    r"""Return :math:`\log\Gamma(x)` for :math:`x>0`; the whole line where ``x`` may be <= 0."""
    return Enclosure(0) if integer(x) in (1, 2) else x.apply("lgamma")


def factorial(x: Enclosure) -> Enclosure:
    r"""Return :math:`x!=\Gamma(x+1)`; exact at integers."""
    return gamma(x + 1)


def binomial(n: Enclosure, k: Enclosure) -> Enclosure:
    r"""Return :math:`\binom nk`: exact for rational ``n`` and integer ``k``, through gamma otherwise.

    For an integer ``k`` it is the polynomial :math:`n(n-1)\cdots(n-k+1)/k!`, 0 for negative ``k``; beyond,
    :math:`\Gamma(n+1)/(\Gamma(k+1)\Gamma(n-k+1))`, whose poles in ``n`` give the whole line.
    """
    top, bottom = integer(n), integer(k)
    if bottom is not None and bottom < 0:
        return n * 0  # 0, unless n itself is undefined
    if top is not None and bottom is not None and bottom <= top < 1 << 62:
        small = min(bottom, top - bottom)
        if min(top, small * top.bit_length()) <= EXACT_BITS:
            return Enclosure(fmpz.bin_uiui(top, small))
    if bottom is not None and bottom <= _FALLING_FACTORS:
        return _falling(n, bottom)
    return gamma(n + 1) * (k + 1).apply("rgamma") * (n - k + 1).apply("rgamma")


def _falling(n: Enclosure, k: int) -> Enclosure:
    result = Enclosure(1)
    for i in range(k):
        result = result * (n - i) / (i + 1)
    return result


@checked
@at_most(d=STEPS)
def chi_square_tail(d: PositiveInt, x: Enclosure) -> Enclosure:
    r"""Return :math:`\Pr(\chi^2_d\ge x)` for :math:`x\ge0` at the ambient precision.

    Integration by parts lowers :math:`d` by two: with :math:`y=x/2`,

    .. math:: \Pr(\chi^2_d\ge x)=e^{-y}\sum_{k<d/2}\frac{y^k}{k!}\ (d\text{ even}),\qquad
              \operatorname{erfc}\sqrt y+e^{-y}\sum_{k\le(d-1)/2}\frac{y^{k-1/2}}{\Gamma(k+\frac12)}\ (d\text{ odd}).

    Examples
    --------
    >>> round(float(chi_square_tail(4, Enclosure(2))), 6), round(float(chi_square_tail(3, Enclosure(2))), 6)
    (0.735759, 0.572407)
    """
    if x.upper < 0:
        raise DomainError(f"x = {x!r}", required="x >= 0")
    y, odd = x / 2, d % 2
    # y^(k-1/2)/Gamma(k+1/2): k = 1 gives sqrt(y) * 2/sqrt(pi), each further one a factor y/(k-1/2)
    term = (y * 4 / pi()).sqrt() if odd else Enclosure(1)
    terms = []
    for k in range(1, d // 2 + 1):
        terms.append(term)
        term = term * y / (k + Fraction(odd, 2))
    tail = (-y).exp() * total(terms)
    return y.sqrt().apply("erfc") + tail if odd else tail


def log_quotient(a: Enclosure, b: Enclosure) -> Enclosure:
    r"""Return :math:`\log a/\log b`, exact where it is rational (``log 8 / log 4 = 3/2``).

    Without this ``ceiling(log(N)/log(2))`` stays undecided at powers of two, at every precision.
    """
    if a.exact and b.exact and a.value > 0 and b.value > 0 and b.value != 1:
        ratio = _rational_logarithm(a.value, b.value)
        if ratio is not None:
            return Enclosure(ratio)
    return a.log() / b.log()


def _rational_logarithm(a: fmpq, b: fmpq) -> fmpq | None:
    """Euclid's algorithm on the exponents: if a = g^m and b = g^n, then a/b = g^(m-n), down to 1."""
    if max(a.height_bits(), b.height_bits()) > _LOGARITHM_BITS:
        return None
    if a < 1:
        ratio = _rational_logarithm(1 / a, b)
        return None if ratio is None else -ratio
    if b < 1:
        ratio = _rational_logarithm(a, 1 / b)
        return None if ratio is None else -ratio
    count = 0
    while a >= b:
        quotient = a / b
        if quotient.p * quotient.q >= a.p * a.q:  # a proper power of g would have become smaller
            return None
        a, count = quotient, count + 1
    if a == 1:
        return fmpq(count)
    rest = _rational_logarithm(b, a)
    return None if rest is None else count + 1 / rest


def exp_of_logs(rest: Enclosure | None, powers: list[tuple[Enclosure, Enclosure]]) -> Enclosure:
    r"""Return :math:`e^{r}\prod_i b_i^{c_i}`, the exponential of :math:`r+\sum_i c_i\log b_i`.

    Exact where the powers are: ``exp(-3 log 2)`` is 1/8.  A base that may be ``<= 0`` has no logarithm.
    """
    result = Enclosure(1) if rest is None else rest.exp()
    for base, exponent in powers:
        result = result * (power(base, exponent) if base.certainly_le(0) is False else wrap(whole_line()))
    return result


def zeta(s: Enclosure) -> Enclosure:
    r"""Return Riemann's :math:`\zeta(s)`; the whole line where ``s`` may be 1, its pole.

    At integers :math:`-n\le0` it is the fraction :math:`-B_{n+1}/(n+1)`, and :math:`-1/2` at 0.
    """
    n = integer(s)
    if n is not None and -_BERNOULLI <= n <= 0:
        return Enclosure(Fraction(-1, 2)) if n == 0 else wrap(fmpq.bernoulli(1 - n) / (n - 1))
    if s.certainly_le(1) is False:
        return _monotone(s, arb.zeta)  # a sum of decreasing powers
    return s.apply("zeta") if s.certainly_lt(1) else wrap(whole_line())


def hurwitz(s: Enclosure, a: Enclosure) -> Enclosure:
    r"""Return :math:`\zeta(s,a)=\sum_{k\ge0}(k+a)^{-s}` for :math:`s>1,\ a>0`; the whole line elsewhere."""
    if s.certainly_le(1) is not False or a.certainly_le(0) is not False:
        return wrap(whole_line())
    exponent = s.ball()
    return _monotone(a, lambda start: exponent.zeta(start))


def digamma(x: Enclosure) -> Enclosure:
    r"""Return :math:`\psi(x)=\Gamma'(x)/\Gamma(x)`; the whole line where a pole, an integer <= 0, may be met."""
    return _monotone(x, arb.digamma) if x.certainly_le(0) is False else x.apply("digamma")


def polygamma(n: Enclosure, x: Enclosure) -> Enclosure:
    r"""Return :math:`\psi^{(n)}(x)`: :func:`digamma` at 0; for ``x > 0`` :math:`(-1)^{n+1}n!\,\zeta(n+1,x)`."""
    order = integer(n)
    if order == 0:
        return digamma(x)
    if order is None or not 0 < order <= _BERNOULLI:
        return wrap(whole_line())
    size = hurwitz(n + 1, x) * factorial(n)
    return size if order % 2 else -size


def lambert(x: Enclosure) -> Enclosure:
    r"""Return the principal :math:`W(x)\ge-1` with :math:`We^W=x`; the whole line where :math:`x\ge-1/e` is open."""
    return Enclosure(0) if integer(x) == 0 else _monotone(x, arb.lambertw)


def modulo(a: Enclosure, b: Enclosure) -> Enclosure:
    r"""Return :math:`a-b\lfloor a/b\rfloor`, between 0 and ``b``, where the quotient leaves its floor open too."""
    quotient = a / b
    if not quotient.upper.finite:
        return quotient
    turns = quotient.floor()
    return a - b * turns if turns.exact else between(0, b)


def _monotone(x: Enclosure, function: Callable[[arb], arb]) -> Enclosure:
    """The values of a monotone function lie between those at the two ends; the whole line where it has none there."""
    ball = x.ball()
    if not ball.is_finite():
        return wrap(ball)
    if ball.is_exact():
        return wrap(function(ball))
    return wrap(function(lower_end(ball)).union(function(upper_end(ball))))


def integer(x: Enclosure) -> int | None:
    """Return the integer that ``x`` is exactly, or None."""
    return int(x.value.p) if isinstance(x.value, fmpq) and x.value.q == 1 else None
