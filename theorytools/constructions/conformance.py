r"""What every network must keep, as a suite of checks for networks of this package and of one's own.

:func:`check_network` yields pairs of a network and a :class:`Property`, in the manner of scikit-learn's
``check_estimator``; calling the property checks it.  In pytest::

    @pytest.mark.parametrize("net, prop", check_network(net, draw), ids=str)
    def test_network(net, prop):
        prop()
"""

from __future__ import annotations

import math
import pickle
import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import NonNegativeInt, checked
from theorytools.blocks.facts import Fact
from theorytools.claims.language.estimate import Budget, Estimate, Recipe, enclosed
from theorytools.constructions.network import DOUBLE, SINGLE, Network
from theorytools.errors import ConformanceError, DomainError
from theorytools.numbers import Enclosure, at_precision, euclidean, float_lower, float_upper, maximum
from theorytools.optional import require

Inputs = tuple[NDArray[Any], ...]
_BITS = 128  # of the enclosures that floats and certificates are compared with
_BLIND = 1 / 4  # a tolerance above the power u^(1/4) of the outputs decides nothing


@dataclass(frozen=True)
class Property:
    """One claim about one network: ``name`` says what, a call raises :class:`ConformanceError` where it fails."""

    name: str
    check: Callable[[], None]

    def __call__(self) -> None:
        """Check it."""
        self.check()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class _Suite:
    """A network with inputs drawn for it, and what its outputs are compared with."""

    net: Network
    inputs: Inputs
    target: Callable[..., Any] | None
    assume: Callable[..., tuple[Any, ...]]
    worst: Inputs | None
    vectors: bool
    feed: Callable[..., tuple[Any, ...]] | None
    free: Collection[int]
    size: float = field(init=False)

    def __post_init__(self) -> None:
        every = [*self.inputs, *(self.worst or ())]
        object.__setattr__(self, "size", float(max(np.abs(part).max(initial=0) for part in every)))

    def has(self, member: str) -> bool:
        return hasattr(self.net, member)

    # -- two evaluators ------------------------------------------------------------------------------------------------
    @cached_property
    def called(self) -> NDArray[Any]:
        return np.asarray(self.net(*self.inputs))

    def tolerance(self, u: float) -> float:
        """The bound of the network, if it can tell an output from another."""
        bound = self.net.rounding(self.size, u)
        return bound if bound <= u**_BLIND * max(1.0, float(np.abs(self.called).max(initial=0))) else math.inf

    def module_equals_call(self, single: bool = False) -> None:
        torch = require("torch")
        u, dtype = (SINGLE, torch.float32) if single else (DOUBLE, torch.float64)
        tolerance = self.tolerance(u) + self.tolerance(DOUBLE)
        if math.isinf(tolerance):
            if not single:
                raise ConformanceError(f"a rounding bound of {self.net.rounding(self.size)}", required="a finite one")
            return
        out = self.run(self.net.module(dtype), dtype)
        if out.shape != self.called.shape or not (gap := np.abs(out - self.called).max(initial=0)) <= tolerance:
            given = f"outputs of shape {out.shape}" if out.shape != self.called.shape else f"{gap:.3g} apart"
            _refuse(self.net, given, f"module and call within {tolerance:.3g} in {dtype}", "both are the one function")

    def run(self, module: Any, dtype: Any) -> NDArray[np.float64]:
        torch = require("torch")
        parts = [torch.tensor(np.array(part)) for part in (self.feed or _same)(*self.inputs)]
        # numbers take the type of the weights; places and symbols stay integers
        numbers = self.numbers if self.feed is None else [part.is_floating_point() for part in parts]
        with torch.no_grad():
            out = module(*(part.to(dtype) if number else part for part, number in zip(parts, numbers, strict=True)))
        found = np.asarray(out.double().numpy())
        return found.reshape(self.called.shape) if found.size == self.called.size else found

    @cached_property
    def numbers(self) -> list[bool]:
        """Which inputs are numbers: those that the network takes as halves too; places and symbols it refuses."""
        return [self._takes(k, self.inputs[k] / 2) for k in range(len(self.inputs))]

    def _takes(self, k: int, part: NDArray[Any]) -> bool:
        try:
            self.net(*self.inputs[:k], part, *self.inputs[k + 1 :])
        except DomainError:
            return False
        return True

    def call_in_exact(self) -> None:
        tolerance = self.tolerance(DOUBLE)
        if math.isinf(tolerance):
            raise ConformanceError(f"a rounding bound of {self.net.rounding(self.size)}", required="a finite one")
        exact = at_precision(_BITS, lambda: _array(self.net.exact(*self.inputs)))
        if exact.shape != self.called.shape:
            _refuse(self.net, f"exact outputs {exact.shape}, called {self.called.shape}", "one shape", "one function")
        for value, given in zip(exact.flat, self.called.flat, strict=True):
            ends = Enclosure(value)
            if not float_lower(ends.lower) - tolerance <= float(given) <= float_upper(ends.upper) + tolerance:
                _refuse(self.net, f"{given!r} for {value}", f"a distance of at most {tolerance:.3g}", "rounding alone")

    # -- what is proved ------------------------------------------------------------------------------------------------
    def error(self, inputs: Inputs) -> Enclosure:
        """The largest distance of an exact output from the target, at the ambient precision."""
        assert self.target is not None
        exact, right = _array(self.net.exact(*inputs)), _array(self.target(*inputs))
        gaps = [Enclosure(a) - b for a, b in zip(exact.flat, right.flat, strict=True)]
        if not self.vectors:
            return maximum([abs(gap) for gap in gaps])
        d = exact.shape[-1]
        return maximum([euclidean(gaps[i : i + d]) for i in range(0, len(gaps), d)])

    def certified(self, inputs: Inputs) -> tuple[Estimate, Estimate]:
        """The error and the certificate on these inputs."""
        found = self.net.certificate(*self.assume(*inputs))
        recipe = found if isinstance(found, Recipe) else enclosed(lambda: Enclosure(found))
        *_, bound = recipe.steps(0.0, Budget(bits=_BITS))
        return Estimate.of(at_precision(_BITS, lambda: self.error(inputs))), bound

    def certificate_holds(self) -> None:
        for inputs in (self.inputs, self.worst):
            if inputs is not None:
                error, bound = self.certified(inputs)
                if error.low > bound.high:
                    _refuse(self.net, f"an error of {error}", f"at most {bound}", "the certificate says so")

    def certificate_attained(self) -> None:
        assert self.worst is not None
        error, bound = self.certified(self.worst)
        (low, high), wide = bound.floats, bound.floats[1] - bound.floats[0]
        if error.low > bound.high or bound.low > error.high or wide > 2.0**-40 * high:
            _refuse(self.net, f"an error of {error}", f"[{low!r}, {high!r}]", "the certificate is said to be attained")

    def fact_holds(self, fact: Fact) -> None:
        if not at_precision(_BITS, lambda: fact.agrees(self.net)):
            closed, composed = at_precision(_BITS, lambda: fact.both(self.net))
            _refuse(
                self.net, f"{fact.name} {closed}", f"{composed}, by the evaluator {fact.evaluator}", "a closed form"
            )

    # -- sizes and norms -----------------------------------------------------------------------------------------------
    def norms_are_those_of_the_module(self) -> None:
        state = self.net.module().state_dict()
        for name, norm in at_precision(_BITS, self.net.norms).items():
            value = float(state[name].double().square().sum().sqrt()) if name in state else math.nan
            # entries rounded three times; squared and summed: gamma_(n + 8) in all
            if not abs(value - float(norm)) <= (state[name].numel() + 8) * DOUBLE * max(value, float(norm)):
                _refuse(self.net, f"{name} of norm {value!r}", f"{float(norm)!r}", "the norm of these weights")

    def sizes_are_those_of_the_module(self) -> None:
        wanted = self.net.sizes().get("parameters")
        found = sum(p.numel() for p in self.net.module().parameters())
        if wanted is not None and wanted != found:
            _refuse(self.net, f"a module with {found} parameters", f"{wanted}", "sizes() says so")

    # -- refusals and round trips --------------------------------------------------------------------------------------
    def refuses(self) -> None:
        for what, inputs in malformed(self.inputs, self.numbers, self.free):
            for how in ("__call__", "exact"):
                if not self.has(how):
                    continue
                try:
                    out = getattr(self.net, how)(*inputs)
                except DomainError:
                    continue
                except Exception as error:
                    _refuse(self.net, f"{how} of {what}: {type(error).__name__}: {error}", "DomainError", "bad inputs")
                _refuse(self.net, f"{how} of {what}: {str(out)[:60]}", "DomainError", "bad inputs")

    def pickles(self) -> None:
        twin = pickle.loads(pickle.dumps(self.net))
        if type(twin) is not type(self.net) or not np.array_equal(twin(*self.inputs), self.called):
            _refuse(self.net, "another function after pickling", "the same outputs", "workers get networks this way")

    def stores(self) -> None:
        torch, safetensors = require("torch"), require("safetensors.torch")
        module, twin = self.net.module(), self.net.module()
        with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "weights.safetensors")
            safetensors.save_file({k: v.contiguous() for k, v in module.state_dict().items()}, path)
            for tensor in (*twin.parameters(), *twin.buffers()):  # those that are not stored stay so
                tensor.fill_(math.nan if tensor.is_floating_point() else 0)
            twin.load_state_dict(safetensors.load_file(path))
        first, second = (self.run(each, torch.float64) for each in (module, twin))
        if not np.array_equal(first, second):
            _refuse(self.net, "another function after safetensors", "the same outputs", "weights are stored so")


