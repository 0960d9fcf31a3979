r"""One attention head per index slot retrieves the indexed token.

Finding    One attention head per index slot reads any indexed token: the weight that leaks elsewhere is at most
           $(N-1)/(N-1+e^{\beta(1-\rho)})$ on every prompt, with equality for orthonormal codes.
Setting    Prompts of $N$ tokens with index tuples $t_i\in[N]^q$, unit position codes $\omega_i\in\mathbb{R}^{d_e}$
           with $\langle\omega_i,\omega_j\rangle\le\rho$ for $i\ne j$; tokens with $\|x_j\|\le r_x$.
Statement  With $W^{(h)}_{QK}$ zero except one block $\alpha I$ that compares index slot $h$ of the query with the own
           code of the key, and $\beta=\alpha d/q\ge0$, the attention weight $L$ outside the indexed position is at
           most $(N-1)/(N-1+e^{\beta(1-\rho)})$ for every prompt, and a retrieved token is off by at most $2r_xL$.
Proof      The score of key $j$ is $\beta\langle\omega_{t_{ih}},\omega_j\rangle$, whatever the tokens are: $\beta$ at
           the indexed position and at most $\beta\rho$ at $N-1$ others, so their weights relative to it add up to at
           most $(N-1)e^{-\beta(1-\rho)}$. The token is off by $\sum_{j\ne t}\pi_j(x_j-x_t)$, at most $2r_xL$.
Witness    BlockAttention on random sign codes, and on orthonormal codes, where the bound is an equality.
Measured   Leakage from the code's distances, rational at $\beta=\frac s2d_e\log2$. Token error by the exact
           forward pass on the extremal prompts ($x_t=r_xv$, all others $-r_xv$).
Control    A quarter of the temperature; a duplicate code; query and key block transposed; the last head copying the
           first slot; $e^\beta$ halved where the bound is attained.
Reads      Blocks as printed, $\langle z_i,Wz_j\rangle=\alpha\langle\omega_{t_{ih}},\omega_j\rangle d/q$; printed is
           what follows for the output, $2\sqrt{\varepsilon_{2NN}}$ (lemma_11_output). The constants of the bound are
           derived here.
"""

from dataclasses import replace

from sympy import Eq, Rational, exp, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.by_family import code_of_family
from theorytools.codes.subcode import subcode
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.network import changed

from ..notation import N, beta, d_e, leak, q, r_x, rho, s

leakage = Quantity("leakage", r"\max_{p,t}\,(1-\pi_{t})", "largest weight outside the indexed position", (0, 1))
error = Quantity("token error", r"\max_{p,h}\|f_h(p)-x_{t_h}\|", "largest error of a retrieved token", (0, 2 * r_x))
bound = (N - 1) / (N - 1 + exp(beta * (1 - rho)))


def codes(p):
    return code_of_family(p.code, p.N, p.d_e, p.rng("codes"))


def construct(p, temperature=1, **spoiled) -> BlockAttention:
    return replace(BlockAttention(codes(p), beta=p.beta * temperature, q=p.q, d=p.d), **spoiled)


def measure(net, p):
    return {leakage: net.leakage(), error: net.extremal_error(p.r_x, net.probes(8))}


def derive(net, p):
    return {rho: net.codes.coherence(), leak: net.worst_leakage}


def duplicate(p):
    return changed(construct(p), codes=subcode(codes(p), [0, 0, *range(2, p.N)]))


claim = Claim(
    "Lemma 11",
    role="statement", source="published: Lemma 11, eq. (A.2); prose",
    scope={"every code, N, d_e, q, d, s, r_x": "proof", "some network": "exhibited", "every prompt": "closed form"},
    asserts=[leakage <= bound, error.equals(2 * r_x * leak)],
    requires=[N >= 2, rho < 1], lets={beta: s * d_e * log(2) / 2}, derive=derive, derived=[rho, leak],
    grid=points("code N d_e q d s r_x",
                ("rademacher", 64, 67, 3, 10, 1, 5), ("rademacher", 64, 67, 3, 10, 4, 5),
                ("rademacher", 100, 23, 1, 10, 4, 5), ("rademacher", 256, 89, 3, 10, 4, 5),
                ("rademacher", 1024, 111, 2, 10, 1, 5), ("orthonormal", 64, 64, 3, 10, 1, 5)),
    construct=construct, measure=measure,
    controls=[
        Control("a quarter of the temperature", breaks=[leakage, error], where=(s >= 4) & (d_e >= 64),
                construct=lambda p: construct(p, Rational(1, 4))),
        Control("exp(beta) halved, orthogonal codes", breaks=[leakage, error], where=Eq(rho, 0),
                construct=lambda p: construct(p, 1 - Rational(2) / (p.s * p.d_e))),
        Control("a duplicate code", breaks=[leakage, error], construct=duplicate),
        Control("query and key block transposed", breaks=error,
                construct=lambda p: construct(p, blocks=tuple((0, h) for h in range(1, p.q + 1)))),
        Control("the last head copies the first slot", breaks=error, where=q >= 2,
                construct=lambda p: construct(p, blocks=(*((h, 0) for h in range(1, p.q)), (1, 0)))),
    ],
)
