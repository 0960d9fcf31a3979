"""How many states a recurrent network has: known machines, brute force, and what answers need."""

import itertools
import json
import math

import answered
import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from trained_specimens import drawn_cell, prefixes_of_signs

from theorytools import BudgetError, DomainError, certify, certify_states
from theorytools.trained.checkpoint import write_checkpoint
from theorytools.trained.recurrent import GATES, TrainedCell
from theorytools.trained.running import RunningCell

SEEDS = st.integers(0, 10**6)
KINDS = st.sampled_from(sorted(GATES))


def register(m, d, kept=None):
    """A cell that keeps the last tokens as they are, each sign as 0 or 2, and loses those before them."""
    kept = m if kept is None else kept
    W_ih, W_hh = np.zeros((kept * d, d)), np.zeros((kept * d, kept * d))
    W_ih[:d] = np.eye(d)
    W_hh[d:, :-d] = np.eye((kept - 1) * d)
    bias = np.concatenate([np.ones(d), np.zeros((kept - 1) * d)])
    return {"cell.weight_ih": W_ih, "cell.weight_hh": W_hh, "cell.bias_ih": bias, "cell.bias_hh": 0 * bias}


COUNTER = {"cell.weight_ih": np.array([[0.5]]), "cell.weight_hh": np.array([[1.0]]),
           "cell.bias_ih": np.array([0.5]), "cell.bias_hh": np.array([0.0])}  # fmt: skip
CONSTANT = {"cell.weight_ih": np.zeros((2, 1)), "cell.weight_hh": np.zeros((2, 2)),
            "cell.bias_ih": np.ones(2), "cell.bias_hh": np.ones(2)}  # fmt: skip


# -- machines that are known ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(("m", "d"), [(1, 1), (4, 1), (3, 2), (2, 4), (11, 1)])
def test_a_register_of_all_tokens_holds_all_bits_and_no_more_is_needed(m, d):
    u = 0.5 ** np.arange(d)  # all 2^d labels differ
    made = certify_states(register(m, d), m, resolution=1.0, direction=u, risk=0.0, lipschitz=0.0)
    assert made.bits.floats == (m * d, m * d)
    assert made.states == (2 ** (m * d), 2 ** (m * d))
    assert made.need == m * d
    assert made.pair is None
    assert not made.too_small


@pytest.mark.parametrize(("m", "d"), [(4, 1), (3, 2), (30, 2)])
def test_a_register_that_loses_the_first_token_is_too_small(m, d):
    u, kept = 0.5 ** np.arange(d), min(m - 1, 3)
    made = certify_states(register(m, d, kept), m, resolution=1.0, direction=u, risk=1e-4, lipschitz=0.01)
    assert made.states == (2 ** (kept * d), 2 ** (kept * d))
    assert kept * d < made.need < m * d
    assert made.too_small
    assert made.pair.distance == 0
    assert made.pair.labels == 2 * u.sum()
    assert not certify_states(register(m, d, kept), m, resolution=1.0).too_small  # nothing is asked for


def test_a_constant_holds_nothing():
    made = certify_states(CONSTANT, 5, resolution=1e-12)
    assert (made.bits.floats, made.states) == ((0.0, 0.0), (1, 1))
    assert (made.pair.distance, made.pair.labels) == (0.0, 2.0)
    assert certify_states(CONSTANT, 500, resolution=1e-12, tokens="box").states == (1, 1)


@pytest.mark.parametrize("m", [1, 3, 9, 40])
def test_a_counter_has_one_state_more_than_tokens(m):
    made = certify_states(COUNTER, m, resolution=0.9)
    assert m // 2 < made.states[0] <= m + 1 <= made.states[1]
    assert made.states == (m + 1, m + 1) or m > 12  # up to there all prefixes are listed
    coarse = certify_states(COUNTER, m, resolution=1.5)  # of 0, 1, …, m every second
    assert coarse.states[0] <= m // 2 + 1 <= coarse.states[1]
    assert coarse.states == (m // 2 + 1, m // 2 + 1) or m > 12
    box = certify_states(COUNTER, m, resolution=0.7, tokens="box")  # an interval of length m
    assert box.states == (made.states[0], math.ceil(m / 0.7))


# -- by brute force -------------------------------------------------------------------------------------------------
def most_apart(far):
    """The largest set that is pairwise far, by branching on a vertex."""
    near = [{j for j in range(len(far)) if j != i and not far[i, j]} for i in range(len(far))]

    def best(left):
        if not left:
            return 0
        i = max(left, key=lambda v: len(near[v] & left))
        if not near[i] & left:
            return len(left)
        return max(best(left - {i}), 1 + best(left - near[i] - {i}))

    return best(frozenset(range(len(far))))


def distances(module, m, radius=1.0):
    cell = TrainedCell.of(module)
    X = prefixes_of_signs(m, cell.d, radius)
    states = RunningCell.of(cell, module).states(X, np.zeros((m, 0), dtype=np.int64))
    return np.linalg.norm(states[:, None] - states[None], axis=2)


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, kind=KINDS, size=st.sampled_from([0.5, 1.0, 2.0]), shape=st.sampled_from([(2, 2), (4, 1), (5, 1)]),
       quantile=st.floats(0.05, 0.9))  # fmt: skip
