r"""A network or a module in one file of safetensors, and back: tensors as they are, and what they are the tensors of.

The file holds the tensors of the module under their own names, as ``module.state_dict()`` has them, the arrays among
the arguments of a construction under names that begin with ``argument:``, and in its metadata, as JSON, the
:mod:`~theorytools.constructions.recipe` of the construction, the type of the weights, a certificate, and the SHA-256 of
all of it.  Nothing is pickled, and nothing of a file is executed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from theorytools.arguments.checked import BODY, checked
from theorytools.arguments.exhausted import exhausted
from theorytools.constructions import recipe as recipes
from theorytools.constructions.network import Network
from theorytools.constructions.stored_certificate import confirm, proved, said
from theorytools.errors import DomainError, FolderError, TheoryError
from theorytools.files import canonical, write_all
from theorytools.optional import require

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch")

SCHEMA = "theorytools.network/1"
KEY = "theorytools"  # of the metadata
LARGEST = 2**26  # letters of the recipe; safetensors reads headers of up to 10^8 bytes
FLOATS = ("float64", "float32", "bfloat16", "float16")
ENTRIES = {"schema", "network", "module", "dtype", "certificate", "digest"}
State = dict[str, "torch.Tensor"]


@dataclass(frozen=True, eq=False, repr=False)
class Saved:
    """What a file holds; made by :func:`load`.

    Attributes
    ----------
    name : the construction by its public name, or the class of a module of one's own, as the file says.
    network : the construction, made anew by its constructor; None for a module of one's own.
    tensors : those of the module, by name, as stored.
    dtype : the type of the weights of a construction, by its name; None where it has no module.
    as_constructed : whether the tensors are, to the bit, those that the construction has here in this type; None for a
        module of one's own.
    distance : the largest modulus by which a number among them differs from the construction's; 0.0 where none does.
    certificate : what is proved or said: ``what``, ``for``, ``bound``; None where nothing is.
    proved : whether the certificate is one of ``network``, in exact arithmetic, which was proved again when the file
        was read; else it is what whoever wrote the file said of the tensors.
    digest : the SHA-256 of the content.
    """

    name: str
    network: Network | None
    tensors: Mapping[str, torch.Tensor]
    dtype: str | None
    as_constructed: bool | None
    distance: float
    certificate: Mapping[str, Any] | None
    proved: bool
    digest: str

    def module(self, device: str = "cpu") -> torch.nn.Module:
        """Return the module of the construction with the tensors of the file.

        Parameters
        ----------
        device : where they are kept.

        Returns
        -------
        torch.nn.Module : as ``network.module()``, with these tensors.

        Raises
        ------
        DomainError : a module of one's own, whose class no file holds; a construction that has no module.
        """
        if self.network is None:
            raise DomainError(
                f"the tensors of {self.name}", required="a construction of theorytools",
                why="a file holds tensors and no code: the class of a module of one's own is not in it",
                advice="make the module and call module.load_state_dict(saved.tensors)",
            )  # fmt: skip
        made = self.network.module(None if self.dtype is None else getattr(torch, self.dtype), device)
        made.load_state_dict(dict(self.tensors))
        return made

    def __repr__(self) -> str:
        state = f"{len(self.tensors)} tensors"
        if self.network is not None:
            changed = f"no longer the construction: its numbers differ by up to {self.distance:.3g}"
            state = f"{self.dtype or 'no module'}, {'as constructed' if self.as_constructed else changed}"
        whose = "proved of the construction" if self.proved else "said of the tensors"
        more = "" if self.certificate is None else f", {whose}: {self.certificate['bound']}"
        return f"Saved({self.name}, {state}{more})"


# -- written -----------------------------------------------------------------------------------------------------------
@checked
def save(
    thing: Annotated[Any, BODY], path: str | Path, *, of: Annotated[Any, BODY] = None,
    dtype: Annotated[Any, BODY] = None, certificate: Annotated[Any, BODY] = None,
) -> str:  # fmt: skip
    r"""Write a network, or a torch module, as one file of safetensors, which :func:`load` reads.

    Of a network the file holds the tensors of its module and the recipe by which it is made again: its class by the
    public name and its arguments exactly.  Of a module that came from a network and was trained it holds these tensors
    and the recipe of that network.  Of any other module it holds the tensors.  An existing file is replaced: the new
    one appears whole or not at all.

    Parameters
    ----------
    thing : a network, or a ``torch.nn.Module``.
    path : a file that ends in ``.safetensors``.
    of : the network that the module came from; its tensors have the names, shapes and types of ``of.module(…)``.
    dtype : the type of the weights of a network; float64 unless given.  A module keeps its own.
    certificate : of a network the assumptions of its certificate, a tuple such as ``(1,)``: its bound is proved,
        stored, and proved again by :func:`load`.  Or what is known of the tensors: a mapping with the texts ``what``,
        ``bound`` and ``for``, or an object with ``to_json()`` such as :func:`~theorytools.certify` returns, stored as
        said.

    Returns
    -------
    str : the SHA-256 of the content, hexadecimal.

    Raises
    ------
    DomainError
        For neither a network nor a module, an argument of a network that is no data, a module of another network, the
        certificate of a network for weights that are not its own, a name that does not end in ``.safetensors``.
    FolderError : a path that is a folder, or that cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from theorytools import BlockAttention, hadamard
    >>> net = BlockAttention(hadamard(8), beta=12, d=2)
    >>> path = Path(tempfile.mkdtemp()) / "net.safetensors"
    >>> digest = save(net, path, certificate=(1,))
    >>> load(path)
    Saved(theorytools.BlockAttention, float64, as constructed, proved of the construction: 0.00008601527348)
    """
    file = _place(Path(path))
    net = thing if isinstance(thing, Network) else of
    _admit(thing, of, dtype)
    plain, arrays = (None, {}) if net is None else recipes.recipe(net)
    held = {name: torch.from_numpy(array) for name, array in arrays.items()}
    dtype = dtype or torch.float64
    state = _constructed(thing, dtype) if isinstance(thing, Network) else _state(thing)
    kind = None if net is None else _kind(net, thing, dtype, state)
    told = None
    if certificate is not None:
        told = _told(certificate, net, state, kind)
    named = None if net is not None else f"{type(thing).__module__}.{type(thing).__qualname__}"
    head = {"schema": SCHEMA, "network": plain, "module": named, "dtype": kind, "certificate": told}
    tensors = {**state, **held}
    digest = _digest(head, tensors)
    text = canonical({**head, "digest": digest})
    if len(text) > LARGEST:
        raise DomainError(
            f"a recipe of {len(text)} letters", required=f"at most {LARGEST}", why="it is read as a whole"
        )
    try:
        data = require("safetensors.torch").save(tensors, {"format": "pt", KEY: text})
    except (KeyError, ValueError, RuntimeError, TypeError) as error:  # a type of numbers that safetensors does not have
        raise DomainError(f"tensors that safetensors does not write: {error!s:.200}", required="tensors of numbers",
                          why="a file holds tensors as they are") from None  # fmt: skip
    write_all(file.parent, {file.name: data})
    return digest


def _place(path: Path) -> Path:
    if path.is_dir():
        raise FolderError(f"{path}, which is a folder", required="the name of a file", why="a network is one file",
                          advice=f"{path / 'net.safetensors'}")  # fmt: skip
    if path.suffix != ".safetensors" or "\0" in str(path):
        raise DomainError(f"the file {path.name!r}", required="a name that ends in .safetensors",
                          why="readers tell the format by it", advice=f"{path.name}.safetensors")  # fmt: skip
    return path


def _admit(thing: Any, of: Any, dtype: Any) -> None:
    """Refuse what is neither a network nor a module, and arguments that do not go with it."""
    if not isinstance(thing, Network | torch.nn.Module):
        raise DomainError(f"a {type(thing).__name__}", required="a network or a torch.nn.Module",
                          why="its tensors are stored", advice="the module itself, no state dict")  # fmt: skip
    own = type(thing).__module__.split(".")
    if isinstance(thing, torch.nn.Module) and of is None and own[0] == "theorytools" and own[1:2] != ["training"]:
        raise DomainError(f"a {type(thing).__name__} without its network", required="of=…, the network it came from",
                          why="without it the file cannot make the module again",
                          advice="save(module, path, of=net); of a MultiheadExport its layer of torch, "
                          "save(module.attention, path)")  # fmt: skip
    if of is not None and (isinstance(thing, Network) or not isinstance(of, Network)):
        raise DomainError(f"of = {of!r:.60} for a {type(thing).__name__}", why="of a network its own recipe is stored",
                          required="the network that a module came from", advice="save(net, path)")  # fmt: skip
    if dtype is not None and (not isinstance(thing, Network) or str(dtype) not in [f"torch.{x}" for x in FLOATS]):
        raise DomainError(f"dtype = {dtype!r:.60} for a {type(thing).__name__}", required=f"one of {', '.join(FLOATS)}",
                          why="the module of a network is made in this type; a module has one",
                          advice="module.to(torch.float32)" if not isinstance(thing, Network)
                          else "torch.float32")  # fmt: skip


def _state(module: torch.nn.Module) -> State:
    """The tensors of a module by name, on the processor, each with memory of its own."""
    state: State = {}
    for name, tensor in module.state_dict().items():
        dense = isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided and not tensor.is_quantized
        lazy = isinstance(tensor, torch.nn.UninitializedParameter | torch.nn.UninitializedBuffer)
        if not dense or lazy or tensor.is_meta or name.startswith(recipes.ARGUMENT):
            raise DomainError(
                f"{name!r} of {type(module).__name__}, a {type(tensor).__name__}", why="tensors are stored as they are",
                required=f"a dense tensor with numbers, and no name that begins with {recipes.ARGUMENT!r}",
                advice="run the module once where its shapes are lazy; tensor.to_dense(); leave out extra state",
            )  # fmt: skip
        state[name] = tensor.detach().cpu().clone(memory_format=torch.contiguous_format)
    return state


def _constructed(net: Network, dtype: torch.dtype) -> State:
    """The tensors of a network's module; none where it has none."""
    return _state(net.module(dtype)) if hasattr(net, "module") else {}