@checked
def check_network(
    net: Any, draw: Callable[..., Any], *, target: Callable[..., Any] | None = None,
    assume: Callable[..., Any] | None = None, worst: Any = None, vectors: bool = False,
    feed: Callable[..., Any] | None = None, free: Collection[int] = (), seed: NonNegativeInt = 0,
) -> Iterator[tuple[Network, Property]]:  # fmt: skip
    r"""Yield the properties that a network must have, each to be called; see the module for their use in pytest.

    *module equals call*, in float64 and float32, and *call lies in exact*: up to the network's own
    :meth:`~Network.rounding`, which must be small enough to decide; *certificate holds* on the drawn and the worst
    inputs, and *certificate attained* at the worst; each of the network's *facts* agrees with the evaluator that it
    names; *norms* and *sizes* are those of the module; *malformed inputs refused* by :class:`DomainError`; *pickle* and
    *safetensors* round trips.  A property is left out where the network declares a member :func:`.absent`.

    Parameters
    ----------
    net : a :class:`Network`.
    draw : ``draw(rng)`` returns inputs, a tuple of arrays of integers.
    target : ``target(*inputs)`` returns the answers of the task exactly, in the shape of the outputs.
    assume : ``assume(*inputs)`` returns the arguments of the certificate for these inputs; none unless given.
    worst : inputs at which the certificate is attained.
    vectors : errors are Euclidean norms along the last axis; otherwise moduli of single outputs.
    feed : ``feed(*inputs)`` returns the inputs of the module where they are others; floats take the module's type.
    free : inputs that may have any shape or length.
    seed : of the drawn inputs.

    Returns
    -------
    iterator of (Network, Property) : each property is called without arguments and raises where it fails.

    Raises
    ------
    DomainError
        For anything but a network, and for inputs that are not arrays of integers.

    Examples
    --------
    >>> from theorytools import BlockAttention, hadamard
    >>> net = BlockAttention(hadamard(4), beta=9)
    >>> def draw(rng):
    ...     return rng.integers(-5, 6, (2, 4, 1)), rng.integers(0, 4, (2, 4, 1))
    >>> for _, prop in check_network(net, draw):
    ...     prop()
    """
    if not isinstance(net, Network):
        raise DomainError(f"{type(net).__name__}", required="a Network", why="its evaluators are compared",
                          advice="a subclass of theorytools.constructions.network.Network")  # fmt: skip
    inputs = tuple(np.asarray(part) for part in draw(np.random.default_rng(seed)))
    if any(part.dtype.kind not in "iu" for part in inputs):
        raise DomainError("inputs that are no integers", required="arrays of integers", why="all evaluators take them")
    if worst is not None and not isinstance(worst, tuple):
        raise DomainError(f"worst = {worst!r:.60}", required="a tuple of arrays", why="inputs as draw returns them")
    suite = _Suite(net, inputs, target, assume or (lambda *_: ()), worst, vectors, feed, free)
    return iter([(net, Property(name, check)) for name, check in _properties(suite)])


