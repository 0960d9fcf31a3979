r"""Each of these rules decides equality with values of $n+1$ bits; the message is of linear size for all but top-$k$.

Setting    As in question_l; all scores equal, values $\pm2^{n-i}$ for $x_i$ and $\mp2^{n-i}$ for $y_i$.
Statement  The output is 0 iff $x=y$, and Alice's summaries are all different: $2^n$, hence $B\ge n$. It takes
           at most $4n+6\log_2n+30$ bits, by top-$k$ between $2n^2$ and $2n(n+\log_2n+4)$. With equal scores
           hard attention and the sparsemax over $R$ are uniform, top-$k$ is with $k=2n$; the sparsemax keeps all
           positions, each with weight $\frac1{2n}$.
Witness    SplitLayer with tables of binary weights.
Measured   Wrong answers over all $4^n$ pairs; summaries; the bits of a summary.
Control    The two least weights equal; one sign for both strings; fewer summaries than strings; top-$k$ against the
           linear bound, and a softmax against the quadratic one.
Reads      Derived here. The summary of top-$k$ lists $k=2n$ candidates: $O(n^2)$ bits as it is sent here; that more
           than $n$ are needed does not follow. For the others size $O(n)$ is enough, and for those of one message it
           is needed; for the two with a threshold question_l_twoway leaves a factor of order $\log n$.
"""

from itertools import product

from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.communication.table_layers import SplitLayer
from theorytools.papers.sep.communication.top_k_and_sparsemax import split_rule

from ..notation import n

messages = Quantity("messages", r"|\mathcal M|", "different summaries of Alice", (1, None))
errors = Quantity("wrong pairs", r"\#\{f\ne\mathrm{EQ}\}", "among all pairs of strings", (0, None))
bits = Quantity("bits", "B", "of a summary", (1, None))


def construct(q, repeated=False, sign=-1, rule=None) -> SplitLayer:
    w = [1 << i for i in range(q.n)]
    if repeated:
        w[1] = w[0]
    rule = rule or q.rule
    rule = split_rule(rule, 2 * q.n if rule == "top" else 3)
    values = [[[-a], [a]] for a in (*w, *(sign * a for a in w))]
    return SplitLayer(rule, [[1, 1]] * (2 * q.n), values)


def measure(layer, q):
    strings = list(product((0, 1), repeat=q.n))
    wrong = sum((layer.executed(x, y) == (0,)) != (x == y) for x in strings for y in strings)
    return {errors: wrong, messages: len({layer.message(x) for x in strings}), bits: layer.rule.bits(q.n, q.n + 1, 1)}


linear = 4 * n + 6 * log(n, 2) + 30
RULES = ("softmax", "linear", "relu", "sigmoid", "hard", "sparsemax")
claim = Claim(
    "Question (l), equality by every rule",
    role="sharpness", source="derived here: question (l)",
    scope={"every rule, n": "points", "some network": "exhibited", "every pair of strings": "enumeration"},
    construct=construct, measure=measure,
    asserts=[errors.equals(0), messages.equals(2**n), bits >= n, bits <= linear], requires=[n >= 2],
    grid=points("rule n", *((rule, size) for rule in RULES for size in (2, 5))), controls=[
        Control("two weights equal", breaks=errors, asserts=[errors.equals(0)],
                construct=lambda q: construct(q, repeated=True)),
        Control("fewer summaries", breaks=messages, asserts=[messages <= 2 ** (n - 1)]),
        Control("one sign", breaks=errors, construct=lambda q: construct(q, sign=1)),
        Control("top-k", breaks=bits, where=n >= 5, asserts=[bits <= linear],
                construct=lambda q: construct(q, rule="top")),
    ],
)
top = Claim(
    "Question (l), equality by top-k",
    role="variant", source="derived here: question (l)",
    scope={"every rule, n": "points", "some network": "exhibited", "every pair of strings": "enumeration"},
    construct=construct, measure=measure,
    asserts=[errors.equals(0), messages.equals(2**n), bits >= 2 * n**2, bits <= 2 * n * (n + log(n, 2) + 4)],
    requires=[n >= 2], grid=points("rule n", ("top", 2), ("top", 5)), controls=[
        Control("two weights equal", breaks=errors, asserts=[errors.equals(0)],
                construct=lambda q: construct(q, repeated=True)),
        Control("fewer summaries", breaks=messages, asserts=[messages <= 2 ** (n - 1)]),
        Control("a softmax", breaks=bits, where=n >= 5, asserts=[bits >= 2 * n**2],
                construct=lambda q: construct(q, rule="softmax")),
        Control("the linear size of the other rules", breaks=bits, where=n >= 5, asserts=[bits <= linear]),
    ],
)
