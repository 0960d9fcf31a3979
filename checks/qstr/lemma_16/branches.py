r"""With our constants the sparsification branch of the covering bound is not the smaller one at the sizes judged.

Setting    The construction's class at $A=B=\sqrt2$, $\eta=0.1$: $r_{QK}=\alpha d_e$, $R_{1,1}=qr_{QK}$,
           $R_F=\alpha\sqrt{qd_e}$, $H=q$, codes as long as Hoeffding's inequality asks.
Statement  $C_2\ge C_3$ for $C_2=r_z^6A^2B^2H^2r_{QK}^2$, $C_3=HD_e^2$, at $N=100$, $q=1$, $n=10^6$ up to
           $d=4\cdot10^{14}$, elsewhere up to $10^6$; with explicit constants, too, the sparse one is larger.
Witness    GeneralisationBound: all factors from its letters.
Measured   $C_2/C_3$; the logarithms of both sizes, for the parameters at radius
           $n^{-1/2}/(4\sqrt{\tau^*}ABr_z^2)$; enclosed.
Control    $r_z^2$ for $r_z^6$; $d_e$ left out of $r_{QK}$; a sparse covering whose size does not depend on the radius;
           $A$ left out.
Reads      The explicit constants are derived here. The factor $\varepsilon^{-2}$ only makes the sparse branch larger.
"""

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import Enclosure, evaluate
from theorytools.theory.capacity.covering import attention_parameters, sparse_attention_parameters
from theorytools.theory.capacity.generalisation import GeneralisationBound

from ..notation import R_11, R_F, D_e, H, N, d, eps_c, n, r_z

quotient = Quantity("quotient of the constants", "C_2/C_3", "of the two branches, in the paper's letters", (0, None))
branches = Quantity("quotient of the branches", r"\log|\mathcal{N}_{\mathrm{sparse}}|/\log|\mathcal{N}_{\mathrm{vol}}|",
                    "of the logarithms of the sizes", (0, None))
volume = attention_parameters(eps_c, H=H, D_e=D_e, R_F=R_F, r_z=r_z)
sparse = sparse_attention_parameters(eps_c, n=n, H=H, D_e=D_e, R_1=R_11, r_z=r_z)


def construct(p, d=None) -> GeneralisationBound:
    return GeneralisationBound(N=p.N, n=p.n, d=d or p.d, q=p.q)


def factors(bound):
    """The factors of the construction's class; those behind the truncation level are not needed."""
    return bound.values(given={name: Enclosure(0) for name in ("Lambda", "complexity", "deviation", "bound")})


def of_constants(bound, power=6, length=2, output=True):
    f = factors(bound)
    C_2 = f["r_z"] ** power * ((f["A"] if output else 1) * f["B"] * f["q"] * f["alpha"]) ** 2 * f["d_e"] ** length
    return C_2 / (f["q"] * f["D_e"] ** 2)


def of_branches(bound, radius=True):
    f = factors(bound)
    values = {**f, "H": f["q"], "R_11": f["q"] * f["alpha"] * f["d_e"]}
    values["eps_c"] = 1 / (4 * (f["n"] * f["tau"]).sqrt() * f["A"] * f["B"] * f["r_z"] ** 2)
    terms = sparse.bound.expr if radius else sparse.bound.expr.subs({eps_c: 1, R_11: 1, r_z: 1})
    return evaluate(terms, values) / evaluate(volume.expr, values)


def measure(bound, p):
    return {quotient: lambda: of_constants(bound), branches: lambda: of_branches(bound)}


claim = Claim(
    "Lemma 16, branches of our evaluator",
    role="variant", source="derived here: Lemma 16", scope={"every N, n, q": "points", "every dimension d": "points"},
    asserts=[quotient >= 1, branches >= 1],
    requires=[n * N >= 2, (d <= 10**6) | ((N >= 100) & (n >= 10**6) & (d <= 4 * 10**14))],
    grid=points("N n d q", (100, 10**6, 10, 1), (100, 10**6, 10**6, 1), (100, 10**6, 4 * 10**14, 1), (10, 100, 1, 1),
                (10**4, 10**9, 100, 10)),
    construct=construct, measure=measure, controls=[
        Control("r_z^2 for r_z^6", breaks=quotient, where=d >= 10**6,
                measure=lambda b, p: {**measure(b, p), quotient: lambda: of_constants(b, power=2)}),
        Control("the norm of the output weights left out", breaks=quotient, where=d >= 10**14,
                measure=lambda b, p: {**measure(b, p), quotient: lambda: of_constants(b, output=False)}),
        Control("d_e left out of r_QK", breaks=quotient, where=d >= 10**14,
                measure=lambda b, p: {**measure(b, p), quotient: lambda: of_constants(b, length=0)}),
        Control("a sparse covering of one size for all radii", breaks=branches, where=d >= 10,
                measure=lambda b, p: {**measure(b, p), branches: lambda: of_branches(b, radius=False)}),
    ],
)