def test_the_largest_set_by_brute_force_is_enclosed(seed, kind, size, shape, quantile):
    m, d = shape
    module = drawn_cell(kind, seed, d, 2, size)
    apart = distances(module, m)
    eps = float(np.quantile(apart, quantile))
    assume(1e-6 < eps < apart.max() and np.abs(apart - eps * (1 + 1e-7)).min() > 1e-9)  # doubles decide what is far
    eps *= 1 + 1e-7
    true = most_apart(apart > eps)
    for limit in (4096, 12, 5):  # all listed, and some
        low, high = certify_states(module, m, resolution=eps, limit=limit).states
        assert 1 <= low <= true <= high <= 2 ** (m * d)
    assert certify_states(module, m, resolution=eps, tokens="box").states[1] >= true


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, kind=KINDS, radius=st.sampled_from([0.5, 1.0]))
def test_no_tokens_of_a_box_have_more_states_apart(seed, kind, radius):
    module, rng = drawn_cell(kind, seed, 2, 2), np.random.default_rng(seed)
    cell = TrainedCell.of(module)
    states = RunningCell.of(cell, module).states(radius * rng.uniform(-1, 1, (400, 3, 2)), np.zeros((3, 0), int))
    greedy = []
    for state in states:
        greedy += [state] * all(np.linalg.norm(state - one) > 0.1 for one in greedy)
    box = certify_states(module, 3, resolution=0.1, tokens="box", radius=radius)
    signs = certify_states(module, 3, resolution=0.1, radius=radius)
    assert len(greedy) <= box.states[1]
    assert signs.states[0] <= box.states[0] <= box.states[1]


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, kind=KINDS, ratio=st.floats(1.0, 4.0))
def test_a_coarser_resolution_tells_no_more_states_apart(seed, kind, ratio):
    module = drawn_cell(kind, seed, 2, 3)
    fine, coarse = (certify_states(module, 3, resolution=eps).states for eps in (0.1, 0.1 * ratio))
    assert coarse[0] <= fine[1]
    assert coarse[1] <= 64
    assert certify_states(module, 3, resolution=1e-9).states[0] >= fine[0]


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS, power=st.integers(-8, 8))
def test_states_and_resolution_in_other_units(seed, power):
    """Without biases a plain cell of relu doubles its states with its tokens."""
    module = drawn_cell("relu", seed, 2, 3)
    weights = {f"cell.{name}": value for name, value in module.state_dict().items() if name.startswith("weight")}
    one = certify_states(weights, 3, resolution=0.3)
    other = certify_states(weights, 3, resolution=0.3 * 2.0**power, radius=2.0**power)
    assert one.states == other.states


@settings(max_examples=4, deadline=None)
@given(seed=SEEDS, kind=st.sampled_from(["gru", "lstm"]))
def test_a_long_prompt_has_no_more_states_than_the_box_of_all(seed, kind):
    module = drawn_cell(kind, seed, 1, 2, 0.5)
    short, long = (certify_states(module, m, resolution=0.3, limit=64) for m in (3, 30))
    more = certify_states(module, 30, resolution=0.3, limit=512)
    assert short.states[1] <= 8
    assert max(long.states[0], more.states[0]) <= min(long.states[1], more.states[1])
    assert more.states[1] <= long.states[1] < 2**30


# -- what answers need ----------------------------------------------------------------------------------------------
@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, m=st.integers(1, 4), d=st.integers(1, 2), eps=st.floats(1e-3, 3), noise=st.floats(0, 1))
def test_a_state_that_has_a_read_out_is_not_said_to_be_too_small(seed, m, d, eps, noise):
    """The register read by u is right, up to noise of the states: any network with a read-out keeps the inequality."""
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(d)
    made = certify_states(
        register(m, d), m, resolution=eps, direction=u, risk=noise**2, lipschitz=float(np.linalg.norm(u))
    )
    assert made.need <= made.bits.floats[1]
    assert not made.too_small


def closed_form(m, error, gap):
    p = min(4 * error / gap**2, 0.5)
    return m if p == 0 else m * (1 + p * math.log2(p) + (1 - p) * math.log2(1 - p))


