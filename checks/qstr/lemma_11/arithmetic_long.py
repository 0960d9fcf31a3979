r"""The construction in machine arithmetic on longer sequences.

Setting    As in lemma_11_arithmetic, with $N$ up to $2^{14}$.
Statement  The computed token is within $r_x(2L+\kappa)$ of the indexed one, for all prompts and orders of summation.
Witness    As there.
Measured   As there; beyond $N=2^{12}$ sums run in 256 lanes instead of one term after the other.
Control    Those of lemma_11_arithmetic that need no special code.
Reads      As there.
"""

from dataclasses import replace

from theorytools import points

from .arithmetic import awkward
from .arithmetic import claim as shorter

claim = replace(
    shorter, label="Lemma 11, in machine arithmetic, longer sequences",
    role="precision", source="derived here: Lemma 11",
    scope={"every code, d_e, d, beta, r_x": "points", "every format arithmetic": "points", "every N": "points",
           "every prompt and order of sums": "closed form"},
    tier="minutes",
    grid=points("arithmetic code N d_e d beta r_x",
                ("float32", "bch", 1024, 16, 1, 27.7, awkward), ("float32", "rademacher", 4096, 41, 1, 62.4, awkward),
                ("float32", "bch", 16384, 32, 1, 33.2, awkward), ("bfloat16", "bch", 16384, 32, 1, 33.2, awkward),
                ("bfloat16", "orthonormal", 1024, 1024, 1, 0, 5),
                ("bfloat16", "rademacher", 4096, 41, 1, 62.4, awkward),
                ("bfloat16_scores", "bch", 4096, 32, 1, 30.4, awkward),
                ("bfloat16_sums", "bch", 1024, 16, 1, 5, awkward),
                ("bfloat16_sums", "orthonormal", 4096, 4096, 1, 0, awkward),
                ("bfloat16_sums", "rademacher", 4096, 41, 1, 62.4, awkward)),
    controls=[control for control in shorter.controls if control.name != "exponentials without error"],
)