def _kind(net: Network, thing: Any, dtype: torch.dtype, state: State) -> str | None:
    """The type of the weights, by name, of a construction's tensors; ``DomainError`` for those of another one."""
    if not hasattr(net, "module"):
        if isinstance(thing, Network):
            return None
        net.module()  # says why there is none
    if isinstance(thing, Network):
        return str(dtype).removeprefix("torch.")
    kinds = {str(t.dtype).removeprefix("torch.") for t in state.values() if t.is_floating_point()} or {"float64"}
    if len(kinds) > 1 or not kinds <= set(FLOATS):
        raise DomainError(f"weights of {', '.join(sorted(kinds))}", required=f"one type of {', '.join(FLOATS)}",
                          why="the construction is made in one", advice="module.to(torch.float32)")  # fmt: skip
    kind = kinds.pop()
    _same_layout(_layout(_constructed(net, getattr(torch, kind))), _layout(state), type(net).__name__)
    return kind


def _layout(state: Mapping[str, torch.Tensor]) -> dict[str, tuple[Any, ...]]:
    return {name: (str(t.dtype).removeprefix("torch."), *t.shape) for name, t in state.items()}


def _same_layout(wanted: dict[str, Any], found: dict[str, Any], name: str) -> None:
    wrong = [n for n in {**wanted, **found} if wanted.get(n) != found.get(n)]
    if wrong:
        raise DomainError(
            "; ".join(f"{n} {found.get(n, 'missing')}" for n in wrong[:4]),
            required="; ".join(f"{n} {wanted.get(n, 'absent')}" for n in wrong[:4]),
            why=f"these are the tensors of {name}", advice="the network that the module itself came from",
        )  # fmt: skip


