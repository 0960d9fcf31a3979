"""One layer as a protocol: adapters, merges, floats, margins, and a trained model that is caught in the act."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples
from refusals import refuses
from two_halves import halves, pairs

from theorytools import BudgetError, CertificateError, DomainError, FixedPointAttention
from theorytools.constructions.attention.attention_tables import FixedPointTables, MarginEquality, MarginTables
from theorytools.constructions.attention.fixed_point import admitted
from theorytools.theory.communication.margin_protocol import MarginProtocol, margin_bits
from theorytools.theory.communication.matrix import CommunicationMatrix, all_strings, equality
from theorytools.theory.communication.protocol import OneLayerProtocol, message_bits

RNG = np.random.default_rng
DTYPES = {"float16": np.float16, "float32": np.float32, "float64": np.float64}


def random_tables(n, p, width, heads, rng, rest=None):
    top, shape = 1 << (p - 1), (2 * n, 2, heads)
    e, v = rng.integers(1, 2 * top, shape), rng.integers(-top, top, (*shape, width))
    return FixedPointTables(e, v, p, rest or (lambda N, D: (N.sum(axis=(1, 2)) + D.sum(axis=1)) % 3 == 0))


# -- sizes -------------------------------------------------------------------------------------------------------------
@examples(15, st.integers(1, 5), st.integers(1, 3), st.integers(1, 2), st.integers(1, 2), st.integers(0, 2**32))
def test_a_layer_is_rebuilt_from_its_messages(n, p, width, heads, seed):
    protocol = halves(random_tables(n, p, width, heads, RNG(seed)))
    assert protocol.mismatches(*pairs(n)) == 0
    assert protocol.count() <= min(2**protocol.bits, 2**n)
    found = protocol.wrong_pair(equality)
    assert (found is None) == (protocol.count() == 2**n)
    if found:
        assert found.answers[0] == found.answers[1]
        assert found.wrong == 1


def test_colliding_strings_public_tokens_and_any_partition():
    protocol = halves(random_tables(6, 1, 1, 1, RNG(3)))
    label = np.unique(protocol.messages(), axis=0, return_inverse=True)[1].ravel()
    same = label[:, None] == label[None]
    best = same & (same.sum(axis=0) == 1)  # accept only what is certain
    assert (best != np.eye(64, dtype=bool)).sum() == protocol.colliding()
    model = random_tables(4, 2, 1, 1, RNG(5))
    protocol = OneLayerProtocol(model, alice=(6, 1, 3), bob=(0, 4, 5), public={2: 1, 7: 0})
    assert protocol.mismatches(*pairs(3)) == 0
    assert (protocol.inputs(*pairs(3))[:, [2, 7]] == [1, 0]).all()
    with pytest.raises(DomainError, match="partition"):
        OneLayerProtocol(model, alice=(0, 1), bob=(1, 2))


def test_halves_merge_by_their_maxima_and_matrices_have_their_ranks():
    rng = RNG(11)
    l, v, cut = rng.normal(0, 5, (2000, 9)), rng.normal(size=(2000, 9)), 4
    whole = (np.exp(l) * v).sum(1) / np.exp(l).sum(1)
    parts = []
    for half in (slice(0, cut), slice(cut, 9)):
        top = l[:, half].max(1)
        e = np.exp(l[:, half] - top[:, None])
        parts.append((top, (e * v[:, half]).sum(1), e.sum(1)))
    top = np.maximum(parts[0][0], parts[1][0])
    N, D = (sum(np.exp(part[0] - top) * part[i] for part in parts) for i in (1, 2))
    # every exponential has an argument of at most 50 and so a relative error of at most 50 * 2^-52; |v| < 6
    assert np.abs(N / D - whole).max() < 6 * 4 * 60 * 2.0**-52
    s = all_strings(4)
    tasks = {"EQ": equality, "DISJ": lambda x, y: ~(x & y).any(-1), "IP": lambda x, y: (x & y).sum(-1) % 2}
    found = {name: CommunicationMatrix.of(task, s, s) for name, task in tasks.items()}
    assert {name: (M.distinct_rows, M.rank) for name, M in found.items()} == {
        "EQ": (16, 16), "DISJ": (16, 16), "IP": (16, 15),
    }  # fmt: skip
    assert found["DISJ"].fools(np.arange(16), np.arange(15, -1, -1))
    assert not found["DISJ"].fools(np.arange(16), np.zeros(16, dtype=int))
    for M in found.values():
        assert M.fools(*M.fooling_set())


# -- what is refused ---------------------------------------------------------------------------------------------------
def test_everything_else_is_refused_by_name():
    with pytest.raises(DomainError, match=r"plain floating-point accumulation \(torch.float32\) of the module Linear"):
        admitted(torch.nn.Linear(2, 2))

    class Floats(FixedPointTables):
        semantics = "F"

    good = random_tables(2, 2, 1, 1, RNG(0))
    refuses(
        DomainError, (lambda: halves(Floats(good.e, good.v, 2, good.rest)), "Floats with semantics 'F'"),
        (lambda: admitted(object()), "object without a semantics"),
        (lambda: halves(FixedPointTables(good.e * 1.0, good.v, 2, good.rest)).count(), "numerators of type float64"),
        (lambda: halves(FixedPointTables(good.e, good.v + 4, 2, good.rest)).count(), "values from"),
        (lambda: halves(FixedPointTables(good.e * 0, good.v, 2, good.rest)).count(), "numerators from 0"),
        (lambda: FixedPointTables(good.e[0], good.v, 2, good.rest), "tables of shapes"),
        (lambda: OneLayerProtocol(MarginEquality(2, Fraction(1, 99)), (0, 1), (2, 3)), "semantics E"),
        (lambda: MarginProtocol(good, (0, 1)), "semantics R"),
        (lambda: MarginProtocol(MarginEquality(2, Fraction(0)), (0, 1)), "tau = 0"),
        (lambda: admitted(FixedPointTables(good.e, good.v, 31, good.rest)), "64-bit"),
        (lambda: FixedPointTables.quantised(np.full((2, 2, 1), np.nan), np.ones((2, 2, 1, 1)), 2, good.rest), "finite"),
    )  # fmt: skip
    with pytest.raises(BudgetError):
        all_strings(40)


class Coupled(FixedPointAttention):
    """Values that depend on the other party's tokens, as after a first layer."""

    p, heads, width, length = 2, 1, 1, 6

    def numerators(self, tokens):
        return np.ones((len(tokens), 6, 1), dtype=int)

    def values(self, tokens):
        wrong = tokens[:, :3] != tokens[:, 3:]
        return np.concatenate([0 * wrong, wrong], axis=1).astype(int)[..., None, None]

    def answer(self, N, D):
        return N[:, 0, 0] == 0


