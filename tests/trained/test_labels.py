"""The largest label error of ordinary modules, against every prompt; and what is refused."""

import itertools

import numpy as np
import pytest
import torch
from torch import nn

from theorytools import BlockAttention, certify_labels, hadamard
from theorytools.errors import CertificateError, DomainError

N, D_E = 3, 2
CODES = np.array([[1.0, 0.4], [-0.7, 0.8], [0.2, -1.1]])
U = np.array([0.6, -0.8])


def drawn(module, seed, size=0.6):
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
        self.q, self.k = nn.Linear(width, width), nn.Linear(width, width)
        self.v = nn.Linear(width, 1)

    def forward(self, X, T):
        Z = torch.cat([X, self.places.expand(len(X), -1, -1), self.codes(T).flatten(2)], -1)
        return (torch.softmax(self.q(Z) @ self.k(Z).mT, -1) @ self.v(Z))[..., 0]


def prompts(d, q):
    """All prompts of signs, ``(n, N, d)`` and ``(n, N, q)``."""
    X = np.array(list(itertools.product((-1.0, 1.0), repeat=N * d))).reshape(-1, N, d)
    T = np.array(list(itertools.product(range(N), repeat=N * q))).reshape(-1, N, q)
    return np.repeat(X, len(T), 0), np.tile(T, (len(X), 1, 1))


def errors(module, u, d, q, encode):
    X, T = prompts(d, q)
    with torch.no_grad():
        given = module(*encode(X, T)).numpy()
    labels = sum(np.take_along_axis(X @ u, T[..., s], 1) for s in range(q)) / q**0.5
    return np.abs(given - labels).max()


def encoded(X, T):
    own = np.broadcast_to(CODES, (len(X), *CODES.shape))
    return (torch.tensor(np.concatenate([X, own, *(CODES[T[..., s]] for s in range(T.shape[-1]))], -1)),)


def whole(X, T):
    return torch.tensor(X), torch.tensor(T)


WIDTH = 2 + 2 * D_E
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
    module = drawn(Read(make(), WIDTH), 1)
    made, truth = certify_labels(module, U, codes=CODES), errors(module, U, 2, 1, encoded)
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
    module, u = drawn(Looked(d, q), 2), U[:d]
    made, truth = certify_labels(module, u, N=N, q=q), errors(module, u, d, q, whole)
    assert truth <= made.real * (1 + 1e-12)
    assert made.exact
    assert made.found == pytest.approx(truth, rel=1e-9)


def test_a_type_of_fewer_bits_is_another_module_and_its_rounding_is_added():
    module = drawn(Read(nn.MultiheadAttention(WIDTH, 1, batch_first=True), WIDTH), 1).float()
    made = certify_labels(module, U, codes=CODES)
    assert made.dtype == "float32"
    assert 0 < made.rounding < 1e-3 * made.real
    assert made.real < made.error <= made.real + 1.01 * made.rounding
    assert made.found <= made.error
    assert made.within(made.error)
    assert not made.within(made.found * 0.99)


def test_codes_enter_the_rounding_by_their_size():
    """An average of codes near 1000 is off by a unit of it, whatever the tokens are."""
    module = drawn(Read(nn.MultiheadAttention(WIDTH, 1, batch_first=True), WIDTH), 1, size=1e-3).float()
    small, large = (certify_labels(module, U, codes=scale * CODES) for scale in (1, 1000))
    assert large.rounding > 5 * small.rounding  # the biases of the read-out are the same in both


class Batched(nn.Module):
    """What it answers hangs on the other prompts of the batch, unless there is one."""

    def __init__(self):
        super().__init__()
        self.layer = drawn(Read(nn.MultiheadAttention(WIDTH, 1, batch_first=True), WIDTH), 1)

    def forward(self, Z):
        return self.layer(Z) + Z.mean(0, keepdim=True)[..., 0] - Z[..., 0]


@pytest.mark.parametrize(
    ("module", "options", "words"),
    [
        (lambda: drawn(Read(nn.MultiheadAttention(WIDTH, 1, batch_first=True), WIDTH), 1), {}, "no codes"),
        (lambda: drawn(Looked(2, 1), 1), {"codes": CODES}, "codes"),
        (lambda: drawn(Looked(2, 1), 1), {}, "no N"),
        (lambda: drawn(Looked(2, 1), 1), {"N": N + 1}, "Error"),
        (lambda: drawn(Read(nn.MultiheadAttention(WIDTH, 1, batch_first=True), WIDTH), 1),
         {"codes": CODES[:, :1]}, "Error"),
        (lambda: nn.Linear(WIDTH, 1).double().eval(), {"codes": CODES}, "no layer in which positions meet"),
        (lambda: drawn(nn.MultiheadAttention(WIDTH, 1, batch_first=True), 1), {"codes": CODES}, "forward"),
        (lambda: drawn(nn.TransformerEncoderLayer(WIDTH, **ENCODER), 1), {"codes": CODES}, "numbers"),
        (Batched, {"codes": CODES}, "batch"),
    ],
)  # fmt: skip
def test_what_is_not_bounded_is_named(module, options, words):
    with pytest.raises((DomainError, CertificateError)) as refused:
        certify_labels(module(), U, **options)
    assert words == "Error" or words in str(refused.value), str(refused.value)
    assert refused.value.required


def test_a_construction_with_a_read_out_errs_by_its_certificate_times_the_direction():
    class Model(nn.Module):
        def __init__(self, net):
            super().__init__()
            self.attention = net.module()

        def forward(self, X, T):
            return self.attention(X, T)[:, :, 0] @ torch.tensor(U)

    net = BlockAttention(hadamard(4), beta=5, q=1, d=2)
    made = certify_labels(Model(net), U, N=4)
    assert made.real == pytest.approx(2 * np.abs(U).sum() * float(net.leakage()), rel=1e-9)
