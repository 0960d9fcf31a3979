"""A saved network is the same network, of every construction, type and code; what is forged or foreign is refused."""

import dataclasses
import json
import pickle
import struct
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import safetensors.torch
import sympy
import torch
from network_specimens import NETWORKS
from refusals import refuses
from source_tree import FRONTS

from theorytools import (
    BCHCode,
    BlockAttention,
    GramCode,
    LinearCode,
    Network,
    changed,
    hadamard,
    load,
    orthonormal,
    save,
)
from theorytools.codes.mixture import mixture
from theorytools.codes.subcode import SelectedCode, subcode
from theorytools.constructions.network import absent
from theorytools.constructions.torch import saved as module_of_save
from theorytools.constructions.torch.export import MultiheadExport
from theorytools.errors import AbsentError, CertificateError, DomainError, FolderError, TheoryError
from theorytools.numbers import at_precision
from theorytools.papers.qstr import Interpolant1D, SpanPredictor, TwoStepAttention
from theorytools.papers.qstr.attention.output_error import sum_head
from theorytools.papers.stsq import SparseSelector

NET = BlockAttention(hadamard(4), 7, q=2, d=2)
TYPES = (torch.float64, torch.float32, torch.bfloat16)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "net.safetensors"


def same(first, second):
    """Two state dicts, to the bit and in order."""
    return list(first) == list(second) and all(
        a.dtype == b.dtype and torch.equal(a, b) for a, b in zip(first.values(), second.values(), strict=True)
    )


def round_trip(net, path, **options):
    save(net, path, **options)
    return load(path)


# -- the same network --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", NETWORKS)
def test_every_construction_comes_back_in_every_type(name, path):
    """A recipe that forgets an argument, or rounds one, gives another function or other weights."""
    net = NETWORKS[name].net
    inputs = NETWORKS[name].draw(np.random.default_rng(7))
    for dtype in TYPES:
        found = round_trip(net, path, dtype=dtype)
        assert type(found.network) is type(net)
        assert (found.name.rpartition(".")[0], found.as_constructed, found.distance) in [(f, True, 0.0) for f in FRONTS]
        if hasattr(net, "module"):
            own = net.module(dtype)
            assert same(found.module().state_dict(), own.state_dict())
            assert str(dtype) == f"torch.{found.dtype}"
        else:
            with pytest.raises(AbsentError):
                found.module()
    assert repr(at_precision(64, lambda: net.exact(*inputs))) == repr(
        at_precision(64, lambda: found.network.exact(*inputs))
    )


@pytest.mark.parametrize(
    "code",
    [LinearCode([[1, 1, 0, 0], [0, 1, 1, 0]]), BCHCode(5, 3, 1), orthonormal(3), GramCode([[2, 1], [1, 2]], 2),
     subcode(orthonormal(5), [0, 3, 4]), mixture(hadamard(4), orthonormal(4), Fraction(1, 3))],
    ids=lambda code: type(code).__name__,
)  # fmt: skip
def test_every_kind_of_code_comes_back(code, path):
    found = round_trip(TwoStepAttention(code, Fraction(13, 3), sympy.log(9) * 2), path).network
    assert type(found.codes) is type(code)
    assert (found.codes.gram_numerators() == code.gram_numerators()).all()
    assert (found.beta_1, found.beta_2) == (Fraction(13, 3), 2 * sympy.log(9))
    assert not isinstance(code, SelectedCode) or found.codes.rows == code.rows


