"""Recurrent torch modules with a rounded state: their states counted, and the two words on which they err."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from theorytools import DomainError, Enclosure, count_states, state_bits
from theorytools.theory.memory.integer_states import run
from theorytools.theory.memory.quantised import QuantisedRecurrence


def module(kind, seed, **options):
    made, rng = getattr(torch.nn, kind)(2, **options).double(), np.random.default_rng(seed)
    with torch.no_grad():
        for weight in made.parameters():
            weight.copy_(torch.tensor(1.5 * rng.standard_normal(weight.shape)))
    return made


def readout(numbers, N, seed):
    head = torch.nn.Linear(numbers, 2 * N).double()
    with torch.no_grad():
        head.weight.copy_(torch.tensor(np.random.default_rng(seed).standard_normal((2 * N, numbers))))
    return lambda values, p: head(values).reshape(-1, N, 2)[torch.arange(len(p)), p]


@pytest.mark.parametrize("p", [1, 3, 5])
def test_the_wrong_pair_of_a_rounded_gru_end_to_end(p):
    """A torch GRU, its state rounded to p bits, with a read-out of its own: found, and executed outside the library."""
    N, cell = 12, module("GRUCell", 7, hidden_size=3)
    head = readout(3, N, 8)
    machine = QuantisedRecurrence(cell, p, readout=head)
    found = count_states(machine, N)
    assert min(2**machine.bits, 2**N - 1) >= found.S
    assert machine.bits == 3 * p
    assert found.accuracy_of(machine.answer) <= found.accuracy
    assert Enclosure(found.accuracy).upper <= found.ceiling().lower
    pair = found.wrong_pair(machine.answer)
    answers = []
    for word in (pair.first, pair.second):
        cells = torch.full((1, 3), 2.0 ** (p - 1), dtype=torch.float64)
        for symbol in word:
            h = cell(torch.eye(2, dtype=torch.float64)[[symbol]], (2 * cells + 1) / 2**p - 1)
            cells = torch.clamp(torch.floor((h + 1) * 2 ** (p - 1)), 0, 2**p - 1)
        answers.append(int(head((2 * cells + 1) / 2**p - 1, torch.tensor([pair.position])).argmax()))
        assert tuple(cells[0].int().tolist()) == pair.state
    assert tuple(answers) == pair.answers
    assert pair.targets == (pair.first[pair.position], pair.second[pair.position])
    assert pair.answers[0] == pair.answers[1]
    assert pair.targets[0] != pair.targets[1]
    assert pair.wrong == 1


def trained(N, width, steps, rate=0.05):
    """A GRU trained on all words and positions of index lookup, in doubles, and its read-out."""
    cell, rng = module("GRUCell", 1, hidden_size=width), np.random.default_rng(2)
    weight = torch.tensor(rng.standard_normal((width, 2 * N)), requires_grad=True)
    words = torch.tensor(np.arange(2**N)[:, None] >> np.arange(N) & 1)
    weights = [*cell.parameters(), weight]
    first, second = ([torch.zeros_like(w) for w in weights] for _ in range(2))
    for step in range(1, steps + 1):
        h = torch.zeros(2**N, width, dtype=torch.float64)
        for t in range(N):
            h = cell(torch.nn.functional.one_hot(words[:, t], 2).double(), h)
        scores = (h @ weight).reshape(-1, 2)
        loss = torch.nn.functional.cross_entropy(scores, words.flatten())
        for w, g, a, b in zip(weights, torch.autograd.grad(loss, weights), first, second, strict=True):  # Adam
            a.mul_(0.9).add_(0.1 * g)
            b.mul_(0.999).add_(0.001 * g * g)
            w.data -= rate * (a / (1 - 0.9**step)) / ((b / (1 - 0.999**step)).sqrt() + 1e-8)
    right = Fraction(int((scores.argmax(dim=1) == words.flatten()).sum()), N * 2**N)
    return cell, lambda h, p: (h @ weight.detach()).reshape(-1, N, 2)[torch.arange(len(p)), p], right


def test_a_trained_gru_rounded_more_and_more_stays_below_the_ceiling():
    """Post-training rounding: at every number of bits its own answers, the best ones, Fano's ceiling, in this order."""
    N = 5
    cell, head, right = trained(N, 4, 150)
    assert right > Fraction(1, 2)  # better than guessing; it reaches 0.79
    found = {}
    for p in (1, 2, 3, 4, 12):
        machine = QuantisedRecurrence(cell, p, readout=head)
        count = count_states(machine, N)
        own, best = count.accuracy_of(machine.answer), count.accuracy
        assert own <= best
        assert Enclosure(best).upper <= count.ceiling().lower
        assert min(2**machine.bits, 2**N) >= count.S
        pair = count.wrong_pair(machine.answer)
        assert (pair is None) is (2**N == count.S)
        assert pair is None or pair.wrong == 1
        found[p] = own
    assert found[1] < found[12]


