"""One layer as a protocol: adapters, merges, floats, margins, and a trained model that is caught in the act."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorytools.constructions import (
    EqualityModule,
    FixedPointAttention,
    FixedPointTables,
    MarginEquality,
    MarginTables,
    OneLayerEquality,
    admitted,
    close_pairs,
    equal_in_floats,
    sequential_sum,
    survives_interleaved,
)
from theorytools.constructions.one_layer_equality import FLOATS
from theorytools.errors import BudgetError, CertificateError, DomainError
from theorytools.quantities import (
    CommunicationMatrix,
    MarginProtocol,
    OneLayerProtocol,
    all_strings,
    equality,
    margin_bits,
    message_bits,
)

RNG = np.random.default_rng
DTYPES = {"float16": np.float16, "float32": np.float32, "float64": np.float64}


def random_tables(n, p, width, heads, rng, rest=None):
    top, shape = 1 << (p - 1), (2 * n, 2, heads)
    e, v = rng.integers(1, 2 * top, shape), rng.integers(-top, top, (*shape, width))
    return FixedPointTables(e, v, p, rest or (lambda N, D: (N.sum(axis=(1, 2)) + D.sum(axis=1)) % 3 == 0))


def halves(model):
    return OneLayerProtocol(model, range(model.length // 2), range(model.length // 2, model.length))


def pairs(n):
    strings = all_strings(n)
    return np.repeat(strings, len(strings), axis=0), np.tile(strings, (len(strings), 1))


# -- sizes -------------------------------------------------------------------------------------------------------------
def test_bits_by_the_formula():
    rows = {(12, 1, 1, 1): 9, (16, 1, 1, 1): 11, (16, 2, 1, 1): 14, (18, 3, 1, 1): 17, (16, 2, 2, 1): 28}
    assert {key: message_bits(*key) for key in rows} == rows
    for n_A, p in ((1, 1), (5, 3), (7, 4)):  # the number of values of either sum, counted
        D, N = range(n_A * (2**p - 1) + 1), range(2 * n_A * (2**p - 1) * 2 ** (p - 1) + 1)
        assert message_bits(n_A, p) == (len(D) - 1).bit_length() + (len(N) - 1).bit_length()


def test_bits_with_a_margin():
    assert [margin_bits(Fraction(1, n << n), 1, 0) for n in (6, 8, 10)] == [10, 13, 15]
    assert margin_bits(Fraction(1, 2), 1, 3, heads=2, width=3) == 2 * (3 * 3 + 3)
    with pytest.raises(DomainError, match="tau"):
        margin_bits(0, 1, 1)


@settings(deadline=None, derandomize=True, database=None, max_examples=15)
@given(st.integers(1, 5), st.integers(1, 3), st.integers(1, 2), st.integers(1, 2), st.integers(0, 2**32))
def test_a_layer_is_rebuilt_from_its_messages(n, p, width, heads, seed):
    protocol = halves(random_tables(n, p, width, heads, RNG(seed)))
    assert protocol.mismatches(*pairs(n)) == 0
    assert protocol.count() <= min(2**protocol.bits, 2**n)
    found = protocol.wrong_pair(equality)
    assert (found is None) == (protocol.count() == 2**n)
    if found:
        assert found.answers[0] == found.answers[1]
        assert found.wrong == 1


def test_colliding_strings_bound_the_errors_from_below_and_it_is_attained():
    protocol = halves(random_tables(6, 1, 1, 1, RNG(3)))
    label = np.unique(protocol.messages(), axis=0, return_inverse=True)[1].ravel()
    same = label[:, None] == label[None]
    best = same & (same.sum(axis=0) == 1)  # accept only what is certain
    assert (best != np.eye(64, dtype=bool)).sum() == protocol.colliding()


def test_public_tokens_and_any_partition():
    model = random_tables(4, 2, 1, 1, RNG(5))
    protocol = OneLayerProtocol(model, alice=(6, 1, 3), bob=(0, 4, 5), public={2: 1, 7: 0})
    assert protocol.mismatches(*pairs(3)) == 0
    assert (protocol.inputs(*pairs(3))[:, [2, 7]] == [1, 0]).all()
    with pytest.raises(DomainError, match="partition"):
        OneLayerProtocol(model, alice=(0, 1), bob=(1, 2))


def test_merging_softmax_halves_by_their_maxima():
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


# -- what is refused ---------------------------------------------------------------------------------------------------
def test_everything_else_is_refused_by_name():
    import torch

    with pytest.raises(DomainError, match=r"plain floating-point accumulation \(torch.float32\) of the module Linear"):
        admitted(torch.nn.Linear(2, 2))

    class Floats(FixedPointTables):
        semantics = "F"

    good = random_tables(2, 2, 1, 1, RNG(0))
    with pytest.raises(DomainError, match="Floats with semantics 'F'"):
        halves(Floats(good.e, good.v, 2, good.rest))
    with pytest.raises(DomainError, match="object without a semantics"):
        admitted(object())
    with pytest.raises(DomainError, match="numerators of type float64"):
        halves(FixedPointTables(good.e * 1.0, good.v, 2, good.rest)).count()
    with pytest.raises(DomainError, match="values from"):
        halves(FixedPointTables(good.e, good.v + 4, 2, good.rest)).count()
    with pytest.raises(DomainError, match="numerators from 0"):
        halves(FixedPointTables(good.e * 0, good.v, 2, good.rest)).count()
    with pytest.raises(DomainError, match="tables of shapes"):
        FixedPointTables(good.e[0], good.v, 2, good.rest)
    with pytest.raises(DomainError, match="semantics E"):
        OneLayerProtocol(MarginEquality(2, Fraction(1, 99)), (0, 1), (2, 3))
    with pytest.raises(DomainError, match="semantics R"):
        MarginProtocol(good, (0, 1))
    with pytest.raises(DomainError, match="tau = 0"):
        MarginProtocol(MarginEquality(2, Fraction(0)), (0, 1))
    with pytest.raises(DomainError, match="64-bit"):
        admitted(FixedPointTables(good.e, good.v, 31, good.rest))
    with pytest.raises(DomainError, match="finite"):
        FixedPointTables.quantised(np.full((2, 2, 1), np.nan), np.ones((2, 2, 1, 1)), 2, good.rest)
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


def test_two_layers_are_noticed():
    protocol = halves(Coupled())
    assert (protocol.executed(*pairs(3)) == equality(*pairs(3))).all()
    assert protocol.mismatches(*pairs(3)) > 0
    with pytest.raises(CertificateError, match="equal answers"):
        protocol.wrong_pair(equality)


# -- matrices ----------------------------------------------------------------------------------------------------------
def test_rows_rank_and_fooling_sets():
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


# -- the width-1 network -----------------------------------------------------------------------------------------------
def test_the_width_one_network_has_every_message():
    for n in (1, 4, 8):
        report = halves(OneLayerEquality(n)).report(equality)
        assert (report.messages, report.rows, report.rank, report.too_small) == (2**n, 2**n, 2**n, False)
        assert report.bits >= n
    assert halves(OneLayerEquality(5, repeated=True)).report(equality).too_small
    with pytest.raises(DomainError, match="n <= 24"):
        OneLayerEquality(25)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("interleaved", [False, True])
def test_floats_numpy_and_torch_agree(name, interleaved):
    import torch

    for n in (FLOATS[name].precision - 1, FLOATS[name].precision, FLOATS[name].precision + 1):
        x, y = close_pairs(n, RNG(n), 12)
        w = 2.0 ** -np.arange(n)
        a, b = (2 * x - 1) * w, (1 - 2 * y) * w
        terms = np.stack([a, b], 2).reshape(len(x), -1) if interleaved else np.concatenate([a, b], 1)
        total = np.zeros(len(x), dtype=DTYPES[name])
        for column in terms.T.astype(DTYPES[name]):
            total = total + column
        decided = equal_in_floats(x, y, FLOATS[name].precision, interleaved=interleaved)
        assert (decided == (total == 0)).all()
        if n <= 24:
            module = EqualityModule(OneLayerEquality(n), getattr(torch, name), interleaved=interleaved)
            out = module(torch.tensor(np.concatenate([x, y], axis=1))).detach().numpy()
            assert ((out == 0) == decided).all()
            assert np.abs(out - total / DTYPES[name](2 * n)).max() == 0


def test_bfloat16_and_exact_outputs_in_torch():
    import torch

    for n in (8, 9):
        x, y = close_pairs(n, RNG(1), 12)
        tokens = torch.tensor(np.concatenate([x, y], axis=1))
        out = EqualityModule(OneLayerEquality(n), torch.bfloat16)(tokens).float().detach().numpy()
        assert ((out == 0) == equal_in_floats(x, y, 8)).all()
        exact = OneLayerEquality(n).sums(tokens.numpy())[0][:, 0, 0] / 2.0 ** (n - 1) / (2 * n)
        double = EqualityModule(OneLayerEquality(n))(tokens).detach().numpy()
        assert (double == exact).all()  # sums exact for n <= 53, one rounding in either division


@settings(deadline=None, derandomize=True, database=None, max_examples=40)
@given(st.lists(st.integers(-(2**50), 2**50), min_size=1, max_size=6), st.integers(2, 53))
def test_sequential_sums_are_those_of_the_format(terms, precision):
    how = FLOATS["float64"].__class__("any", precision, -1022)
    total = Fraction(0)
    for term in terms:
        total = how.nearest(total + term)
    assert sequential_sum(np.array([terms]), precision)[0] == total


def test_interleaved_sums_last_to_the_least_number():
    for n, good in ((24, True), (25, True), (26, False)):
        assert survives_interleaved(n, FLOATS["float16"]) is good
    x, y = pairs(6)
    assert (equal_in_floats(x, y, 2, interleaved=True) == equality(x, y)).all()
    assert not survives_interleaved(16, FLOATS["float16"], flush=True)


# -- margins -----------------------------------------------------------------------------------------------------------
def test_outputs_are_rebuilt_within_the_margin():
    rng, tenth = RNG(2), Fraction(1, 10)
    tables = rng.integers(-10, 11, (4, 2, 1)) * tenth, rng.integers(-10, 11, (4, 2, 1, 2)) * tenth
    protocol = MarginProtocol(MarginTables(*tables, tau=Fraction(1, 20)), (0, 1))
    assert protocol.error(all_strings(4)).certainly_le(Fraction(1, 20))
    with pytest.raises(DomainError, match="logits of shape"):
        MarginProtocol(MarginTables(*tables, tau=1, S=tenth), (0, 1)).error(all_strings(4))


def test_equality_with_a_margin_has_every_message():
    tokens = np.concatenate([all_strings(4), 0 * all_strings(4)], axis=1)
    assert MarginProtocol(MarginEquality(4, Fraction(1, 65)), range(4)).count(tokens) == 16
    assert MarginProtocol(MarginEquality(4, Fraction(1, 2)), range(4)).count(tokens) < 16


# -- a trained model ---------------------------------------------------------------------------------------------------
def trained(n, steps, seed):
    """One softmax head over tables and a small network, trained on equality with balanced, close negatives."""
    import torch

    g = torch.Generator().manual_seed(seed)

    class OneLayer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.logits = torch.nn.Parameter(0.1 * torch.randn(2 * n, 2, 1, generator=g))
            self.values = torch.nn.Parameter(torch.randn(2 * n, 2, 1, 2, generator=g))
            self.rest = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
            for weights in self.rest.parameters():
                weights.data = torch.randn(weights.shape, generator=g) * weights.shape[-1] ** -0.5

        def forward(self, tokens):
            j = torch.arange(2 * n)
            a = torch.softmax(self.logits[j, tokens], dim=1)
            return self.rest((a[..., None] * self.values[j, tokens]).sum(1).flatten(1))[:, 0]

    model = OneLayer()
    weights = list(model.parameters())
    mean, square = ([torch.zeros_like(w) for w in weights] for _ in range(2))
    for _ in range(steps):
        x = torch.randint(0, 2, (128, n), generator=g)
        y = torch.where(torch.rand(128, 1, generator=g) < 0.5, x, torch.randint(0, 2, (128, n), generator=g))
        target = (x == y).all(1).float()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(torch.cat([x, y], 1)), target)
        for w, g1, m, v in zip(weights, torch.autograd.grad(loss, weights), mean, square, strict=True):
            m.lerp_(g1, 0.1), v.lerp_(g1**2, 0.01)  # Adam, without its corrections of the start
            w.data -= 0.005 * m / (v.sqrt() + 1e-8)
    return model


def test_a_trained_model_that_is_too_small_is_shown_to_be_wrong():
    import torch

    n = 8
    module = trained(n, 300, seed=0)
    with pytest.raises(DomainError, match=r"torch.float32\) of the module OneLayer"):
        halves(admitted(module))

    def rest(o):  # the module's own network behind the head, in doubles
        with torch.no_grad():
            return (module.rest.double()(torch.tensor(o).flatten(1))[:, 0] > 0).numpy()

    tables = [t.detach().double().numpy() for t in (module.logits, module.values)]
    fine = FixedPointTables.quantised(*tables, 16, rest)  # of 16 bits: the trained model, to rounding
    x, y = pairs(n)
    y[::2] = x[::2]
    tokens = np.concatenate([x, y], axis=1)
    with torch.no_grad():
        learnt = (module.float()(torch.tensor(tokens)) > 0).numpy()
    assert (learnt == equality(x, y)).mean() > 0.75  # it has learnt something: half of the pairs are equal
    assert (fine.execute(tokens) == learnt).mean() > 0.99

    protocol = halves(FixedPointTables.quantised(*tables, 2, rest))
    report = protocol.report(equality)
    assert protocol.mismatches(x[::16], y[::16]) == 0
    assert report.messages < report.rows == report.fooling == 256
    assert report.too_small
    one = report.wrong
    given = np.array([[*one.x, *one.y], [*one.other, *one.y]])
    executed = protocol.model.execute(given)
    assert executed[0] == executed[1]
    assert one.x == one.y != one.other
    assert one.wrong == 1
    assert protocol.colliding() >= 2