@pytest.mark.parametrize(
    "net",
    [replace(NET, beta="7/3"), replace(NET, beta=0.1), replace(NET, beta=np.float64(0.1)),
     Interpolant1D([-2.5, Fraction(1, 7), "3"], (1, 10**30, -1), eps=Fraction(1, 2)),
     NETWORKS["StoreAllRNN"].net.keeping(4), replace(NETWORKS["StoreAllRNN"].net, left_out=({5}, frozenset())),
     replace(NETWORKS["DyckRNN, stack"].net, dtype="float32"),
     replace(NETWORKS["DyckRNN, stack"].net, dtype=np.float16), replace(NET, head=sum_head(2, 2))],
    ids=range(9),
)  # fmt: skip
def test_arguments_keep_their_kinds(net, path):
    """0.1 means 1/10 where a float is read so: one that came back as its binary value would be another number."""
    found = round_trip(net, path).network
    for field in dataclasses.fields(net):
        value, again = getattr(net, field.name), getattr(found, field.name)
        assert type(again) is type(value) or field.name == "left_out" or isinstance(value, np.floating)
        assert isinstance(value, np.ndarray) or dataclasses.is_dataclass(value) or field.name == "layers" or (
            field.name == "readout" or again == value
        )  # fmt: skip


def test_a_certificate_is_proved_again_and_a_smaller_bound_is_not(path):
    for net, asked in (
        (NET, (Fraction(3, 2),)),
        (SparseSelector(NETWORKS["SparseSelector"].net.E, 9, 2, 3), (1, (0, 3))),
    ):
        found = round_trip(net, path, certificate=asked)
        bound, value = Fraction(found.certificate["bound"]), net.certificate(*asked).value
        assert found.proved
        assert value.low <= bound  # rounded up, in the tenth digit
        assert bound <= Fraction(value.floats[1]) * (1 + Fraction(1, 10**9))
        with pytest.raises(CertificateError, match="as it is proved"):
            load(forged(path, certified(bound=json.dumps(float(bound) * (1 - 2.0**-20)))))


# -- weights that are no longer the construction's ---------------------------------------------------------------------
def test_trained_weights_are_those_of_the_file_and_said_to_be_trained(path):
    module = NET.module(torch.float32)
    with torch.no_grad():
        module.W_QK[0, 1, 2] += 0.5
        module.omega[0, 0] = -module.omega[0, 0]
    found = round_trip(module, path, of=NET)
    assert (found.network, found.as_constructed, found.distance) == (NET, False, 2 * abs(float(module.omega[0, 0])))
    assert same(found.module().state_dict(), module.state_dict())
    assert "no longer the construction" in repr(found)
    with torch.no_grad():
        module.W_QK[0, 0, 0] = float("nan")  # a training that diverged is stored as it is
    found = round_trip(module, path, of=NET)
    assert (found.as_constructed, found.distance, bool(found.tensors["W_QK"].isnan().any())) == (
        False,
        float("inf"),
        True,
    )
    assert round_trip(NET.module(), path, of=NET, certificate=(1,)).as_constructed


def test_one_sign_of_zero_is_a_change(path):
    """Equal numbers are not equal bits: -0.0 == 0.0."""
    module = NET.module()
    with torch.no_grad():
        module.W_QK.mul_(-1).mul_(-1)
        module.W_QK[0, 0, 0] = -0.0
    found = round_trip(module, path, of=NET)
    assert (found.as_constructed, found.distance) == (False, 0.0)


# -- modules and classes of one's own ----------------------------------------------------------------------------------
class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(3, 3, dtype=torch.bfloat16), torch.nn.Linear(3, 3, dtype=torch.bfloat16)
        self.last.weight = self.first.weight
        self.register_buffer("seen", torch.tensor(5))


def test_of_a_module_of_ones_own_the_tensors_come_back_and_what_was_said(path):
    module, twin = Tied(), Tied()
    said = {"what": "leakage", "bound": "0.02", "for": "signs", "at": [1, 2.5, None]}
    found = round_trip(module, path, certificate=said)
    twin.load_state_dict(found.tensors)
    assert sorted(found.tensors) == sorted(module.state_dict())
    assert all(torch.equal(found.tensors[name], tensor) for name, tensor in module.state_dict().items())
    assert twin.last.weight is twin.first.weight
    assert (found.network, found.as_constructed, found.certificate, found.proved) == (None, None, said, False)
    assert found.name.endswith("Tied")
    with pytest.raises(DomainError, match="load_state_dict"):
        found.module()

    class Told:
        def to_json(self):
            return {"delta": 0.5}

    assert round_trip(module, path, certificate=Told()).certificate["data"] == {"delta": 0.5}


