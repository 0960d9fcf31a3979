r"""What truncation hides of the risk is at most the root of a fourth moment times a tail, and 0 for bounded errors.

Setting    $\Delta=\hat y-y$, $R=\mathbb{E}\Delta^2$, $R_\tau=\mathbb{E}[\Delta^2\wedge\tau]$.
Statement  $0\le R-R_\tau\le\sqrt{\mathbb{E}\Delta^4\,\Pr(\Delta^2\ge\tau)}$; if $\Delta^2\le\tau$ always, as with
           bounded tokens and predictions and a large enough $\tau$, then $R=R_\tau$.
Proof      $R-R_\tau=\mathbb{E}(\Delta^2-\tau)_+\le\mathbb{E}[\Delta^2\mathbb{1}_{\Delta^2\ge\tau}]$, and the inequality
           of Cauchy and Schwarz; $\Delta^2\wedge\tau=\Delta^2$ for $\Delta^2\le\tau$.
Adversary  An error that is $v$ with probability $1/K$ and otherwise 0, or $\frac12$: equality as $v^2/\tau\to\infty$;
           last states of random recurrent networks with one label.
Measured   In rationals, over the law of $\Delta$.
Control    The tail not under the root; the second moment for the fourth; half of the bound; a level below the largest
           squared error; an error twice as likely.
Reads      Printed with $R\ge r_h$, $\tau=\mathrm{poly}(R,\log n)$ and
           $\Pr(|y|\ge\frac12\sqrt\tau)\le\exp(-\Omega(\tau^{1/s}))$: of that only the last step is judged here, the
           tail and the moments are those of lemma_20_labels.
"""

from fractions import Fraction

from sympy import Eq, sqrt

from theorytools import Claim, Control, Quantity, points

from .lemma_32._recurrent_class import drawn
from .notation import K, m_2, m_4, tail_p, tau, top_2, trial

hidden = Quantity("truncated part", r"R-R_\tau", "of the risk", (0, m_2))


def construct(p, times=1) -> tuple[tuple[Fraction, Fraction], ...]:
    """The law of the error: its values and their probabilities."""
    if p.trial == 0:
        return ((Fraction(p.v), Fraction(1, p.K)), (Fraction(0), 1 - Fraction(1, p.K)))
    if p.trial == 4:
        return ((Fraction(p.v), Fraction(times, p.K)), (Fraction(1, 2), 1 - Fraction(times, p.K)))
    return tuple((y * p.v, Fraction(1, p.K)) for (y,) in drawn(p.rng("networks"), p.K, 1, 6))


def moment(law, power):
    return sum((m * x**power for x, m in law), Fraction(0))


def derive(law, p):
    return {m_2: moment(law, 2), m_4: moment(law, 4),
            tail_p: sum((m for x, m in law if x**2 >= p.tau), Fraction(0))}


def measure(law, p, level=1):
    cap = Fraction(p.tau) * level
    return {hidden: sum((m * (x**2 - min(x**2, cap)) for x, m in law), Fraction(0))}


two, bounded = Eq(trial, 0), Eq(tail_p, 0)
bound = sqrt(m_4 * tail_p)
claim = Claim(
    "Lemma 34",
    role="statement", source="published: Lemma 34; prose",
    scope={"every v, K, tau, trial": "proof", "every law of errors": "proof"},
    asserts=[hidden <= bound], construct=construct, measure=measure,
    derive=derive, derived=[m_2, m_4, tail_p],
    grid=points("v K tau trial", (100, 16, 1, 0), (1000, 10**6, 4, 0), (3, 4, 4, 0),
                (3, 16, 4, 4), (2, 256, 1, 4), (10, 4096, 1, 4), (1, 12, "1/4", 1), (4, 20, 1, 2), (2, 8, "1/16", 3)),
    controls=[
        Control("the tail not under the root", breaks=hidden, where=two & (K >= 16),
                asserts=[hidden <= sqrt(m_4) * tail_p]),
        Control("the second moment for the fourth", breaks=hidden, where=two & (K >= 16),
                asserts=[hidden <= sqrt(m_2 * tail_p)]),
        Control("an error twice as likely", breaks=hidden, where=Eq(trial, 4),
                construct=lambda p: construct(p, times=2)),
        Control("half of the bound", breaks=hidden, where=two & (K >= 16), asserts=[hidden <= bound / 2]),
    ],
)
none = Claim(
    "Lemma 34, bounded errors",
    role="variant", source="published: Lemma 34; prose",
    scope={"every v, K, tau, trial": "proof", "every law of bounded errors": "proof"},
    asserts=[hidden.equals(0)], requires=[top_2 <= tau],
    construct=construct, measure=measure, derived=[top_2], derive=lambda law, p: {top_2: max(x**2 for x, _ in law)},
    grid=points("v K tau trial", (3, 4, 9, 0), (2, 1, 4, 0), (1, 12, 9, 1), (1000, 10**6, 10**6, 0),
                ("1/4", 400, 1, 2)),
    controls=[Control("a level below the largest squared error", breaks=hidden, where=two,
                      measure=lambda law, p: measure(law, p, max(x**2 for x, _ in law) / (2 * Fraction(p.tau))))],
)