def _properties(suite: _Suite) -> Iterator[tuple[str, Callable[[], None]]]:
    module, rounding, exact = (suite.has(name) for name in ("module", "rounding", "exact"))
    if module and rounding:
        yield "module equals call", suite.module_equals_call
        yield "module equals call in float32", partial(suite.module_equals_call, single=True)
    if exact and rounding:
        yield "call lies in exact", suite.call_in_exact
    if suite.has("certificate") and suite.target is not None:
        yield "certificate holds", suite.certificate_holds
        if suite.worst is not None:
            yield "certificate attained", suite.certificate_attained
    for fact in suite.net.facts:
        if fact.where(suite.net):
            yield fact.name, partial(suite.fact_holds, fact)
    if module and suite.has("norms"):
        yield "norms", suite.norms_are_those_of_the_module
    if module and suite.has("sizes"):
        yield "sizes", suite.sizes_are_those_of_the_module
    yield "malformed inputs refused", suite.refuses
    yield "pickle", suite.pickles
    if module:
        yield "safetensors", suite.stores


def malformed(inputs: Inputs, numbers: list[bool], free: Collection[int]) -> Iterator[tuple[str, Inputs]]:
    """Inputs of a wrong rank or length, of words, with NaN among numbers and fractions or -1 among places."""

    def changed(k: int, part: Any) -> Inputs:
        return (*inputs[:k], part, *inputs[k + 1 :])

    for k, part in enumerate(inputs):
        for axis in range(1, part.ndim if k not in free else 0):
            yield f"input {k} with axis {axis} too long", changed(k, np.concatenate([part, part], axis=axis))
        if part.ndim > 1 and k not in free:
            yield f"input {k} without its last axis", changed(k, part[..., 0])
        yield f"input {k} of words", changed(k, part.astype(str))
        if numbers[k]:
            yield (
                f"input {k} with NaN",
                changed(k, np.where(np.arange(part.size).reshape(part.shape) == 0, np.nan, part)),
            )
        else:
            yield f"input {k} of halves", changed(k, part + 0.5)
            yield f"input {k} below the first", changed(k, part - part.max(initial=0) - 1)
            yield f"input {k} beyond the last", changed(k, part + 10**6)


def _same(*inputs: Any) -> tuple[Any, ...]:
    return inputs


def _array(values: Any) -> NDArray[Any]:
    """Nested sequences of exact numbers as an object array."""
    if isinstance(values, np.ndarray):
        return values.astype(object)
    shape, part = [], values
    while isinstance(part, list | tuple):
        shape.append(len(part))
        part = part[0] if part else None
    flat = np.empty(shape, dtype=object)
    for place in np.ndindex(*shape):
        part = values
        for i in place:
            part = part[i]
        flat[place] = part
    return flat


def _refuse(net: Network, given: str, required: str, why: str) -> None:
    raise ConformanceError(f"{type(net).__name__}: {given}", required=required, why=why)