@dataclasses.dataclass(frozen=True)
class Doubled(BlockAttention):
    factor: int = 2


def test_a_class_of_ones_own_is_made_for_whoever_names_it_alone(path):
    save(Doubled(hadamard(4), 7, factor=3), path)
    with pytest.raises(DomainError, match=r"known=\[YourNetwork\]"):
        load(path)
    assert load(path, known=[Doubled]).network.factor == 3


@dataclasses.dataclass(frozen=True)
class Growing(BlockAttention):
    """Its constructor changes what it is given: made again from its own fields it is another network."""

    def __post_init__(self):
        object.__setattr__(self, "beta", self.beta + 1)
        super().__post_init__()


def test_a_network_that_its_fields_do_not_make_again_is_not_saved(path):
    refuses(DomainError, (lambda: save(Growing(hadamard(4), 7), path), "than its constructor leaves"))
    assert not path.exists()


# -- what is refused ---------------------------------------------------------------------------------------------------
def forged(path, edit, tensors=None):
    """The file with its recipe edited, and signed again: that the digest is another is not what is noticed."""
    with safetensors.safe_open(path, "pt") as opened:
        head = json.loads(opened.metadata()["theorytools"])
        held = {name: opened.get_tensor(name) for name in opened.keys()} if tensors is None else tensors  # noqa: SIM118
    del head["digest"]
    head = edit(head) or head
    if isinstance(head, dict):
        head["digest"] = module_of_save._digest({k: v for k, v in head.items() if k != "digest"}, held)
    text = head if isinstance(head, str) else json.dumps(head)
    path.write_bytes(safetensors.torch.save(held, {"theorytools": text}))
    return path


def inner(head):
    return head["network"]["with"]


def setting(name, value):
    return lambda head: inner(head).update({name: value})


def named(name):
    return lambda head: head["network"].update(make=name)


def certified(**entries):
    return lambda head: head["certificate"]["proved"].update(entries)


def nested(value, times):
    for _ in range(times):
        value = {"tuple": [value]}
    return value


