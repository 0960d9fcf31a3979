"""Certificates of ordinary modules against every prompt, in other arithmetic: two routes to each number."""

import itertools

import numpy as np
import pytest
import torch
from attention_specimens import drawn_attention, drawn_mask
from torch import nn
from trained_specimens import KINDS, attention, drawn, errors, outside
from trained_specimens import encoded as whole_encoded

from theorytools import BlockAttention, SignCode, bound_of, certify, certify_attention, hadamard, save
from theorytools.errors import DomainError
from theorytools.trained.answers import Answers
from theorytools.trained.checkpoint import read_checkpoint, write_checkpoint
from theorytools.trained.mechanism import outside as at_one_prompt
from theorytools.trained.mechanism import scores
from theorytools.trained.worst.prompts import Prompts

N, D_E = 3, 2
CODES = np.array([[1.0, 0.4], [-0.7, 0.8], [0.2, -1.1]])
U = np.array([0.6, -0.8])
WIDTH = 2 + 2 * D_E


def weighted(module, seed, size=0.6):
    rng = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in module.parameters():
            weights.copy_(size * torch.randn(weights.shape, generator=rng, dtype=weights.dtype))
    return module.double().eval()


class Read(nn.Module):
    """A layer of attention, what may stand behind it, and a linear read-out."""

    def __init__(self, layer, width):
        super().__init__()
        self.layer, self.read = layer, nn.Linear(width, 1)

    def forward(self, Z):
        found = self.layer(Z, Z, Z)[0] if isinstance(self.layer, nn.MultiheadAttention) else self.layer(Z)
        return self.read(found)[..., 0]


class Looked(nn.Module):
    """Tokens and indices; codes are looked up, positions have embeddings of their own."""

    def __init__(self, d, q):
        super().__init__()
        self.codes, self.places = nn.Embedding(N, 2), nn.Parameter(torch.zeros(N, 2))
        width = d + 2 + 2 * q
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value = nn.Linear(width, 1)

    def forward(self, X, T):
        Z = torch.cat([X, self.places.expand(len(X), -1, -1), self.codes(T).flatten(2)], -1)
        return (torch.softmax(self.query(Z) @ self.key(Z).mT, -1) @ self.value(Z))[..., 0]


def every_prompt(n, d, q):
    X = np.array(list(itertools.product((-1.0, 1.0), repeat=n * d))).reshape(-1, n, d)
    T = np.array(list(itertools.product(range(n), repeat=n * q))).reshape(-1, n, q)
    return np.repeat(X, len(T), 0), np.tile(T, (len(X), 1, 1))


def largest(module, u, d, q, encode):
    X, T = every_prompt(N, d, q)
    with torch.no_grad():
        given = module(*encode(X, T)).numpy()
    labels = sum(np.take_along_axis(X @ u, T[..., s], 1) for s in range(q)) / q**0.5
    return np.abs(given - labels).max()


def encoded(X, T):
    own = np.broadcast_to(CODES, (len(X), *CODES.shape))
    return (torch.tensor(np.concatenate([X, own, *(CODES[T[..., s]] for s in range(T.shape[-1]))], -1)),)


def whole(X, T):
    return torch.tensor(X), torch.tensor(T)


ENCODER = {"nhead": 1, "dim_feedforward": 5, "dropout": 0.0, "batch_first": True}
LAYERS = {
    "one head": (lambda: nn.MultiheadAttention(WIDTH, 1, batch_first=True), True),
    "two heads": (lambda: nn.MultiheadAttention(WIDTH, 2, batch_first=True), False),
    "post-norm": (lambda: nn.TransformerEncoderLayer(WIDTH, **ENCODER), False),
    "pre-norm": (lambda: nn.TransformerEncoderLayer(WIDTH, norm_first=True, **ENCODER), False),
}


@pytest.mark.parametrize("name", LAYERS)
def test_no_prompt_is_above_and_the_one_that_is_shown_is_what_the_module_does(name):
    """Codes in another order, a label of another index, a prompt that the module was not run on."""
    make, exact = LAYERS[name]
    module = weighted(Read(make(), WIDTH), 1)
    made, truth = certify(module, direction=U, codes=CODES).labels, largest(module, U, 2, 1, encoded)
    assert truth <= made.real * (1 + 1e-12)
    assert made.real <= truth * (1 + 1e-9 if exact else 1.6)
    assert made.exact == exact
    assert made.found <= truth * (1 + 1e-12)
    with torch.no_grad():
        there = float(module(*encoded(made.X[None], made.T[None]))[0, made.at])
    assert there == made.output
    assert made.label == pytest.approx(float(made.X[made.T[made.at, 0]] @ U), abs=1e-15)
    assert made.found == abs(made.output - made.label)


