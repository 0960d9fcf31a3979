"""What cannot be certified is refused in four parts, by function and by command."""

import json

import answered
import numpy as np
import pytest
import torch
from trained_specimens import drawn

from theorytools import BlockAttention, BudgetError, CertificateError, DomainError, certify, hadamard
from theorytools.trained.layer import read_checkpoint, write_checkpoint
from theorytools.training.networks import SeparateAttention


def spoiled(**changes):
    module, codes, u = drawn("separate", 0, 5, 2, dtype=torch.float32)
    weights = {**module.state_dict(), "omega": codes, "u": u}
    for name, value in changes.items():
        name = name.replace("__", ".")
        if value is None:
            del weights[name]
        else:
            weights[name] = value
    return weights


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"query__weight": None}, "missing: query.weight"), ({"omega": None}, "codes"),
     ({"hidden__bias": torch.zeros(3)}, r"hidden.bias \(5,\)"), ({"extra": torch.zeros(2)}, "extra absent"),
     ({"key__bias": torch.full((6,), float("nan"))}, "6 numbers that are not finite"),
     ({"last__weight": torch.full((1, 5), float("inf"))}, "not finite"),
     ({"u": torch.zeros(4)}, "a direction of length 4"), ({"u": torch.zeros(2, 2)}, "shape"),
     ({"omega": torch.zeros(5)}, "codes of shape"), ({"last__bias": torch.zeros(1, dtype=torch.int64)}, "one type"),
     ({"key__bias": torch.zeros(6, dtype=torch.float64)}, "one type of float64")],
)  # fmt: skip
def test_weights_that_are_not_those_of_such_a_layer(changes, said):
    with pytest.raises(DomainError, match=said):
        certify(spoiled(**changes))


@pytest.mark.parametrize(
    ("given", "said"),
    [({"tokens": "gauss"}, "signs, box or ball"), ({"tokens": 3}, "signs, box or ball"), ({"radius": 0.0}, "radius"),
     ({"radius": float("inf")}, "radius"), ({"slots": [2]}, "numbers from 1 to q = 1"), ({"slots": [1, 1]}, "slots"),
     ({"statement": "qstr.lemma_12"}, "qstr.lemma_11")],
)  # fmt: skip
def test_classes_slots_and_statements(given, said):
    with pytest.raises(DomainError, match=said):
        certify(spoiled(), **given)


def test_a_module_that_computes_something_else_is_found_out():
    class Residual(SeparateAttention):
        def forward(self, Z):
            return super().forward(Z) + 0.01 * Z[..., 0]

    module, codes, u = drawn("separate", 0, 5, 2)
    other = Residual(6, 1, 5).double()
    other.load_state_dict(module.state_dict())
    with pytest.raises(CertificateError, match="its weights define"):
        certify(other, codes=codes, direction=u)
    with pytest.raises(DomainError, match=r"torch\.nn\.Module"):
        certify(3)
    with pytest.raises(DomainError, match="missing"):
        certify(torch.nn.Linear(2, 2), codes=torch.zeros(2, 2))


def test_more_queries_than_can_be_enumerated():
    net = BlockAttention(hadamard(64), beta=12, q=4, d=2)
    with pytest.raises(BudgetError, match="certify_attention"):
        certify(net.module())


def test_scores_beyond_doubles():
    module, codes, u = drawn("separate", 0, 5, 2)
    with torch.no_grad():
        module.query.weight.fill_(1e200)
        module.key.weight.fill_(1e200)
    with pytest.raises(DomainError, match="beyond doubles"):
        certify(module, codes=codes, direction=u)


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [("none.safetensors", None, 4, "which is no file"), ("w.npz", b"x", 2, ".safetensors, .pt or .pth"),
     ("w.safetensors", b"no header", 4, "required"), ("w.pt", b"no pickle", 4, "weights"),
     ("w.pt", [1, 2], 2, "tensors by name")],
)  # fmt: skip
def test_files(cli, tmp_path, name, content, code, said):
    if isinstance(content, bytes):
        (tmp_path / name).write_bytes(content)
    elif content is not None:
        torch.save(content, tmp_path / name)
    answer = cli("certify", name, "qstr.lemma_11")
    assert (answer.code, said in answer.err) == (code, True), answer.err


class Sly:
    def __reduce__(self):
        return print, ("run",)


def test_a_pickle_that_would_run_code_is_refused(tmp_path, capsys):
    torch.save({"omega": Sly()}, tmp_path / "sly.pt")
    with pytest.raises(DomainError, match="pickle"):
        read_checkpoint(tmp_path / "sly.pt")
    assert capsys.readouterr().out == ""


def test_the_command_says_what_the_function_proves(cli, tmp_path):
    net = BlockAttention(hadamard(8), beta=12, q=1, d=2)
    torch.save(net.module().state_dict(), tmp_path / "net.pt")
    answer = cli("certify", "net.pt", "qstr.lemma_11")
    assert answer.code == 0
    assert "within 0.05 of the construction of qstr.lemma_11" in answer.out
    assert "run on the prompt where it differs most" in answer.out
    told = answered.told(cli("certify", "net.pt", "qstr.lemma_11", "--json").out, 0)
    assert (told["exit"], told["delta"]) == (0, certify(read_checkpoint(tmp_path / "net.pt")).delta)
    far = cli("certify", "net.pt", "qstr.lemma_11", "--within", "0.00001", "--json")
    assert (far.code, json.loads(far.out)["exit"]) == (1, 1)
    assert np.shape(json.loads(far.out)["witness"]["X"]) == (8, 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--tokens", "gauss"], "signs, box, ball"), (["--slots", "one"], "numbers from 1"),
     (["--within", "0"], "--within"), (["--radius", "-1"], "radius"), (["--codes", "nowhere.pt"], "which is no file")],
)  # fmt: skip
def test_usage(cli, tmp_path, arguments, said):
    torch.save(spoiled(), tmp_path / "w.pt")
    answer = cli("certify", "w.pt", "qstr.lemma_11", *arguments)
    assert (answer.code in (2, 4), said in answer.err) == (True, True), answer.err


def test_codes_of_another_file(cli, tmp_path):
    module, codes, u = drawn("separate", 0, 5, 2, dtype=torch.float32)
    torch.save(module.state_dict(), tmp_path / "w.pt")
    write_checkpoint(tmp_path / "more.safetensors", torch.nn.Module(), codes=codes, direction=u)
    answer = cli("certify", "w.pt", "qstr.lemma_11", "--codes", "more.safetensors", "--json")
    assert json.loads(answer.out)["delta"] == certify(module, codes=codes, direction=u).delta
