"""The law of Student's t by its finite sums, a second route to separation among q + 1 tokens."""

from fractions import Fraction

from theorytools import Enclosure
from theorytools.numbers import pi


def student(nu, x_2):
    r"""Return $\Pr(t_\nu\le x\sqrt\nu)$ for a rational $x^2$, $x\ge0$, by sums in $\theta=\arctan x$.

    $\frac12+\frac1\pi(\theta+\sin\theta\cos\theta\sum_ka_k\cos^{2k}\theta)$ for odd $\nu$ and
    $\frac12+\frac12\sin\theta\sum_kb_k\cos^{2k}\theta$ for even $\nu$, $\lfloor\nu/2\rfloor$ terms,
    $a_0=b_0=1$, $a_{k+1}=a_k\frac{2k+2}{2k+3}$, $b_{k+1}=b_k\frac{2k+1}{2k+2}$.
    """
    cos_2, term, parts = 1 / (1 + Fraction(x_2)), Fraction(1), Fraction(0)
    for k in range(nu // 2):
        parts += term
        term *= cos_2 * (Fraction(2 * k + 2, 2 * k + 3) if nu % 2 else Fraction(2 * k + 1, 2 * k + 2))
    sin = Enclosure(1 - cos_2).sqrt()
    if nu % 2 == 0:
        return (1 + sin * parts) / 2
    return Fraction(1, 2) + (Enclosure(x_2).sqrt().apply("atan") + sin * Enclosure(cos_2).sqrt() * parts) / pi()
