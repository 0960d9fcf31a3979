r"""Recall with keys and values in separate tokens contains INDEX: Alice's values have $|Y|^N$ different rows.

Setting    $N$ slots of a key token and a value token. Alice owns the values, Bob the keys: he puts the public key $q$
           at slot $i$ and other keys elsewhere. The answer is the value at slot $i$.
Statement  The matrix (values, slots) $\mapsto$ answer has $|Y|^N$ different rows and $N$ different columns. So by the
           one-layer protocol a single layer that answers all of these inputs, under exact fixed point or with a margin,
           sends at least $N\log_2|Y|$ bits. $|Y|\ge2$.
Proof      The answer to values $v$ with $q$ at slot $i$ is $v_i$: the row of $v$ is $v$, and columns $i\ne j$ differ at
           a $v$ with $v_i\ne v_j$, as $|Y|\ge2$. Different rows need different messages.
Witness    All inputs of the task.
Measured   Different rows and columns, counted.
Control    The key asked for at one slot only, where a row is one value; one row more.
Reads      The last token is $q$, public. Derived here; for induction heads see Sanford, Hsu, Telgarsky (2024), arXiv
           2408.14332. What is beaten by joint tokens is the partition, not the width: see `assoc_recall.joint`.
"""

from itertools import product

import numpy as np

from theorytools import Claim, Control, Quantity, points

from ..notation import N, Y

rows = Quantity("rows", r"\#\text{rows}", "different rows of the matrix of answers", (1, None))
columns = Quantity("columns", r"\#\text{columns}", "different columns of that matrix", (1, None))


def answer(keys, values, q):
    return dict(zip(keys, values, strict=True))[q]


def construct(p, slots=None) -> np.ndarray:
    bobs = [[*range(1, i + 1), 0, *range(i + 1, p.N)] for i in range(slots or p.N)]  # the key 0 at slot i
    return np.array([[answer(keys, v, 0) for keys in bobs] for v in product(range(p.Y), repeat=p.N)])


claim = Claim(
    "Associative recall, separate tokens",
    role="statement", source="derived here: associative recall, separate tokens",
    scope={"every Y": "proof", "every N and alphabet": "proof", "every input": "proof"},
    asserts=[rows.equals(Y**N), columns.equals(N)],
    grid=points("N Y", (2, 2), (4, 2), (8, 2), (3, 4), (5, 3)), requires=[Y >= 2], construct=construct,
    measure=lambda M, p: {rows: len(np.unique(M, axis=0)), columns: len(np.unique(M, axis=1).T)},
    controls=[
        Control("one slot only", breaks=[rows, columns], construct=lambda p: construct(p, slots=1)),
        Control("one row more", breaks=rows, asserts=[rows.equals(Y**N + 1), columns.equals(N)]),
    ],
)