def _told(certificate: Any, net: Network | None, state: State, kind: str | None) -> dict[str, Any]:
    """The certificate as plain data: proved of a network whose tensors these are, or said of the tensors."""
    if not isinstance(certificate, tuple):
        return {"said": said(certificate)}
    if net is None:
        raise DomainError("a tuple of assumptions for a module", required="what is known of its tensors",
                          why="a module of one's own has no certificate by construction",
                          advice="certificate={'what': …, 'bound': …, 'for': …}, or certify(module)")  # fmt: skip
    if kind is not None and not _equal(_constructed(net, getattr(torch, kind)), state):
        raise DomainError("the certificate of a construction for weights that were changed",
                          required="what is known of these weights", why="the proof is about the construction's",
                          advice="certificate=certify(module)")  # fmt: skip
    return {"proved": proved(net, certificate)}


def _equal(first: State, second: Mapping[str, torch.Tensor]) -> bool:
    """Whether two states are the same to the bit, NaN among them."""
    same = _layout(first) == _layout(second)
    return same and all(_bytes(t) == _bytes(second[name]) for name, t in first.items())


def _bytes(tensor: torch.Tensor) -> bytes:
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def _digest(head: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> str:
    found = hashlib.sha256(canonical(head).encode())
    for name, (dtype, *shape) in sorted(_layout(tensors).items()):
        found.update(canonical([name, dtype, shape]).encode())
        found.update(_bytes(tensors[name]))
    return found.hexdigest()


# -- read --------------------------------------------------------------------------------------------------------------
@checked
def load(path: str | Path, *, known: Annotated[Sequence[Any], BODY] = ()) -> Saved:
    r"""Return what a file holds that :func:`save` wrote: the network, made by its constructor, and the tensors.

    Nothing of the file is executed, and no class is looked up outside the networks of this package and ``known``; the
    digest is compared, and the certificate of a network is proved again.

    Parameters
    ----------
    path : the file.
    known : classes of one's own that a recipe may name: networks, and what they are made of.

    Returns
    -------
    Saved : the network and whether the tensors are still its own, the tensors, the certificate.

    Raises
    ------
    FolderError : no such file, or one that cannot be read.
    DomainError
        For a file of another kind or version, one that was changed since it was written, a construction that is not
        known, arguments that it refuses, tensors of another construction.
    CertificateError : a bound that is not proved of the network.

    Examples
    --------
    >>> import tempfile, torch
    >>> from theorytools import BlockAttention, hadamard
    >>> net = BlockAttention(hadamard(8), beta=12, d=2)
    >>> module = net.module(torch.float32)
    >>> _ = torch.nn.init.constant_(module.W_QK[0, 0], 0.25)  # as if it was trained
    >>> path = Path(tempfile.mkdtemp()) / "trained.safetensors"
    >>> digest = save(module, path, of=net)
    >>> saved = load(path)
    >>> saved.network == net, bool((saved.module().W_QK == module.W_QK).all()), saved.as_constructed, saved.distance
    (True, True, False, 0.25)
    """
    text, tensors = _opened(Path(path))
    head, digest = _head(text)
    if _digest(head, tensors) != digest:
        raise DomainError(f"{Path(path).name}, whose digest is another", required=f"{digest:.16}…",
                          why="it was changed since it was written, or damaged", advice="save it again")  # fmt: skip
    told, classes = head["certificate"] or {}, _classes(known)
    if "said" in told:
        said(told["said"])
    certificate = next(iter(told.values()), None)
    if head["network"] is None:
        return Saved(head["module"], None, tensors, None, None, 0.0, certificate, False, digest)
    state = {name: t for name, t in tensors.items() if not name.startswith(recipes.ARGUMENT)}
    net = recipes.made(head["network"], _arrays({n: t for n, t in tensors.items() if n not in state}), classes)
    equal, distance, state = _compared(net, state, head["dtype"])
    name = recipes.name_of(type(net))
    if "proved" in told:
        with _refused(f"the certificate of {name}"):
            confirm(net, told["proved"])
    return Saved(name, net, state, head["dtype"], equal, distance, certificate, "proved" in told, digest)


def _arrays(tensors: State) -> dict[str, Any]:
    """The arrays among the arguments; ``DomainError`` for a type of numbers that arrays do not have."""
    try:
        return {name: tensor.numpy() for name, tensor in tensors.items()}
    except TypeError as error:
        raise DomainError(f"an argument: {error!s:.100}", required="floats or integers of numpy",
                          why="arguments are arrays") from None  # fmt: skip


def _classes(known: Any) -> tuple[type, ...]:
    if isinstance(known, list | tuple) and all(isinstance(kind, type) for kind in known):
        return tuple(known)
    raise DomainError(f"known = {known!r:.60}", required="a list of classes", why="a recipe names classes",
                      advice="known=[YourNetwork]")  # fmt: skip


def _opened(file: Path) -> tuple[Any, State]:
    """The text of the recipe and the tensors of a file."""
    if not file.is_file():
        raise FolderError(f"{file}, which is {'a folder' if file.is_dir() else 'no file'}", required="a file of save()",
                          why="its tensors are read")  # fmt: skip
    try:
        with require("safetensors").safe_open(str(file), "pt") as opened:
            text = (opened.metadata() or {}).get(KEY)
            tensors = {name: opened.get_tensor(name) for name in opened.keys()} if text is not None else {}  # noqa: SIM118
    except ImportError:
        raise
    except Exception as error:  # the reader's own kinds of errors, for what is truncated or no safetensors at all
        raise DomainError(
            f"{file.name}: {str(error).strip().partition(chr(10))[0]:.200}", required="a file of safetensors",
            why="nothing else is read: a pickle could run code", advice="save(net, path) writes one",
        ) from None  # fmt: skip
    if text is None:
        raise DomainError(
            f"{file.name}, safetensors without a recipe", required=f"a file of save(), with {KEY!r} in its metadata",
            why="tensors alone do not say of which network they are",
            advice="net.module().load_state_dict(safetensors.torch.load_file(path))",
        )  # fmt: skip
    return text, tensors


def _head(text: str) -> tuple[dict[str, Any], str]:
    """The recipe as data without the digest, and the digest; ``DomainError`` for another form or version."""
    try:
        if len(text) > LARGEST:
            raise ValueError(f"{len(text)} letters")
        head = json.loads(text, parse_constant=_no_number)
        canonical(head)  # refuses 1e999, which is read as infinity
        if isinstance(head, dict) and head.get("schema") == SCHEMA and set(head) == ENTRIES and _formed(head):
            return {name: part for name, part in head.items() if name != "digest"}, head["digest"]
        given = f"the entries {', '.join(sorted(head))[:100]}" if isinstance(head, dict) else f"{head!r:.100}"
        if isinstance(head, dict) and head.get("schema") != SCHEMA:
            given = f"schema {head.get('schema')!r:.60}"
    except (ValueError, RecursionError) as error:
        given = f"a recipe that is no JSON: {error!s:.100}"
    raise DomainError(given, required=f"schema {SCHEMA!r} with {', '.join(sorted(ENTRIES))}",
                      why="a recipe of another form may mean something else",
                      advice="the version of theorytools that wrote it")  # fmt: skip


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def _formed(head: Mapping[str, Any]) -> bool:
    """Whether the entries are of their kinds: a network or the name of a module, one certificate of two kinds."""
    net, told = head["network"], head["certificate"]
    one = isinstance(net, dict) if head["module"] is None else net is None and isinstance(head["module"], str)
    kinds = ("said", "proved") if net is not None else ("said",)
    fits = told is None or (isinstance(told, dict) and len(told) == 1 and next(iter(told)) in kinds)
    fits = fits and (told is None or isinstance(next(iter(told.values())), dict))
    return one and fits and head["dtype"] in (None, *FLOATS) and isinstance(head["digest"], str)


@contextlib.contextmanager
def _refused(what: str) -> Iterator[None]:
    """Evaluate inside what arguments of a file may make impossible: sizes that no memory holds among them."""
    try:
        yield
    except TheoryError:
        raise
    except Exception as error:
        raise exhausted(error) or DomainError(
            f"{what}: {type(error).__name__}: {error!s:.200}", required="a network that can be evaluated",
            why="the file is compared with the network that its recipe makes",
        ) from None  # fmt: skip


def _compared(net: Network, state: State, kind: str | None) -> tuple[bool, float, State]:
    """Whether the tensors are the construction's to the bit, how far they are, and they in the module's order."""
    own, name = hasattr(net, "module"), recipes.name_of(type(net))
    if own is (kind is None):
        raise DomainError(f"weights of type {kind} for {name}", required="a type" if own else "none: it has no module",
                          why="the recipe says in which type its module is")  # fmt: skip
    found = sum(t.numel() for t in state.values())
    with _refused(f"the module of {name}"):
        weights = net.sizes().get("parameters", 0) if kind else 0
        if weights > found:  # before memory is taken for them
            raise DomainError(f"{found} numbers", required=f"the {weights} weights of {name}",
                              why="they are its tensors")  # fmt: skip
        built = _constructed(net, getattr(torch, kind)) if kind else {}
    _same_layout(_layout(built), _layout(state), name)
    gaps = [(built[n].double() - state[n].double()).abs().amax().item() for n in built if built[n].numel()]
    distance = max((math.inf if math.isnan(gap) else gap for gap in gaps), default=0.0)
    return _equal(built, state), distance, {n: state[n] for n in built}