@pytest.mark.parametrize("risk", [0.0, 1e-8, 0.01, 0.2, 0.5, 7.0])
@pytest.mark.parametrize("lipschitz", [0.0, 0.1, 3.0])
def test_the_need_of_one_sign_is_fano_s(risk, lipschitz):
    made = certify_states(CONSTANT, 6, resolution=0.1, direction=[0.8], radius=1.5, risk=risk, lipschitz=lipschitz)
    wanted = closed_form(6, (math.sqrt(risk) + 0.1 * lipschitz) ** 2, 2.4)
    assert made.need == pytest.approx(wanted, rel=1e-6, abs=1e-6)
    assert made.need <= wanted


def test_the_need_falls_with_risk_and_slope_and_a_tie_of_labels_counts_once():
    def need(u, risk, lipschitz=0.0):
        return certify_states(register(2, 2, 1), 2, resolution=0.1, direction=u, risk=risk, lipschitz=lipschitz).need

    assert need([1.0, 0.5], 0.0) == 4
    assert need([1.0, 1.0], 0.0) == need([1.0, 0.0], 0.0) == 2
    assert need([0.0, 0.0], 0.0) == need([1e-200, 0.0], 1.0) == need([1.0, 0.5], 1e300, 1e300) == 0
    found = [need([1.0, 0.5], c, 1.0) for c in (0.0, 1e-3, 1e-2, 0.1, 1.0)]
    assert found == sorted(found, reverse=True)
    assert found[0] < 4
    assert found[-1] == 0


# -- what is refused ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "said"),
    [({"tokens": "gauss"}, "signs or box"), ({"tokens": "ball"}, "signs or box"), ({"tokens": 3}, "signs or box"),
     ({"resolution": 0.0}, "resolution"), ({"resolution": -1.0}, "resolution"), ({"resolution": 1e-200}, "between"),
     ({"resolution": float("nan")}, "resolution"), ({"radius": 0.0}, "radius"), ({"radius": float("inf")}, "radius"),
     ({"m": None}, "m = None"), ({"m": 0}, "m"), ({"m": 2.5}, "m"), ({"limit": 0}, "limit"),
     ({"risk": 0.1}, "lipschitz = None"), ({"risk": 0.1, "lipschitz": 1.0}, "no direction"),
     ({"risk": -0.1, "lipschitz": 1.0, "direction": [1.0]}, "at least 0"),
     ({"risk": 0.1, "lipschitz": 1.0, "direction": [1.0], "tokens": "box"}, "tokens box"),
     ({"direction": [1.0, 2.0]}, "a direction of shape"), ({"direction": [float("nan")]}, "not finite"),
     ({"codes": np.ones((4, 3))}, "codes of shape"), ({"indices": [[0]]}, "indices"),
     ({"indices": [[0], [1, 2]]}, "indices")],
)  # fmt: skip
def test_what_is_no_question(given, said):
    with pytest.raises(DomainError, match=said):
        certify_states(**{"module": COUNTER, "m": 3, "resolution": 0.1, **given})


def test_codes_end_a_prompt_and_indices_are_among_them():
    weights = {"cell.weight_ih": np.ones((1, 5)), "cell.weight_hh": np.ones((1, 1)), "omega": np.ones((4, 2))}
    assert certify_states(weights, resolution=0.1).m == 3
    assert certify_states(weights, 4, resolution=0.1, indices=np.full((4, 1), 3)).d == 1
    for more, said in (({"m": 5}, "at most 4"), ({"indices": np.full((3, 1), 4)}, "from 0 to 3"),
                       ({"indices": np.zeros((3, 1))}, "integers")):  # fmt: skip
        with pytest.raises(DomainError, match=said):
            certify_states(weights, resolution=0.1, **more)


@pytest.mark.parametrize(("heard", "states"), [(5, 1), (4, 2), (0, 2), (3, 2)])
def test_the_last_tokens_are_listed_with_their_own_codes(heard, states):
    """A cell that hears the sign at one position, whose code is 1, and adds up what it has heard."""
    codes = (np.arange(6) == heard).astype(float)[:, None]
    weights = {"cell.weight_ih": np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]]), "cell.bias_ih": np.array([-2.0, 0.0]),
               "cell.weight_hh": np.array([[0.0, 0.0], [1.0, 1.0]]), "cell.bias_hh": np.zeros(2)}  # fmt: skip
    for limit in (4096, 12):
        made = certify_states(weights, 5, resolution=0.6, codes=codes, indices=np.full((5, 1), 1), limit=limit)
        assert made.states == (states, states)


