r"""A rectifier turns an approximate transition into one that is exactly zero on every mismatch.

Setting    Any map $\chi=\Psi+\xi$ with $\Psi_l=x\,\mathbb{1}[i=t_l]$ and $\|\xi\|_\infty\le\varepsilon/2$; the
           rectifier $\rho_b(z)=\sigma(z-b)-\sigma(-z-b)$ with $b=\varepsilon/2$.
Statement  $\rho_b(\chi)_l=0$ exactly if $t_l\ne i$, and $\|\rho_b(\chi)_l-x\|_\infty\le\varepsilon$ if $t_l=i$.  Over a
           sequence the error of a slot therefore stays at most $\varepsilon$, whatever $N$ is; without the rectifier
           errors of one sign add up to $N\varepsilon/2$.
Proof      On a mismatch $|\chi_l|\le b$, which $\rho_b$ sends to 0. On a match $\rho_b$ moves an entry by at most $b$,
           and $\xi$ by at most $\frac\varepsilon2=b$. The slot is the sum of the increments, of which one is not 0.
Adversary  $\xi$ at both ends of its range, in between and at random; $\rho_b$ is monotone, so the ends are the worst.
           $\xi=-\varepsilon/2$ on a positive entry attains $\varepsilon$.
Measured   Number of mismatches that are exactly zero, largest error of a match, and of a slot after all $N$ positions,
           in rationals.
Control    No rectifier; half its threshold; twice its threshold; a perturbation twice as large.
Reads      The values of $b$ and of the perturbation are those of the proof as transcribed.  With a saturated gate the
           rectifier is not needed: proposition_26 has error 0 without it.
"""

from dataclasses import dataclass
from fractions import Fraction

from theorytools import Claim, Control, Quantity, points

from ..notation import N, target

zeros = Quantity("mismatches exact", r"\#\{i\ne t:\rho_b(\chi)=0\}", "mismatches that are zero for every adversary",
                 (0, N - 1))
error = Quantity("error of a match", r"\max\|\rho_b(\chi)-x\|_\infty", "largest error of the indexed token", (0, None))
slot = Quantity("error of a slot", r"\max\|h_N-x_t\|_\infty", "largest error after N positions", (0, None))


@dataclass(frozen=True)
class Rectifier:
    r"""The map sigma(z - b) - sigma(-z - b) behind a perturbation of size at most ``size``."""

    b: Fraction
    size: Fraction

    def __call__(self, z):
        """Return the rectified value."""
        return max(z - self.b, 0) - max(-z - self.b, 0)


def construct(p, b=1, size=1) -> Rectifier:
    half = Fraction(p.target) / 2
    return Rectifier(b * half, size * half)


def measure(net, p):
    """Each adversary perturbs all positions; the indexed one is the last."""
    rng = p.rng("adversary")
    shares = [[Fraction(s)] * p.N for s in (-1, 1, "1/3", 0)]
    shares += [[Fraction(int(s), 64) for s in rng.integers(-64, 65, p.N)] for _ in range(4)]
    tokens = [Fraction(int(x), 8) for x in rng.integers(-40, 41, p.N - 1)] + [Fraction(5)]
    zero, match, total = [True] * (p.N - 1), Fraction(0), Fraction(0)
    for share in shares:
        written = [net(net.size * s) for s in share[1:]]
        zero = [a and w == 0 for a, w in zip(zero, written, strict=True)]
        errors = [net(x + net.size * share[0]) - x for x in tokens]
        match = max(match, *(abs(e) for e in errors))
        total = max(total, *(abs(e + sum(written)) for e in errors))
    return {zeros: sum(zero), error: match, slot: total}


claim = Claim(
    "Proposition 26, the rectifier",
    role="statement", source="published: Proposition 26; prose",
    scope={"every N": "proof", "every error target": "proof", "every perturbation": "proof",
           "every position": "proof"},
    asserts=[zeros.equals(N - 1), error <= target, slot <= target],
    requires=[N >= 4], grid=points("N target", (4, "1/2"), (16, "1/10"), (64, "1/1000")),
    construct=construct, measure=measure,
    controls=[
        Control("no rectifier", breaks=[zeros, slot], construct=lambda p: construct(p, b=0)),
        Control("half the threshold", breaks=[zeros, slot], where=N >= 8,
                construct=lambda p: construct(p, b=Fraction(1, 2))),
        Control("twice the threshold", breaks=[error, slot], construct=lambda p: construct(p, b=2)),
        Control("twice the perturbation", breaks=[zeros, error, slot], construct=lambda p: construct(p, size=2)),
    ],
)