def test_layers_that_are_two_are_noticed_and_bits_follow_the_formula():
    protocol = halves(Coupled())
    assert (protocol.executed(*pairs(3)) == equality(*pairs(3))).all()
    assert protocol.mismatches(*pairs(3)) > 0
    with pytest.raises(CertificateError, match="equal answers"):
        protocol.wrong_pair(equality)
    with pytest.raises(CertificateError, match="cannot follow on"):
        protocol.report(equality)
    rows = {(12, 1, 1, 1): 9, (16, 1, 1, 1): 11, (16, 2, 1, 1): 14, (18, 3, 1, 1): 17, (16, 2, 2, 1): 28}
    assert {key: message_bits(*key) for key in rows} == rows
    for n_A, p in ((1, 1), (5, 3), (7, 4)):  # the number of values of either sum, counted
        D, N = range(n_A * (2**p - 1) + 1), range(2 * n_A * (2**p - 1) * 2 ** (p - 1) + 1)
        assert message_bits(n_A, p) == (len(D) - 1).bit_length() + (len(N) - 1).bit_length()
    assert [margin_bits(Fraction(1, n << n), 1, 0) for n in (6, 8, 10)] == [10, 13, 15]
    assert margin_bits(Fraction(1, 2), 1, 3, heads=2, width=3) == 2 * (3 * 3 + 3)
    with pytest.raises(DomainError, match="tau"):
        margin_bits(0, 1, 1)


def test_margins_rebuild_outputs_and_equality_has_every_message():
    rng, tenth = RNG(2), Fraction(1, 10)
    tables = rng.integers(-10, 11, (4, 2, 1)) * tenth, rng.integers(-10, 11, (4, 2, 1, 2)) * tenth
    protocol = MarginProtocol(MarginTables(*tables, tau=Fraction(1, 20)), (0, 1))
    assert protocol.error(all_strings(4)).certainly_le(Fraction(1, 20))
    broken = MarginTables(*tables, tau=1)
    broken.scores = np.full((4, 2, 1), np.nan)
    with pytest.raises(DomainError, match="finite"):
        MarginProtocol(broken, (0, 1)).error(all_strings(4))
    with pytest.raises(DomainError, match="logits of shape"):
        MarginProtocol(MarginTables(*tables, tau=1, S=tenth), (0, 1)).error(all_strings(4))
    tokens = np.concatenate([all_strings(4), 0 * all_strings(4)], axis=1)
    assert MarginProtocol(MarginEquality(4, Fraction(1, 65)), range(4)).count(tokens) == 16
    # 4 tau_0 = 1/16: the spacing of the outputs, which all are midpoints of the protocol's cells
    assert MarginProtocol(MarginEquality(4, Fraction(1, 16)), range(4)).count(tokens) == 16
    assert MarginProtocol(MarginEquality(4, Fraction(1, 2)), range(4)).count(tokens) < 16