def test_what_is_too_long_too_fine_or_beyond_doubles():
    with pytest.raises(BudgetError, match="m d <= 10000"):
        certify_states(COUNTER, 10001, resolution=0.1)
    deep = {**CONSTANT, "cell.weight_ih": np.zeros((2, 100))}
    assert certify_states(deep, 100, resolution=0.1, limit=2).states == (1, 1)
    wide = {"cell.weight_ih": np.ones((200, 1)), "cell.weight_hh": np.zeros((200, 200))}
    with pytest.raises(BudgetError, match="a coarser resolution"):
        certify_states(wide, 1, resolution=1e-30, tokens="box")
    with pytest.raises(DomainError, match="beyond doubles"):
        certify_states({**COUNTER, "cell.weight_hh": np.array([[1e100]])}, 4, resolution=0.1)
    with pytest.raises(DomainError, match="radius"):
        certify_states({name: value.astype(np.float16) for name, value in COUNTER.items()}, 2, resolution=1, radius=1e9)


# -- by the command -------------------------------------------------------------------------------------------------
@pytest.fixture
def files(tmp_path):
    module = drawn_cell("gru", 0, 2, 4, dtype=torch.float32)
    torch.save(module.state_dict(), tmp_path / "gru.pt")
    write_checkpoint(tmp_path / "more.safetensors", torch.nn.Module(), direction=torch.tensor([1.0, 0.5]))
    return module


def test_the_command_says_what_the_function_proves(cli, files):
    made = certify_states(files, 4, resolution=0.3, direction=[1.0, 0.5], risk=0.01, lipschitz=0.5)
    assert made.need > 0
    words = ("certify", "gru.pt", "qstr.proposition_35", "--m", "4", "--resolution", "0.3")
    asked = (*words, "--codes", "more.safetensors", "--risk", "0.01", "--lipschitz", "0.5")
    told = answered.told(cli(*asked, "--json").out)
    distance, seen = made.pair.distance, made.to_json()
    assert (told.pop("schema"), told.pop("exit")) == ("theorytools.certify/1", 1 if made.too_small else 0)
    assert (told["pair"].pop("distance"), seen["pair"].pop("distance")) == (pytest.approx(distance, rel=1e-4), distance)
    assert told == seen
    text = cli(*asked)
    assert "bits for answers of this risk" in text.out
    assert "run on the module" in text.out
    assert cli(*words).code == 0
    assert f"between {made.states[0]} and {made.states[1]} states" in cli(*words).out


def test_the_command_ends_with_1_where_the_state_is_too_small(cli, tmp_path):
    weights = {name: torch.tensor(value) for name, value in register(4, 1, 2).items()}
    torch.save({**weights, "u": torch.ones(1, dtype=torch.float64)}, tmp_path / "small.pt")
    words = ("certify", "small.pt", "qstr.proposition_35", "--m", "4", "--resolution", "1", "--lipschitz", "0")
    small = cli(*words, "--risk", "0.001")
    assert (small.code, "certainly more than the state holds" in small.out) == (1, True)
    large = cli(*words, "--risk", "1")
    assert (large.code, "not excluded" in large.out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [([], "without --resolution"), (["--resolution", "0"], "resolution"), (["--resolution", "0.1"], "--m 6"),
     (["--resolution", "0.1", "--tokens", "ball"], "signs, box"), (["--slots", "1"], "--slots with"),
     (["--resolution", "0.1", "--within", "0.1", "--slots", "1"], "--slots, --within with"),
     (["--resolution", "0.1", "--m", "3", "--risk", "0.1"], "lipschitz = None")],
)  # fmt: skip
def test_usage(cli, files, arguments, said):
    answer = cli("certify", "gru.pt", "qstr.proposition_35", *arguments)
    assert (answer.code, said in answer.err) == (2, True), answer.err
    assert "required" in answer.err


@pytest.mark.parametrize("option", [("--m", "3"), ("--resolution", "0.1"), ("--risk", "1"), ("--lipschitz", "1")])
def test_options_of_states_are_not_those_of_attention(cli, files, option):
    answer = cli("certify", "gru.pt", "qstr.lemma_11", *option)
    assert (answer.code, f"{option[0]} with qstr.lemma_11" in answer.err) == (2, True)


def test_the_other_certificate_says_where_to_go(files):
    with pytest.raises(DomainError, match="certify_states"):
        certify(files, "qstr.proposition_35")


def test_json_has_no_count_that_a_double_does_not_hold():
    made = certify_states(COUNTER, 100, resolution=1e-20, tokens="box")
    assert made.states[1] >= 2**53
    assert json.loads(json.dumps(made.to_json(), allow_nan=False))["states"] is None
    assert all(x <= y for x, y in itertools.pairwise(made.bits.floats))