FORGERIES = {
    # names outside the registry: none of them is looked up
    "a function of the system": (named("os.system"), "'os.system'"),
    "a module of the package": (named("theorytools.files.write_text"), "construction"),
    "a name of a front that is no network": (named("theorytools.Store"), "'theorytools.Store'"),
    "a function of a front": (named("theorytools.verify"), "construction"),
    "the protocol itself": (named("theorytools.Network"), "construction"),
    "a private name": (named("theorytools.papers.qstr._IndexedLinear"), "construction"),
    "a name that is no text": (named(["theorytools"]), "construction"),
    "a code where the network is": (lambda head: head.update(network=inner(head)["codes"]), "a network"),
    "a head where the code is": (setting("codes", {"make": "theorytools.ReluHead", "with": {}}), "ReluHead"),
    # arguments that the constructor refuses, or does not have
    "a temperature below 0": (setting("beta", {"int": "-1"}), "beta > 0"),
    "another argument": (setting("colour", {"int": "1"}), "colour"),
    "an argument less": (lambda head: inner(head).pop("codes") and None, "codes"),
    "other tensors than the recipe's": (setting("d", {"int": "1"}), "omega|W_QK"),
    "a size beyond the memory": (setting("d", {"int": "1" + "0" * 30}), "weights"),
    # no numbers of the grammar
    "code as a number": (setting("beta", {"sympy": "__import__('os')"}), "number such as"),
    "a tower of powers": (setting("beta", {"sympy": "9**9**9**9"}), "number such as"),
    "an attribute as a number": (setting("beta", {"sympy": "log(2).func"}), "number such as"),
    "a fraction not in lowest terms": (setting("beta", {"fraction": "14/2"}), "lowest terms"),
    "a quotient by zero": (setting("beta", {"fraction": "1/0"}), "lowest terms"),
    "a number that is none": (setting("beta", {"float": "nan"}), "finite double"),
    "a number of JSON": (setting("beta", 7), "argument 7"),
    "a kind that is unknown": (setting("beta", {"pickle": "gASVBQ=="}), "argument"),
    "two kinds": (setting("beta", {"int": "7", "text": "7"}), "argument"),
    "an endless range": (setting("blocks", {"range": [0, 10**12, 1]}), "moduli"),
    "objects within objects": (setting("blocks", nested(None, 50)), "within one another"),
    "a shape of more than there is": (setting("beta", {"objects": [[10**9, 10**9], []]}), "as many entries"),
    # arrays
    "an array that is not there": (setting("codes", {"array": "argument:7"}), "of an array"),
    "a tensor of the module as an array": (setting("codes", {"array": "omega"}), "of an array"),
    "an array twice": (setting("beta", {"array": "argument:0"}), "once|beta"),
    "an array of nobody": (lambda head: inner(head).update(codes={"make": "theorytools.EquiangularCode", "with": {
        "N": {"int": "4"}, "rho": {"fraction": "0"}}}), "no argument names"),
    # the recipe as a whole
    "another version": (lambda head: head.update(schema="theorytools.network/2"), "network/2"),
    "an entry more": (lambda head: head.update(run="x"), "entries"),
    "no object": (lambda head: "[1, 2]", "schema"),
    "no JSON": (lambda head: "{", "no JSON"),
    "a recipe without end": (lambda head: "[" * 10**6, "no JSON"),
    "infinity": (lambda head: '{"schema": 1e999}', "no JSON"),
    "NaN": (lambda head: '{"schema": NaN}', "no JSON"),
    "another type": (lambda head: head.update(dtype="float32"), "float64"),
    "a type that is none": (lambda head: head.update(dtype="object"), "entries"),
    "neither a network nor a module": (lambda head: head.update(network=None), "entries"),
    # certificates
    "the certificate of another": (certified(what="theorytools.papers.qstr.TwoStepAttention.certificate"), "what"),
    "an assumption that it does not take": (certified(**{"for": {"colour": {"int": "1"}}}), "colour"),
    "a bound that is no number": (certified(bound="-1"), "bound"),
    "a bound of a million digits": (certified(bound="1E-999999999"), "bound"),
    "two certificates": (lambda head: head["certificate"].update(said={}), "entries"),
    "nothing that is said": (lambda head: head.update(certificate={"said": {"what": "x"}}), "what"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_recipe_is_refused(name, path):
    edit, words = FORGERIES[name]
    save(NET, path, certificate=(1,))
    with pytest.raises(TheoryError, match=words) as refusal:
        load(forged(path, edit))
    assert refusal.value.given
    assert refusal.value.required


def test_what_was_changed_after_it_was_written_is_told_by_the_digest(path):
    """A tensor, an argument array, or the recipe: each with all the rest as it was."""
    save(NET, path)
    with safetensors.safe_open(path, "pt") as opened:
        head = opened.metadata()
        held = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    assert load(path).as_constructed
    flipped = {name: tensor.clone() for name, tensor in held.items()}
    for name, tensor in flipped.items():
        tensor.view(-1)[0] *= -1
        path.write_bytes(safetensors.torch.save(held | {name: tensor}, head))
        refuses(DomainError, (lambda: load(path), "digest is another"))
    other = {"theorytools": head["theorytools"].replace('{"int":"7"}', '{"int":"8"}')}
    assert other != head
    path.write_bytes(safetensors.torch.save(held, other))
    refuses(DomainError, (lambda: load(path), "digest is another"))


class Sly:
    """Unpickled, it writes a file."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return open, (str(self.target), "w")


def test_other_files_are_refused_and_none_of_them_is_run(path, tmp_path):
    save(NET, path)
    whole, cut = path.read_bytes(), tmp_path / "cut.safetensors"
    lengths = [0, 7, 8, 9, 100, len(whole) // 2, len(whole) - 1]
    contents = [whole[:n] for n in lengths] + [whole + b"0", b"\xff" * 100, struct.pack("<Q", 2**62) + b"{}"]
    contents += [struct.pack("<Q", len(text)) + text for text in (b"{", b"[" * 10**6, b'{"__metadata__": 1}')]
    sly = tmp_path / "sly.pt"
    torch.save(Sly(tmp_path / "written"), sly)
    contents += [sly.read_bytes(), pickle.dumps(Sly(tmp_path / "written"))]
    for content in contents:
        cut.write_bytes(content)
        refuses(DomainError, (lambda: load(cut), "cut.safetensors"))
    assert not (tmp_path / "written").exists()
    safetensors.torch.save_file(NET.module().state_dict(), cut)
    refuses(DomainError, (lambda: load(cut), "without a recipe"))
    refuses(FolderError, (lambda: load(tmp_path), "a folder"), (lambda: load(tmp_path / "none"), "no file"))
    refuses(DomainError, lambda: load(path, known=["theorytools.Store"]))


class Counting(torch.nn.Module):
    """What it keeps besides tensors would be lost."""

    def get_extra_state(self):
        return {"epoch": 3}


class Open(Network):
    """A network that is no dataclass: nobody knows its arguments."""

    __call__ = exact = rounding = certificate = norms = sizes = module = absent("nothing is asked of it")


def test_what_cannot_be_saved_is_refused_and_an_old_file_stays(path, tmp_path):
    save(NET, path)
    before = path.read_bytes()
    own, odd = torch.nn.Linear(1, 1), torch.nn.Module()
    odd.register_buffer("argument:0", torch.zeros(1))
    other = BlockAttention(hadamard(8), 7, q=2, d=2)
    double = NET.module()
    double.W_QK = torch.nn.Parameter(double.W_QK.float())
    trained = NET.module()
    with torch.no_grad():
        trained.W_QK[0, 0, 0] = 1
    refuses(
        DomainError,
        (lambda: save(changed(NET, layer=NET.layer), path), "a twin with layer"),
        (lambda: save(changed(NET, beta=-1), path), "beta > 0"),
        (lambda: save(Open(), path), "a dataclass"),
        (
            lambda: save(SparseSelector(NETWORKS["SparseSelector"].net.E, 9, 2, 3, query=lambda E, y: None), path),
            "no data",
        ),
        (lambda: save(NET.module(), path), "of=net"),
        (lambda: save(MultiheadExport(NET.module()), path, of=NET), "W_QK"),
        (lambda: save(NET.module(), path, of=other), r"omega .*8"),
        (lambda: save(NET, path, of=NET), "of = "),
        (lambda: save(trained, path, of=NET, certificate=(1,)), "weights that were changed"),
        (lambda: save(own, path, certificate=(1,)), "tuple of assumptions"),
        (lambda: save(own, path, certificate={"what": "loss"}), "mapping"),
        (lambda: save(own, path, certificate={"what": "a", "bound": float("nan"), "for": "b"}), "mapping"),
        (lambda: save(NET, path, certificate=(1, 2, 3)), "assumptions"),
        (lambda: save(SpanPredictor(NETWORKS["SpanPredictor"].net.X, (1, 0)), path, certificate=()), "random"),
        (lambda: save(NET, path, dtype=torch.int64), "dtype"),
        (lambda: save(own, path, dtype=torch.float32), "dtype"),
        (lambda: save(double, path, of=NET), "float32, float64"),
        (lambda: save(odd, path), "argument:0"),
        (lambda: save(torch.nn.LazyLinear(2), path), "Uninitialized"),
        (lambda: save(Counting(), path), "extra_state"),
        (lambda: save(torch.nn.Linear(2, 2, device="meta"), path), "dense"),
        (lambda: save(NET.module().state_dict(), path), "state dict"),
        (lambda: save(NET, tmp_path / "net.pt"), "ends in"),
    )
    refuses(
        FolderError, (lambda: save(NET, tmp_path), "a folder"), (lambda: save(NET, path / "in.safetensors"), "folder")
    )
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name]


def test_a_saved_network_is_a_checkpoint_that_certify_reads(path, cli):
    """The arrays among the arguments are no weights of a layer."""
    save(BlockAttention(hadamard(8), beta=12, q=1, d=2), path, dtype=torch.float32)
    answer = cli("certify", str(path), "qstr.lemma_11", "--json")
    assert answer.code == 0, answer.err
