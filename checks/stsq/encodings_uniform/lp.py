r"""The query of least cross-talk and the proof that there is no better one, checked again from the encodings.

Setting    As in encodings_uniform_min_norm; $t^*=\min_w\max(0,\max_{i\notin y}\langle w,e_i\rangle)$, score 1 on $y$,
           which has $q<T$ of the $T$ tokens.
Statement  For every $y$ there are $w$ with this cross-talk and, if $t^*>0$, $\lambda\ge0$ off $y$ and $\mu$ on $y$ with
           $\sum\lambda_je_j=\sum\mu_ie_i$, $\sum\lambda_j=1$, $\sum\mu_i=t^*$: a proof of Radon's kind that none is
           below.  So $y$ cannot be separated with equal scores iff $t^*\ge1$.  Never are fewer sets separated than
           by the dual query.
Witness    The rational programme for all sets of drawn encodings, short ones included.
Measured   Both sides in rationals, from the encodings and not from Gram matrices.
Control    The dual query with the same proof; the proof held against the encodings without their first coordinate.
Reads      Derived here.  Equality of both sides is exact: no solver in doubles is asked.
"""


from theorytools import Claim, Control, Quantity, points
from theorytools.codes.encodings import Encodings, named_encodings
from theorytools.papers.stsq.attention.selector_queries import cross_talk
from theorytools.papers.stsq.selection.least_cross_talk_query import checked_separation, survey
from theorytools.papers.stsq.tasks.sparse_selection import subsets

from ..notation import T, d_e, q

gap = Quantity("gap", r"\max_y|t_w-\textstyle\sum\mu_i|", "between the query and the proof, over all sets", (0, None))
loose = Quantity("residual", r"\max_y\|\textstyle\sum\lambda_jv_j-\sum\mu_iv_i\|^2", "of the proofs", (0, None))
sign = Quantity("least weight", r"\min\lambda_j", "over all sets")
extra = Quantity("sets gained", r"\#_{\mathrm{lp}}-\#_{\mathrm{dual}}", "separated by lp, less those by the dual query")


def construct(p) -> Encodings:
    return named_encodings(p.code, p.T, p.d_e, p.rng("encodings"))


def measure(E, p, dual=False):
    found = {y: checked_separation(E, y) for y in subsets(p.T, p.q)}
    lp = {y: max(0, cross_talk(E, y)) if dual else c.reached for y, c in found.items()}
    return {gap: max(abs(lp[y] - c.proved) + c.off_one + bool(c.proved) * abs(c.mass - 1) for y, c in found.items()),
            loose: max(c.residual for c in found.values()), sign: min(c.smallest for c in found.values()),
            extra: sum(t < 1 for t in lp.values()) - survey(E, p.q).separated}


def truncated(E, p):  # the proofs of the encodings, held against shorter ones
    short = E.dropped(0)
    return {**measure(E, p), gap: max(abs(checked_separation(E, y).proved - checked_separation(short, y).reached)
                                      for y in subsets(p.T, p.q))}


claim = Claim(
    "Encodings, least cross-talk with its proof",
    role="foundation", source="derived here: encodings for every set",
    scope={"every code, T, q, d_e": "points", "every encoding": "drawn", "every set": "enumeration"},
    asserts=[gap.equals(0), loose.equals(0), sign >= 0, extra >= 0], requires=[q < T, d_e >= q],
    grid=points("code T q d_e", ("gauss", 7, 2, 3), ("gauss", 8, 2, 4), ("rad", 8, 1, 12), ("gauss", 7, 3, 5)),
    construct=construct, measure=measure,
    controls=[
        Control("the dual query", breaks=gap, where=q >= 2, measure=lambda E, p: measure(E, p, dual=True)),
        Control("shorter encodings", breaks=gap, where=q >= 2, measure=truncated),
    ],
)