@pytest.mark.parametrize(("d", "q"), [(1, 1), (2, 1), (1, 2)])
def test_tokens_and_indices_are_bounded_as_encoded_ones_are(d, q):
    """Slots that are exchanged are seen at q = 2, places that are left out everywhere."""
    module, u = weighted(Looked(d, q), 2), U[:d]
    made, truth = certify(module, direction=u, N=N, q=q).labels, largest(module, u, d, q, whole)
    assert truth <= made.real * (1 + 1e-12)
    assert made.exact
    assert made.found == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("size", "n", "d"), [(0.3, 3, 1), (1.5, 2, 2), (4.0, 3, 2), (1.5, 4, 1)])
def test_attention_error_and_risk_against_every_prompt(kind, size, n, d):
    """The weight of another position or head, a leak that is not reached, a mean over other prompts."""
    X, T = every_prompt(n, d, 1)
    module, codes, u = drawn(kind, 7, n, d, size=size)
    made = certify(module, "qstr.lemma_11", codes=codes, direction=u, draws=2000)
    seen, off = outside(module, codes, X, T), errors(module, codes, u, X, T)
    low, high = made.mechanism.leakage.floats
    assert low * (1 - 1e-12) <= seen.max() <= high * (1 + 1e-12)
    assert high <= low * (1 + 1e-8) + 1e-12
    assert high <= made.mechanism.delta <= high * (1 + 1e-9) + 1e-12
    assert np.abs(off).max() <= made.labels.error * (1 + 1e-12)
    low, high = made.labels.risk.floats
    assert low <= (off**2).mean() <= high <= made.labels.error**2 * (1 + 1e-9)


def test_two_heads_and_two_slots():
    X, T = every_prompt(3, 1, 2)
    module, codes, u = drawn("separate", 0, 3, 1, q=2, heads=2, size=1.0)
    made = certify(module, "qstr.lemma_11", codes=codes, direction=u, q=2, slots=[2, 1])
    for h, slot in enumerate((2, 1)):
        seen = outside(module, codes, X, T, h, slot).max()
        assert seen * (1 - 1e-12) <= made.mechanism.heads[h] <= seen * (1 + 1e-8)
    assert np.abs(errors(module, codes, u, X, T)).max() <= made.labels.error


@pytest.mark.parametrize(("tokens", "seed"), [("signs", 0), ("box", 1), ("ball", 2)])
def test_no_drawn_prompt_leaks_more(tokens, seed):
    module, codes, _ = drawn("merged", seed, 4, 2, size=1.5)
    small, large = (certify(module, "qstr.lemma_11", codes=codes, tokens=tokens, radius=r) for r in (0.5, 1.0))
    assert small.labels is None
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((300, 4, 2))
    size = np.linalg.norm(X, axis=2) if tokens == "ball" else np.abs(X).max(2)
    X, T = np.sign(X) if tokens == "signs" else X / size[..., None], rng.integers(0, 4, (300, 4, 1))
    for made, r in ((small, 0.5), (large, 1.0)):
        seen = outside(module, codes, r * X, T).max()
        assert seen <= made.mechanism.delta * (1 + 1e-12)
        assert made.mechanism.leakage.floats[0] <= made.mechanism.delta
    assert tokens == "signs" or small.mechanism.heads[0] <= large.mechanism.heads[0] * (1 + 1e-9)


