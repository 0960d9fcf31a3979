"""What cannot be certified is refused in four parts, by function and by command."""

import json

import answered
import numpy as np
import pytest
import torch
from trained_specimens import drawn

from theorytools import BlockAttention, BudgetError, CertificateError, DomainError, certify, hadamard
from theorytools.trained.checkpoint import read_checkpoint, write_checkpoint


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
    [({"query__weight": None}, "query.weight of SeparateAttention"), ({"omega": None}, "codes"),
     ({"hidden__bias": torch.zeros(3)}, r"hidden.bias \(5,\)"), ({"extra": torch.zeros(2)}, "extra absent"),
     ({"key__bias": torch.full((6,), float("nan"))}, "6 numbers that are not finite"),
     ({"last__weight": torch.full((1, 5), float("inf"))}, "not finite"),
     ({"u": torch.zeros(4)}, "a direction of length 4"), ({"u": torch.zeros(2, 2)}, "shape"),
     ({"omega": torch.zeros(5)}, "codes of shape"), ({"last__bias": torch.zeros(1, dtype=torch.int64)}, "one type"),
     ({"key__bias": torch.zeros(6, dtype=torch.float64)}, "one type of float64")],
)  # fmt: skip
def test_weights_that_are_not_those_of_such_a_layer(changes, said):
    with pytest.raises(DomainError, match=said):
        certify(spoiled(**changes), "qstr.lemma_11")


@pytest.mark.parametrize(
    ("given", "said"),
    [({"tokens": "gauss"}, "signs, box or ball"), ({"tokens": 3}, "signs, box or ball"), ({"radius": 0.0}, "radius"),
     ({"radius": float("inf")}, "radius"), ({"slots": [2]}, "numbers from 1 to q = 1"), ({"slots": [1, 1]}, "slots"),
     ({"N": 4}, "5 codes"),
     ({"statement": "qstr.lemma_12"}, "qstr.lemma_11"), ({"progress": 3}, "callback"), ({"q": 2}, "q = 1")],
)  # fmt: skip
def test_classes_slots_and_statements(given, said):
    with pytest.raises(DomainError, match=said):
        certify(spoiled(), **{"statement": "qstr.lemma_11", **given})


class Batched(torch.nn.Module):
    """What it answers hangs on the other prompts of the batch, unless there is one."""

    def __init__(self):
        super().__init__()
        self.layer = drawn("merged", 0, 3, 2)[0]

    def forward(self, Z):
        return self.layer(Z) + Z.mean(0, keepdim=True)[..., 0] - Z[..., 0]


class Training(torch.nn.Module):
    """A layer with dropout."""

    def __init__(self):
        super().__init__()
        self.layer, self.read = torch.nn.MultiheadAttention(6, 1, dropout=0.1, batch_first=True), torch.nn.Linear(6, 1)

    def forward(self, Z):
        return self.read(self.layer(Z, Z, Z)[0])


def encoder(layers, last=1):
    more = {"nhead": 1, "dim_feedforward": 5, "dropout": 0.0, "batch_first": True}
    made = [torch.nn.TransformerEncoderLayer(6, **more) for _ in range(layers)]
    return torch.nn.Sequential(*made, *([torch.nn.Linear(6, last)] if last else [])).double().eval()


CODES = np.array([[1.0, 0.4], [-0.7, 0.8], [0.2, -1.1]])


@pytest.mark.parametrize(
    ("module", "given", "said"),
    [(lambda: drawn("merged", 0, 3, 2)[0], {}, "no codes"),
     (lambda: drawn("merged", 0, 3, 2)[0], {"codes": CODES[:, :1]}, "."),
     (lambda: torch.nn.Linear(6, 1), {"codes": CODES}, "no layer in which positions meet"),
     (lambda: encoder(2), {"codes": CODES, "statement": "qstr.lemma_11", "direction": None}, "."),
     (lambda: encoder(1, 0), {"codes": CODES}, "6 numbers a position"),
     (lambda: torch.nn.MultiheadAttention(6, 1, batch_first=True), {"codes": CODES}, "forward"),
     (Batched, {"codes": CODES}, "batch"), (Training, {"codes": CODES}, "training mode"),
     (lambda: 3, {}, "torch.nn.Module"), (lambda: encoder(1), {"direction": None, "codes": CODES}, "neither"),
     (lambda: encoder(1), {"direction": [[1.0]], "codes": CODES}, "shape"),
     (lambda: encoder(1), {"direction": [float("nan")] * 2, "codes": CODES}, "not finite"),
     (BlockAttention(hadamard(4), beta=3, d=2).module, {"N": 5}, "4 codes")],
)  # fmt: skip
def test_modules_and_what_goes_with_them(module, given, said):
    with pytest.raises((DomainError, CertificateError), match=said) as refused:
        certify(module(), **{"direction": [0.6, -0.8], **given})
    assert refused.value.required


