r"""Of all balanced functions majority correlates best when more than half of the bits are erased, says a conjecture.

Setting    $n$ odd, $0<p<\frac12$; of $x\in\{-1,1\}^n$ each bit is kept with probability $p$ and erased else;
           $f=\operatorname{sgn}(w\cdot x)$ with whole weights of odd sum, which are balanced.
Statement  $\Phi(f)=E|E(f(x)\mid\text{kept bits})|\le\Phi(\mathrm{Maj}_n)$ for every such $f$.
Measured   Both sides over all $3^n$ patterns of bits and erasures, exactly.
Control    The constant function, which is not balanced.
"""
from fractions import Fraction

from theorytools import Claim, Control, Quantity, grid
from theorytools.search.kinds import Vectors

from .notation import n, p

kept = Quantity("kept", r"\Phi(f)", "mean modulus of what is known of f", (0, 1))
majority = Quantity("majority", r"\Phi(\mathrm{Maj}_n)", "the same of majority", (0, 1))

def threshold(w):
    return [1 if sum(a if x >> i & 1 else -a for i, a in enumerate(w)) > 0 else -1 for x in range(2 ** len(w))]

def known(f, p):
    if len(f) == 1:
        return abs(f[0])
    one, other = f[::2], f[1::2]
    erased = [a + b for a, b in zip(one, other, strict=True)]  # twice their mean
    return (p * (known(one, p) + known(other, p)) + (1 - p) * known(erased, p)) / Fraction(2)

claim = Claim(
    "Majority under erasures", role="statement", scope={"every n, w, p": "points"},
    source="published: O'Donnell and Wright (2012), A new point of NICD with erasures; none",
    asserts=kept <= majority, requires=[p > 0, 2 * p < 1], objects={"w": (Vectors(low=0, denominator=1), n)},
    such_that={"n is odd": lambda p: p.n % 2 == 1, "the sum of w is odd": lambda p: sum(p.w) % 2 == 1},
    construct=lambda p: threshold(p.w), grid=grid(n=[3, 5], p=["1/4", "1/3"]),
    measure=lambda f, p: {kept: known(f, p.p), majority: known(threshold([1] * p.n), p.p)},
    controls=[Control("constant", breaks=kept, construct=lambda p: [1] * 2**p.n)],
)
