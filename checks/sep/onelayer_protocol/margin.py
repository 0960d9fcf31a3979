r"""In real arithmetic a margin $\tau$ makes the message of one layer finite: Bob rebuilds every output within $\tau$.

Setting    Softmax heads in real arithmetic, values in $[-V,V]$, logits in $[-S,S]$; the answer is constant within
           closed sup-distance $\tau$ of every attained output (semantics R). Alice has $n$ of $2n$ positions, and the
           last token is public.
Statement  For each head Alice sends $o_A$ in cells of width $\tau$ and $\lambda_A=\ln\sum_{j\in A}e^{\ell_j}$ in cells
           of width $2\tau/V$: Bob's outputs are within $\tau$, after at most $2^B$ messages,
           $B=H(d_v\lceil\log_2(2V/\tau+1)\rceil+\lceil\log_2(SV/\tau+1)\rceil)$.
Proof      An output is $o=wo_A+(1-w)o_B$, $w=\sigma(\lambda_A-\lambda_B)$. Midpoints are off by $\tau/2$ and $\tau/V$
           at most, so $|\hat w-w|\le\frac14\frac\tau V$ as $\sigma'\le\frac14$, and $\hat o-o=\hat w(\hat o_A-o_A)
           +(\hat w-w)(o_A-o_B)$ is at most $\frac\tau2+\frac\tau{4V}2V=\tau$ in modulus. The cells of $[-V,V]$ are
           $\lceil2V/\tau\rceil$; $\lambda_A\in[\ln n-S,\ln n+S]$ has $\lceil SV/\tau\rceil$, or one value at $S=0$.
Adversary  Instances: random logits and values in tenths, $V=1$; $S=0$ is uniform attention, without $\lambda_A$.
Measured   The largest distance over all $4^n$ inputs, in balls; the messages of all of Alice's strings.
Control    Bob takes $\lambda_A$ for $\ln n$; cells sixteen times as wide (four do no harm to some tables);
           a single message.
Reads      Derived here. At $\tau=\frac1{10}$ the first control does no harm to some tables; it is used
           where $\tau\le\frac1{50}$.
"""

from fractions import Fraction

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.constructions.attention.attention_tables import MarginTables
from theorytools.theory.communication.margin_protocol import MarginProtocol
from theorytools.theory.communication.matrix import all_strings

from ..notation import B, S, tau
from .onelayer_protocol import messages

error = Quantity("distance of outputs", r"\max\|\hat o-o\|_\infty", "Bob's from the model's", (0, None))


class Centred(MarginProtocol):
    """Bob, who takes the normaliser of Alice for the number of her positions."""

    def rebuilt(self, sent, his):
        """Return Bob's outputs from the means alone."""
        d, centre = self.model.width, self.model.S * self.model.V / (2 * self.model.tau) - Fraction(1, 2)
        return super().rebuilt([centre if i % (d + 1) == d else cell for i, cell in enumerate(sent)], his)


def construct(p, cells=1, kind=MarginProtocol) -> MarginProtocol:
    rng, shape = p.rng("tables"), (2 * p.n, 2, p.H)
    logits, values = rng.integers(-10 * p.S, 10 * p.S + 1, shape), rng.integers(-10, 11, (*shape, p.d_v))
    tenth = Fraction(1, 10)
    return kind(MarginTables(logits * tenth, values * tenth, cells * p.tau, S=p.S, V=1), range(p.n))


def measure(protocol, p):
    return {error: enclosed(lambda: protocol.error(all_strings(2 * p.n))),
            messages: protocol.count(all_strings(2 * p.n)[:: 2**p.n])}  # all of Alice's strings, zeros for Bob


claim = Claim(
    "One layer with a margin is one message",
    role="statement", source="published: one layer as a protocol; prose",
    scope={"every n, H, d_v, S": "proof", "every margin tau": "proof", "every one-layer model": "proof",
           "every input": "proof"},
    asserts=[error <= tau, messages <= 2**B],
    grid=points("n H d_v tau S", (2, 1, 1, "1/10", 2), (2, 2, 2, "1/50", 1), (3, 1, 1, "1/4", 3), (4, 1, 1, 1, 0),
                (2, 1, 1, "1/100", 2)),
    derive=lambda protocol, p: {B: protocol.bits}, derived=[B], construct=construct, measure=measure,
    controls=[
        Control("the normaliser ignored", breaks=error, where=(S >= 1) & (50 * tau <= 1),
                construct=lambda p: construct(p, kind=Centred)),
        Control("cells sixteen times as wide", breaks=error, construct=lambda p: construct(p, 16),
                where=10 * tau <= 1),
        Control("one message", breaks=messages, asserts=[messages <= 1], where=S >= 1),
    ],
)
