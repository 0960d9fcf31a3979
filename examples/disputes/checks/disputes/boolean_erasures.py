r"""Of all balanced functions majority correlates best when more than half of the bits are erased, says a conjecture.

Setting    $n$ odd, $0<p<\frac12$; of $x\in\{-1,1\}^n$ each bit is kept with probability $p$ and erased else;
           $f=\operatorname{sgn}(w\cdot x)$ with whole weights of odd sum, which are balanced.
Statement  $\Phi(f)=E|E(f(x)\mid\text{kept bits})|\le\Phi(\mathrm{Maj}_n)$ for every such $f$.
Proof      Of the repair, $\Phi(f)^2\le E f^2_{\text{kept}}=\sum_Sp^{|S|}\hat f(S)^2\le p$ for a balanced $f$.
Measured   Both sides over all $3^n$ patterns of bits and erasures, exactly.
Control    The constant function, which is not balanced; repair: at most $\sqrt p$.
"""
from dataclasses import replace
from fractions import Fraction

from sympy import sqrt

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

constant = Control("constant", breaks=kept, construct=lambda p: [1] * 2**p.n)
claim = Claim(
    "Majority under erasures", role="statement", expect="REFUTED", scope={"every n, w, p": "points"},
    source="published: O'Donnell and Wright (2012), A new point of NICD with erasures; none",
    asserts=kept <= majority, requires=[p > 0, 2 * p < 1], objects={"w": (Vectors(low=0, denominator=1), n)},
    such_that={"n is odd": lambda p: p.n % 2 == 1, "the sum of w is odd": lambda p: sum(p.w) % 2 == 1},
    construct=lambda p: threshold(p.w), grid=grid(n=[3, 5], p=["1/4", "1/3"]),
    measure=lambda f, p: {kept: known(f, p.p), majority: known(threshold([1] * p.n), p.p)},
    controls=[constant, Control("root", asserts=[kept <= sqrt(p)])],
)
repaired = replace(
    claim, label="At most the root", role="variant", expect="HOLDS", source="derived here: majority under erasures",
    scope={"every n, w, p": "proof"}, asserts=kept <= sqrt(p), controls=[constant],
    measure=lambda f, p: {kept: known(f, p.p)},
    statement=r"$\Phi(f)\le\sqrt p$ for $n$ odd, a sum of $w$ that is odd, $0<p<\frac12$.",
)
