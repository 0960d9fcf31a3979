r"""The temperature that Lemma 11 gives for a target error of the output meets it.

Setting    As in lemma_11_output; a target error $\eta_y$ of the labels.
Statement  With $\delta=\eta_y/(2AB\sqrt q\,r_x)$ and $\beta=\frac1{1-\rho}\log((N-1)(1/\delta-1))$:
           $|\hat y_i-y_i|\le\eta_y$.
Witness    temperature_for_error; equiangular codes and the head with Lipschitz constant $AB$ attain the target.
Measured   The exact forward pass, as in lemma_11_output; rational for equiangular codes.
Control    The factor 2 missing; $\sqrt q$ missing.
Reads      The form is as transcribed; the constants are derived here.
"""

from sympy import Eq, sqrt

from theorytools import Claim, Control, points
from theorytools.codes.families import code_of_family
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.attention.output_error import head_norms
from theorytools.constructions.attention.temperature import temperature_for_error

from ..notation import A, B, N, d, leak, lip, q, r_x, target
from .output import derive, error, full, link, measure, network


def construct(p, times=1) -> BlockAttention:
    A, B = head_norms(link(p))
    code = code_of_family(p.code, p.N, p.d_e, p.rng("codes"))
    return network(p, temperature_for_error(code, p.target * times, A=A, B=B, q=p.q, r_x=p.r_x))


claim = Claim(
    "Lemma 11, temperature for an output error",
    role="variant", source="published: Lemma 11; prose",
    scope={"every code, link, N, d_e, q, d, r_x, target": "points", "some network": "exhibited",
           "every prompt": "closed form"},
    asserts=[error <= target], requires=[N >= 3, q <= N, r_x**2 >= d],
    grid=points("code link N d_e q d r_x target", ("orthonormal", "positive_part", 16, 16, 4, 5, 3, "1/10"),
                ("simplex", "positive_part", 8, 8, 1, 10, 5, "1/1000"),
                ("hadamard", "positive_part", 24, 32, 2, 3, 2, "1e-6"),
                ("rademacher", "linear", 64, 67, 3, 10, 5, "1e-4"),
                ("rademacher", "linear", 100, 23, 1, 10, 5, "1e-2")),
    construct=construct, measure=measure, derive=derive, derived=[A, B, leak, lip], controls=[
        Control("factor 2 missing", breaks=error, where=full, construct=lambda p: construct(p, 2)),
        Control("the root of q missing", breaks=error, where=full & Eq(q, 4),
                construct=lambda p: construct(p, sqrt(p.q))),
    ],
)
