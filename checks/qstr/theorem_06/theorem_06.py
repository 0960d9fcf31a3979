r"""A network whose first layer is in the span of $n$ Gaussian prompts leaves $1-n/(Nd)$ of the label unknown.

Finding    A feedforward network whose first layer lies in the span of $n$ Gaussian prompts, where weight decay leads
           it, leaves at least $1-n/(Nd)$ of the label unknown on average over links, whatever follows that layer: it
           needs about $Nd$ prompts.
Setting    Simple 1STR: $x\sim N(0,I_{Nd})$, $y=\langle u,x_t\rangle$, $\|u\|=1$, $t$ uniform on $[N]$. $\mathcal A$:
           algorithms that return $f(T,Wx)$, any $f$, with the rows of $W$ in the span of the $n\le Nd$ training inputs,
           as $\mathcal A_{SP}$ and $\mathcal A_{ERM}$ of Definition 5 (8 in the revised text) do.
Statement  With probability 1 over the training set, $\inf_{A\in\mathcal A}\sup_{\|u\|=1}R\ge1-n/(Nd)$; for every data
           set with $\operatorname{rank}X$ for $n$. More exactly, given $Wx$ the Bayes loss is $D(u)=1-\frac1Nu^\top Mu$
           with $M=\sum_tP_t^\top\Pi P_t$ ($\Pi$ projects on the row space, $P_t$ embeds block $t$); its average over
           any orthonormal basis is $1-\operatorname{rank}(W)/(Nd)$.
Proof      Let $\Pi_X$ project on the span of the inputs, which does not depend on $u$; $f$ and $W=AX$ may, through the
           labels. Given $u$, $t$ and $Xx$, of which $(t,Wx)$ is a function, $y=\langle P_tu,x\rangle$ is Gaussian with
           variance $1-\|\Pi_XP_tu\|^2$: no prediction has $R<D_X(u)$. For $u$ uniform and independent, or averaged over
           a basis, $D_X$ is $1-\operatorname{tr}\Pi_X/(Nd)=1-\operatorname{rank}X/(Nd)\ge1-n/(Nd)$, and the largest $R$
           is at least the average. $\operatorname{rank}X=n$ with probability 1: an $n\times n$ minor is a polynomial
           that is not 0, and its zeros have measure 0. Spans: definition_05.
Adversary  Layers in the span: $W=AX$ of width $m_1$, integer $A$, Gaussian tokens in steps of $1/64$.
Measured   $D$ on a rational orthonormal basis $b_1,\dots,b_d$ by the projector; $D(b_1)$ again by Gaussian
           conditioning, as the variance of $y$ given $Wx$. The rank by elimination, not from the projector.
Control    Noise of relative size $10^{-6}$ off the span; copies of a prompt counted as new prompts; $1-n/N$, the $d$
           dropped; one prompt too many; links that are not orthogonal.
Reads      The revised text prints it as Theorem 9, with probability 1, $n\le Nd$, and the best predictor that knows
           $u,t_1,Vx$; the display was not seen. The exact identities are derived here. Other losses:
           theorem_06_any_loss; how much the loss varies with the data: theorem_06_law; tokens that are signs:
           sign_tokens.
"""

import numpy as np
from sympy import Eq, Min

from theorytools import Claim, Control, Quantity, points
from theorytools.tasks.sparse_regression import sample
from theorytools.theory.first_layers.exact_span import InputSpan, orthonormal_basis

from ..notation import N, bayes, copies, d, m_1, n, rank

average = Quantity("average loss", r"\frac1d\sum_kD(b_k)", "Bayes loss averaged over a basis", (0, 1))
worst = Quantity("worst loss", r"\max_kD(b_k)", "largest Bayes loss among the links of a basis", (0, 1))
unknown = Quantity("unknown variance", r"E\operatorname{Var}(y\mid Wx,t)", "of the label, u = b_1", (0, 1))


def construct(p, noise=0) -> InputSpan:
    X = np.rint(64 * sample(p.rng("prompts"), p.n, p.N, p.d, 1, True)[0]).astype(int).reshape(p.n, -1)
    X[p.n - p.copies :] = X[: p.copies]
    W = p.rng("layer").integers(-9, 10, (p.m_1, p.n)) @ X
    return InputSpan.of(10**6 * W + noise * p.rng("noise").integers(-99, 100, W.shape), p.N, p.d)


def links(p):
    return orthonormal_basis(p.d, p.rng("links"))


def measure(span, p):
    b = links(p)
    return {average: span.mean_loss(b), worst: span.worst_loss(b), unknown: span.conditional_variance(b[0])}


def oblique(span, p):
    return {average: span.mean_loss([[x + y for x, y in zip(b, links(p)[0], strict=True)] for b in links(p)])}


claim = Claim(
    "Theorem 6",
    role="statement", source="published: Theorem 6; prose",
    scope={"every N, d, n, m_1, copies": "proof", "every data set": "proof", "every network in the span": "proof",
           "every link": "closed form"},
    asserts=[average.equals(1 - rank / (N * d)), worst >= 1 - n / (N * d), unknown.equals(bayes)],
    requires=[n <= N * d, 2 * copies <= n, Eq(rank, Min(m_1, n - copies))],
    grid=points("N d n m_1 copies",
                (4, 3, 5, 16, 0), (4, 1, 3, 3, 0), (12, 2, 5, 24, 0), (6, 4, 9, 32, 0), (10, 5, 30, 50, 0),
                (3, 2, 6, 8, 0), (6, 4, 9, 4, 0), (4, 3, 5, 16, 1), (6, 4, 9, 32, 3)),
    derive=lambda span, p: {rank: span.rank, bayes: span.bayes_loss(links(p)[0])}, derived=[rank, bayes],
    construct=construct, measure=measure,
    controls=[
        Control("noise off the span", breaks=[average, worst, unknown], where=(n < N * d) & (m_1 >= N * d),
                construct=lambda p: construct(p, noise=1)),
        Control("copies counted as new", breaks=average, where=rank < n,
                asserts=[average.equals(1 - n / (N * d))]),
        Control("the dimension dropped", breaks=average, where=d >= 2,
                asserts=[average.equals(1 - rank / N)]),
        Control("a prompt too many", breaks=average, asserts=[average.equals(1 - (rank + 1) / (N * d))]),
        Control("links that are not orthogonal", breaks=average, where=(d >= 2) & (rank < N * d),
                measure=oblique, asserts=[average.equals(1 - rank / (N * d))]),
    ],
)