@pytest.mark.parametrize(
    ("kind", "options", "numbers"),
    [("RNNCell", {"hidden_size": 2}, 2), ("LSTMCell", {"hidden_size": 2}, 4), ("RNN", {"hidden_size": 2}, 2),
     ("GRU", {"hidden_size": 2, "num_layers": 2, "batch_first": True}, 4),
     ("LSTM", {"hidden_size": 1, "num_layers": 2}, 4)],
)  # fmt: skip
def test_the_adapter_steps_as_the_module_does(kind, options, numbers):
    """With 24 bits a step is the module's within half a cell; the carried tensors are those of state_bits."""
    made = module(kind, 3, **options)
    fine = QuantisedRecurrence(made, 24, span=(1.0, 4.0) if "LSTM" in kind else 1.0)
    assert fine.numbers == numbers
    name = {"R": "rnn", "L": "lstm", "G": "gru"}[kind[0]]
    width, layers = options["hidden_size"], options.get("num_layers", 1)
    assert fine.bits == state_bits(name, width=width, layers=layers, bits=24)
    word = [0, 1, 1, 0]
    h = run(fine, [word], 2)
    x, state = torch.eye(2, dtype=torch.float64)[word], None
    if kind.endswith("Cell"):
        for row in x:
            state = made(row[None], state)
    else:
        state = made(x[None] if made.batch_first else x[:, None])[1]
    parts = state if isinstance(state, tuple) else (state,)
    exact = torch.cat([part.reshape(layers, -1).flatten() for part in parts]).detach().numpy()
    # a cell is 2^-21 wide at most; four steps amplify its half by less than 1000 (weights are below 6)
    assert np.abs(fine.values(h)[0].numpy() - exact).max() < 1e-3
    assert count_states(QuantisedRecurrence(made, 1), 5).wrong_pair() is not None


def test_inputs_may_be_embedded_with_their_position():
    """A network that reads its position in another input than the symbol equals one with a bias for each position."""
    cell = module("GRUCell", 5, hidden_size=2)
    marked = QuantisedRecurrence(
        cell, 3, embed=lambda s, t: torch.stack([s.double(), torch.full_like(s, t).double()], 1)
    )
    words = np.array([[0, 1, 1], [1, 0, 1]])
    h = np.repeat(marked.start[None], 2, axis=0)
    for t in range(3):
        x = torch.tensor([[float(word[t]), float(t)] for word in words], dtype=torch.float64)
        h = marked._cells(cell(x, marked.values(h)).detach().numpy())
    assert (run(marked, words, 2) == h).all()


def test_what_the_adapter_refuses():
    gru = module("GRUCell", 0, hidden_size=1)
    with pytest.raises(DomainError, match="of type Linear"):
        QuantisedRecurrence(torch.nn.Linear(2, 2), 3)
    for wrong in ({"module": module("GRU", 0, hidden_size=1, bidirectional=True), "p": 3}, {"module": gru, "p": 0},
                  {"module": module("LSTM", 0, hidden_size=2, proj_size=1), "p": 3}, {"module": gru, "p": 3, "span": 0},
                  {"module": gru, "p": 3, "span": (1.0, 1.0)}):  # fmt: skip
        with pytest.raises(DomainError):
            QuantisedRecurrence(**wrong)
    with pytest.raises(DomainError, match="no read-out"):
        QuantisedRecurrence(gru, 3).answer(np.zeros((1, 1), dtype=int), [0])
    with torch.no_grad():
        gru.weight_ih[0, 0] = float("nan")
    with pytest.raises(DomainError, match="not finite"):
        count_states(QuantisedRecurrence(gru, 3), 2)
