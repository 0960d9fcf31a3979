"""What BlockAttention refuses: temperatures, prompts and sizes outside its definition, and too much memory."""

import numpy as np
import pytest
import sympy
from refusals import refuses

from theorytools import BlockAttention, BudgetError, DomainError, hadamard
from theorytools.codes.equiangular import orthonormal
from theorytools.codes.subcode import subcode
from theorytools.constructions.attention.leakage import worst_leakage
from theorytools.constructions.feedforward.link_heads import linear_head


@pytest.mark.parametrize("beta", [float("nan"), float("inf"), "hot", sympy.Symbol("b")])
def test_a_temperature_must_be_an_exact_number(beta):
    with pytest.raises(DomainError):
        BlockAttention(hadamard(4), beta=beta)


@pytest.mark.parametrize("shape", [(4, 2), (1, 3, 2), (1, 4, 3)])
def test_prompts_of_another_shape_are_refused(shape):
    net = BlockAttention(hadamard(4), beta=1, q=1, d=2)
    with pytest.raises(DomainError, match=r"\(n, 4, 2\)"):
        net(np.zeros(shape), np.zeros((1, 4, 1), dtype=int))


@pytest.mark.parametrize("T", [np.full((1, 4, 1), 4), np.full((1, 4, 1), -1), np.zeros((1, 4, 1))])
def test_indices_outside_the_sequence_are_refused(T):
    with pytest.raises(DomainError):
        BlockAttention(hadamard(4), beta=1, q=1, d=2)(np.zeros((1, 4, 2)), T)


def test_prompts_temperatures_heads_and_sizes_that_are_refused():
    net = BlockAttention(hadamard(4), beta=1, q=1, d=1)
    refuses(
        DomainError, (lambda: net(np.full((1, 4, 1), np.nan), np.zeros((1, 4, 1), dtype=int)), "NaN"),
        (lambda: net(np.full((1, 4, 1), 3.0), np.zeros((1, 4, 1), dtype=int), r_x=2), "norms at most r_x = 2"),
        (lambda: worst_leakage(hadamard(4), -1), "beta"),
        (lambda: BlockAttention(hadamard(4), beta=1, q=2, d=3, head=linear_head(np.ones(3), 1)), "inputs"),
    )  # fmt: skip
    net = BlockAttention(orthonormal(2), beta=1, q=1, d=1)
    with pytest.raises(BudgetError, match="GiB"):
        net.attention(np.broadcast_to(0.0, (2**28, 2, 1)), np.broadcast_to(0, (2**28, 2, 1)))


@pytest.mark.parametrize(
    ("given", "match"),
    [({"beta": 0}, "beta > 0"), ({"beta": -1}, "beta > 0"), ({"q": 5}, "q <= N"), ({"q": 0}, "q <= N"),
     ({"blocks": ()}, "at least one block"), ({"codes": subcode(hadamard(4), [0, 0, 1, 2])}, "distinct codes")],
)  # fmt: skip
def test_what_cannot_be_an_attention_layer_is_refused(given, match):
    with pytest.raises(DomainError, match=match):
        BlockAttention(**{"codes": hadamard(4), "beta": 1, "q": 1, "d": 1, **given})
