"""Relations between the arguments of the constructions: what would give a number that means nothing is refused."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from devices import device

from theorytools.codes.encodings import orthonormal_encodings
from theorytools.codes.families import hadamard, rademacher
from theorytools.constructions.attention.attention_tables import FixedPointTables
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.feedforward.inner_products import InnerProductUnits
from theorytools.constructions.feedforward.link_heads import linear_head
from theorytools.constructions.feedforward.piecewise_linear import LineUnits
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.qstr.attention.tuple_risk import tuple_risk
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention
from theorytools.papers.qstr.few_heads.quadratic_readout import best_error
from theorytools.papers.qstr.few_heads.single_head import UniformHead
from theorytools.papers.qstr.precision.machine import MachineAttention
from theorytools.papers.qstr.recurrent.code_state import CodeStateRNN
from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.papers.sep.attention.equality import sequential_sum
from theorytools.papers.sep.communication.table_layers import SplitLayer
from theorytools.papers.sep.communication.threshold_lookup import SparsemaxLookup
from theorytools.papers.sep.communication.top_k_and_sparsemax import split_rule
from theorytools.papers.sep.recurrent.stores import PerfectBlocks
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.feedforward.bottleneck import LinearBottleneck

HammingShells = device("qstr/lemma_11/_hamming_shells").HammingShells

NET = BlockAttention(hadamard(8), beta=12, q=1, d=2)
TWO = TwoStepAttention(hadamard(8), 12, 24, d=2)
LAYER = SplitLayer(split_rule("hard"), [[1, 2]] * 4, [[[-1], [1]]] * 4)

REFUSED = {
    "a position before the first": lambda: TWO.weights(np.zeros(8, dtype=int), -1),
    "pointers outside the prompt": lambda: TWO.weights(np.full(8, 8), 0),
    "indices outside the prompt": lambda: tuple_risk(NET, np.full((8, 1), 8), 0),
    "a head that is not there": lambda: NET.exact_token([[1, 0]] * 8, np.zeros((8, 1), dtype=int), 0, 1),
    "a negative radius": lambda: NET.certificate(-1),
    "a scale that is no number": lambda: BlockAttention(hadamard(8), beta=12, scale="wide"),
    "a device that torch does not know": lambda: NET.module(device="abacus"),
    "a negative temperature": lambda: MachineAttention(rademacher(40, 12, np.random.default_rng(0)), -1),
    "a relative distance above 1": lambda: CodeStateRNN(4, 24, Fraction(2)),
    "63 bits": lambda: FixedPointTables(np.ones((1, 2, 1)), np.zeros((1, 2, 1, 1)), 63, lambda N, D: D),
    "no interval": lambda: LineUnits.square(2, 4).pieces(-1),
    "entries without a bound": lambda: InnerProductUnits(3, -1),
    "fewer positions than selected": lambda: LinearBottleneck(np.ones((1, 3), dtype=object), 3, 1, 2).coefficients([0]),
    "rings of other sums": lambda: HammingShells([0, 1], [[1, 1]], 4),
    "an unknown query": lambda: SparseSelector(orthonormal_encodings(4), 1, 2, 1, "best"),
    "a fourth head": lambda: SparsemaxLookup(4).scores(1, 2),
    "a message of another rule": lambda: LAYER.rebuilt((2, 1, 1, 1), (0, 0)),
    "codes of another length": lambda: UniformHead(hadamard(8), 1, FewTokens(9, 1, 2, link="lin")),
    "more tokens than columns": lambda: best_error([[1, 2]], 3),
    "no direction": lambda: linear_head(np.zeros(0), 2),
    "no bit of precision": lambda: sequential_sum(np.ones((1, 2), dtype=int), 0),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED.keys())
def test_what_means_nothing_is_refused(call):
    with pytest.raises(DomainError) as refusal:
        call()
    assert refusal.value.given
    assert refusal.value.required


def test_sizes_that_do_not_fit_are_refused_before_they_are_listed():
    for call in (lambda: PerfectBlocks(4, 10**12), lambda: SparsemaxLookup(10**12).scores(0, 0)):
        with pytest.raises(BudgetError, match="given"):
            call()


@pytest.mark.parametrize(
    ("X", "T"),
    [(torch.zeros(1, 8, 3), torch.zeros(1, 8, 1).long()), (torch.zeros(1, 8, 2), torch.zeros(1, 8, 2).long()),
     (torch.zeros(1, 8, 2), torch.zeros(1, 8, 1)), (torch.zeros(1, 8, 2).double(), torch.zeros(1, 8, 1).long()),
     (torch.zeros(8, 2), torch.zeros(8, 1).long())],
)  # fmt: skip
def test_a_module_refuses_prompts_of_another_shape_or_type_in_its_own_words(X, T):
    module = BlockAttention(hadamard(8), beta=12, q=1, d=2).module(torch.float32)
    with pytest.raises(DomainError, match=r"tokens \(n, 8, 2\) of torch.float32"):
        module(X, T)


def test_a_module_says_what_it_holds():
    assert repr(BlockAttention(hadamard(8), beta=12, q=2, d=2).module()) == (
        "AttentionModule(W_QK (2, 26, 26), omega (8, 8), float64)"
    )