def test_symmetries_of_the_weights_change_nothing():
    """An invertible map between queries and keys, and one between values and output."""
    module, codes, u = drawn("separate", 3, 4, 2)
    made, D = certify(module, "qstr.lemma_11", codes=codes, direction=u), 6
    rng = np.random.default_rng(0)
    weights = {name: tensor.numpy().copy() for name, tensor in module.state_dict().items()}
    mix, other = (np.eye(D) + 0.3 * rng.standard_normal((D, D)) for _ in range(2))
    for name, map_ in (("query", mix), ("key", np.linalg.inv(mix).T), ("value", other)):
        for part in ("weight", "bias"):
            weights[f"{name}.{part}"] = map_ @ weights[f"{name}.{part}"]
    weights["output.weight"] = weights["output.weight"] @ np.linalg.inv(other)
    again = certify(weights, "qstr.lemma_11", codes=codes.numpy(), direction=u.numpy())
    assert again.mechanism.heads == pytest.approx(made.mechanism.heads, rel=1e-9)
    assert again.labels.error == pytest.approx(made.labels.error, rel=1e-6)
    assert again.mechanism.structure.identity == pytest.approx(made.mechanism.structure.identity, rel=1e-6)


def test_a_type_of_fewer_bits_is_another_module_and_its_rounding_is_added():
    module = weighted(Read(nn.MultiheadAttention(WIDTH, 1, batch_first=True), WIDTH), 1).float()
    made = certify(module, "qstr.lemma_11", direction=U, codes=CODES)
    labels = made.labels
    assert made.dtype == "float32"
    assert 0 < labels.rounding < 1e-3 * labels.real
    assert labels.real + labels.rounding <= labels.error <= labels.real + 1.01 * labels.rounding
    assert labels.found <= labels.error
    assert labels.within(labels.error)
    assert not labels.within(labels.found * 0.99)
    assert made.mechanism.leakage.floats[1] < made.mechanism.delta < made.mechanism.leakage.floats[1] * (1 + 1e-3)


def test_codes_enter_the_rounding_by_their_size():
    """An average of codes near 1000 is off by a unit of it, whatever the tokens are."""
    module = weighted(Read(nn.MultiheadAttention(WIDTH, 1, batch_first=True), WIDTH), 1, size=1e-3).float()
    small, large = (certify(module, direction=U, codes=scale * CODES).labels for scale in (1, 1000))
    assert large.rounding > 5 * small.rounding  # the biases of the read-out are the same in both


def test_a_construction_errs_by_its_leakage_and_its_risk_is_the_closed_form():
    """Three codes, z by distance: the mean square error of independent signs is a finite sum."""
    z = 1 / 16
    code = SignCode(np.array([(1, 1, 1, 1), (1, 1, -1, -1), (1, 1, -1, 1)]))
    net = BlockAttention(code, float(-2 * np.log(z)), q=1, d=2)
    made = certify(net.module(), "qstr.lemma_11", direction=U, draws=20_000)
    leak = float(net.leakage())
    assert made.labels.real == pytest.approx(2 * np.abs(U).sum() * leak, rel=1e-9)
    risk = (2 * ((z + z**2) ** 2 + z**2 + z**4) / (1 + z + z**2) ** 2 + 6 * z**2 / (1 + 2 * z) ** 2) / 3
    low, high = made.labels.risk.floats
    assert low <= risk <= high <= 1.2 * risk
    assert made.labels.floor == pytest.approx(2 / 3)
    structure = made.mechanism.structure
    assert (structure.block, structure.identity) == (pytest.approx((1.0,)), pytest.approx((1.0,)))
    rho = 1 - 2 / 4  # two codes differ in one sign of four
    assert made.mechanism.bound == pytest.approx(
        float(bound_of("qstr.lemma_11", "leakage")(N=3, beta=structure.beta[0], rho=rho)), rel=1e-9
    )


@pytest.mark.parametrize("beta", [12, 50])
def test_of_a_construction_it_is_what_certify_attention_says(beta):
    """A leakage far below the unit of doubles is known to a relative error for signs."""
    net, true = (
        BlockAttention(hadamard(8), beta=beta, q=1, d=2),
        float(BlockAttention(hadamard(8), beta=beta).leakage()),
    )
    made = certify(net.module(), "qstr.lemma_11").mechanism
    assert true * (1 - 1e-9) <= made.leakage.floats[1] <= true * (1 + 1e-9)
    ball = certify(net.module(), "qstr.lemma_11", tokens="ball", radius=3.0).mechanism
    assert true <= ball.leakage.floats[1] <= true * (1 + 1e-6) + 1e-12
    assert float(certify_attention(net.module(), 3.0).leakage) == pytest.approx(true, rel=1e-4)
    spoiled = certify(BlockAttention(hadamard(8), beta=beta, q=1, d=2, blocks=((0, 0),)).module(), "qstr.lemma_11")
    assert spoiled.mechanism.leakage.floats[0] > 0.9  # it reads its own position
    assert spoiled.mechanism.structure.identity[0] == 0


