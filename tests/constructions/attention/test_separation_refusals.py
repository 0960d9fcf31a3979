"""What the constructions of the separations refuse: alphabets, lengths, signs, and enumerations that are too large."""

from fractions import Fraction

import numpy as np
import torch
from refusals import refused, refuses
from two_halves import halves

from theorytools.constructions.attention.attention_tables import MarginEquality
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean
from theorytools.papers.sep.attention.equality import OneLayerEquality
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.recurrent.dyck import DyckRNN
from theorytools.papers.sep.recurrent.hashing import LinearHash
from theorytools.papers.sep.recurrent.registers import TightEncoder
from theorytools.papers.sep.tasks.boolean import TASKS
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, equidistant
from theorytools.theory.communication.margin_protocol import MarginProtocol
from theorytools.theory.communication.matrix import equality
from theorytools.theory.communication.protocol import OneLayerProtocol, message_bits
from theorytools.theory.memory.counting import count_states
from theorytools.theory.memory.quantised import QuantisedRecurrence

TASK = NearestTask(equidistant(4, 0))
BITS, PROTOCOL = np.array([[0, 1, 1]]), halves(OneLayerEquality(3))
MARGIN = MarginProtocol(MarginEquality(3, Fraction(1, 9)), range(3))


test_alphabets_lengths_and_signs_that_do_not_match_are_refused = refused(
    DomainError, (lambda: PROTOCOL.messages(BITS + 1), "the symbol 2"),
    (lambda: PROTOCOL.messages(-BITS), "the symbol -1"), (lambda: PROTOCOL.messages(BITS[:, :1]), r"shape \(1, 1\)"),
    (lambda: PROTOCOL.messages(BITS / 2), "float64"),
    (lambda: PROTOCOL.messages(np.ones((1, 4), dtype=int)), r"shape \(1, 4\)"),
    (lambda: PROTOCOL.rebuilt(BITS, np.ones((2, 3), dtype=int)), "1, 2 strings"),
    (lambda: PROTOCOL.executed(BITS, np.ones((2, 3), dtype=int)), "1, 2 strings"),
    (lambda: OneLayerProtocol(OneLayerEquality(3), range(6), ()), "without positions"),
    (lambda: OneLayerProtocol(OneLayerEquality(3), range(3), range(3, 6), letters=1), "letters = 1"),
    (lambda: OneLayerEquality(3).execute(BITS), r"shape \(1, 3\)"),
    (lambda: MARGIN.inputs(BITS, np.ones((2, 3), dtype=int)), "1, 2 strings"),
    (lambda: MARGIN.wrong_pair(equality, BITS + 1, BITS), "the symbol 2"), (lambda: message_bits(3, 2.5), "p = 2.5"),
    (lambda: message_bits(0, 2), "n_A = 0"), (lambda: TwoLayerBoolean(3)(2 * BITS - 1, BITS), "the symbol -1"),
    (lambda: TwoLayerBoolean(3)(BITS[:, :2], BITS), r"shape \(1, 2\)"),
    (lambda: TwoLayerBoolean(3).violations(BITS, 3 * BITS), "the symbol 3"),
    (lambda: TASKS["equality"](BITS, 2 * BITS), "the symbol 2"),
    (lambda: TASKS["inner_product"](BITS, BITS[:, :2]), "3 and 2 bits"),
    (lambda: LinearHash((1, 2, 4)).answers(2 * BITS, BITS), "the symbol 2"),
    (lambda: LinearHash((1, 2, 4)).states(BITS[:, :2]), r"shape \(1, 2\)"),
    (lambda: NearestNeighbour(TASK)([1, 1, 1]), r"shape \(3,\)"),
    (lambda: NearestNeighbour(TASK)([1, 0, 1, 1]), "labels"),
    (lambda: NearestNeighbour(TASK)([1, np.nan, 1, 1]), "labels"), (lambda: TASK.answers([1, 1, 1]), r"shape \(3,\)"),
    (lambda: NearestTask([[0.5, 1], [1, 1]]), "array of integers"),
    (lambda: NearestTask([[1, 0], [1, 1]]), "matrix of"), (lambda: NearestTask(TASK.points, [[1, 1]]), "dimension"),
    (lambda: DyckRNN.stack(2, 2).accepts([[0, 4]]), "the symbol 4"),
    (lambda: DyckRNN.stack(2, 2).accepts([[0, 1.5]]), "float64"),
    (lambda: count_states(object(), 3), "object that does not say"),
)  # fmt: skip


def test_torch_forms_refuse_the_same():
    bits = torch.tensor([[0, 1, 1, 0]])
    lookup = IndexLookup.of("binary", 4, 6).module()
    two, one = TwoLayerBoolean(2).module(), OneLayerEquality(2).module()
    points = torch.tensor(TASK.points / 2)[None]
    nearest, dyck = NearestNeighbour(TASK).module(), DyckRNN.stack(2, 2).module()
    cell = torch.nn.GRUCell(2, 1)
    refuses(
        DomainError, lambda: lookup(bits + 1, bits[:, 0]), lambda: lookup(bits, bits[:, 0] + 4),
        lambda: lookup(bits[:, :3], bits[:, 0]), lambda: two(2 * bits - 1), lambda: two(bits[:, :3]),
        lambda: two(bits.double()), lambda: one(3 * bits), lambda: one(bits[:, :2]),
        lambda: nearest(points, torch.ones(1, 3), points[:, 0]),
        lambda: nearest(points[:, :3], torch.ones(1, 4), points[:, 0]), lambda: dyck(4 + bits),
        lambda: count_states(cell, 3), lambda: count_states(QuantisedRecurrence(cell, 2), 3, letters=3),
        lambda: QuantisedRecurrence(torch.nn.TransformerEncoderLayer(4, 1), 2),
    )  # fmt: skip


def test_enumerations_that_are_too_large_are_refused_with_their_size():
    long = halves(OneLayerEquality(24))
    refuses(
        BudgetError, (lambda: long.count(), "2\\^24 strings"), (lambda: long.report(equality), "2\\^24 strings"),
        (lambda: count_states(TightEncoder(), 9, limit=20), "16 states after 4 of 9 symbols, 32 transitions"),
    )  # fmt: skip