def test_more_queries_than_can_be_enumerated():
    net = BlockAttention(hadamard(64), beta=12, q=4, d=2)
    with pytest.raises(BudgetError):
        certify(net.module(), "qstr.lemma_11")


def test_scores_beyond_doubles():
    module, codes, u = drawn("separate", 0, 5, 2)
    with torch.no_grad():
        module.query.weight.fill_(1e200)
        module.key.weight.fill_(1e200)
    with pytest.raises(DomainError, match=r"doubles|finite"):
        certify(module, "qstr.lemma_11", codes=codes, direction=u)


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


MINE = """
import torch


class Layer(torch.nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(width, 1, batch_first=True)
        self.read = torch.nn.Linear(width, 1)

    def forward(self, Z):
        return self.read(self.attention(Z, Z, Z)[0])[..., 0]


ready, number = Layer().eval(), 3
"""


def written(folder):
    (folder / "mine.py").write_text(MINE)
    torch.save({"omega": torch.tensor(CODES[:, :2]).repeat(1, 2)[:, :3].float(), "u": torch.tensor([0.6, 0.8])},
               folder / "codes.pt")  # fmt: skip
    scope = {}
    exec(compile(MINE, "mine", "exec"), scope)
    torch.save(scope["ready"].state_dict(), folder / "w.pt")
    return scope["ready"]


def test_the_command_says_what_the_function_proves(cli, tmp_path):
    module = written(tmp_path)
    words = ("certify", "mine.py:Layer", "--weights", "w.pt", "--codes", "codes.pt")
    answer = cli(*words)
    assert answer.code == 0
    assert "a label is off by at most" in " ".join(answer.out.split())
    told = answered.told(cli(*words, "--json").out, 0)
    codes = torch.load(tmp_path / "codes.pt")
    made = certify(module, direction=codes["u"], codes=codes["omega"]).to_json()
    assert {name: told[name] for name in made} == made
    close = cli(*words, "--within", str(made["labels"]["error"] / 2), "--json")
    assert (close.code, json.loads(close.out)["exit"]) == (1, 1)
    against = cli(*words, "qstr.lemma_11")
    assert against.code == 1  # drawn, not trained
    assert "not within 0.05 of the construction of qstr.lemma_11" in against.out


@pytest.mark.parametrize(
    ("words", "said"),
    [(["nowhere.py:Layer"], "which is no file"), (["mine.py:Lair"], "'Lair'"), (["mine.py:number"], "a int"),
     (["no.such.module:x"], "ModuleNotFoundError"), (["w.pt"], "your_file.py:module --weights"),
     (["w.pt", "--weights", "w.pt"], "--weights with the file"), (["mine.py:Layer", "--direction", "one"], "commas"),
     (["mine.py:Layer", "--weights", "codes.pt"], "Missing key"), (["mine.py:Layer", "--N", "0"], "--N")],
)  # fmt: skip
def test_what_the_command_does_not_take(cli, tmp_path, words, said):
    written(tmp_path)
    answer = cli("certify", *words)
    assert (answer.code in (2, 4), said in answer.err) == (True, True), answer.err


def test_a_checkpoint_of_a_construction_against_its_statement(cli, tmp_path):
    net = BlockAttention(hadamard(8), beta=12, q=1, d=2)
    torch.save(net.module().state_dict(), tmp_path / "net.pt")
    answer = cli("certify", "net.pt", "qstr.lemma_11")
    assert answer.code == 0
    assert "within 0.05 of the construction of qstr.lemma_11" in answer.out
    told = answered.told(cli("certify", "net.pt", "qstr.lemma_11", "--json").out, 0)
    made = certify(read_checkpoint(tmp_path / "net.pt"), "qstr.lemma_11")
    assert (told["exit"], told["mechanism"]["delta"]) == (0, made.mechanism.delta)
    far = cli("certify", "net.pt", "qstr.lemma_11", "--within", "0.00001", "--json")
    assert (far.code, json.loads(far.out)["exit"]) == (1, 1)
    assert np.shape(json.loads(far.out)["mechanism"]["leaking"]["X"]) == (8, 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--tokens", "gauss"], "signs, box, ball"), (["--slots", "one"], "commas"),
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
    made = certify(module, "qstr.lemma_11", codes=codes, direction=u)
    assert json.loads(answer.out)["mechanism"]["delta"] == made.mechanism.delta