def test_files_modules_and_weights_by_name_say_the_same(tmp_path):
    module, codes, u = drawn("merged", 3, 4, 2, dtype=torch.float32)
    write_checkpoint(tmp_path / "m.safetensors", module, codes=codes, direction=u)
    torch.save({**module.state_dict(), "omega": codes, "u": u}, tmp_path / "m.pt")
    made = certify(module, "qstr.lemma_11", codes=codes, direction=u).to_json()
    for again in (tmp_path / "m.safetensors", str(tmp_path / "m.pt"), read_checkpoint(tmp_path / "m.pt")):
        assert certify(again, "qstr.lemma_11").to_json() == made
    net = BlockAttention(hadamard(4), beta=6, q=2, d=2)
    save(net, tmp_path / "net.safetensors")
    read = certify(tmp_path / "net.safetensors", "qstr.lemma_11", direction=U)
    assert read.to_json() == certify(net.module(), "qstr.lemma_11", direction=U).to_json()
    assert read.labels.found <= read.labels.error


def test_the_weights_of_few_bits_leak_more_and_are_within_delta():
    """Without the factor of rounding the bound of the real numbers is passed by the module's own weights."""
    X, T = every_prompt(3, 1, 1)
    passed = 0
    for seed in range(6):
        module, codes, _ = drawn("merged", seed, 3, 1, size=1.0, dtype=torch.bfloat16)
        made = certify(module, "qstr.lemma_11", codes=codes).mechanism
        weights = attention(module, whole_encoded(module, codes, X, T), 0)
        share = 1 - np.take_along_axis(weights, T, 2)[..., 0] / weights.sum(-1)
        assert share.max() <= made.delta
        passed += share.max() > made.leakage.floats[1]
    assert passed


def test_a_mask_leaves_the_place_of_the_asked_key():
    """The weight outside on one prompt, by its scores in doubles, with keys that are hidden before it."""
    p = Prompts(4, 1)
    rng = np.random.default_rng(0)
    for _ in range(10):
        mask = drawn_mask(rng, 4, "random")
        made = drawn_attention(rng, p.widths, mask=mask)
        X, T = (part[0] for part in p.draw(1, rng))
        for i in range(4):
            t, row = int(T[i, 0]), scores(made, 0, (), p, X, T, i).mid[0]
            w = np.where(mask[i], np.exp(row - row.max()), 0.0)
            found = float(at_one_prompt(made, 0, (), p, X, T, i, 1))
            assert found == pytest.approx(1 - w[t] / w.sum(), rel=1e-9, abs=1e-12)


def test_tokens_of_two_slots_are_read_by_the_direction_over_a_root():
    net = BlockAttention(hadamard(2), beta=2, q=2, d=1)
    X, T = every_prompt(2, 1, 2)
    made = certify(net.module(), direction=[0.7]).labels
    with torch.no_grad():
        tokens = net.module()(torch.tensor(X), torch.tensor(T)).numpy()[..., 0].sum(-1)
    right = sum(np.take_along_axis(X[..., 0], T[..., s], 1) for s in range(2))
    truth = 0.7 * np.abs(tokens - right).max() / 2**0.5
    assert truth * (1 - 1e-12) <= made.real <= truth * (1 + 1e-6)
    assert made.found == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize(("tokens", "radius"), [("box", 0.1), ("ball", 0.3), ("box", 1.0)])
def test_tokens_that_a_module_is_given_are_of_its_type_and_of_the_class(tokens, radius):
    """The nearest float32 to .1 is above it."""
    net = Answers(Looked(2, 1).float(), Prompts(N, 2, 1, tokens, radius), None)
    X = np.full((N, 2), radius if tokens == "box" else radius * 0.5**0.5)
    found = net.given(X)
    assert (found == found.astype(np.float32)).all()
    size = np.abs(found).max() if tokens == "box" else np.linalg.norm(found, axis=1).max()
    assert radius * (1 - 1e-6) <= size <= radius


def test_signs_that_the_type_does_not_have_are_refused():
    with pytest.raises(DomainError, match=r"radius = 0\.1"):
        certify(Looked(2, 1).float(), direction=U, N=N, radius=0.1)
