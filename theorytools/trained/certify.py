r"""A certificate for one trained network, over all prompts of a class: its labels, and the mechanism behind them.

Any torch module of attention or of recurrent layers that answers prompts (:mod:`.answers`) is traced into blocks.  The
largest error of a label is bounded (one layer of attention: :mod:`.worst.supremum` for a linear read-out, where it is
exact for one head, :mod:`.worst.tail` for what bends behind it; several: :mod:`.worst.several_layers`; recurrent
networks: :mod:`.worst.recurrent_error`), what the module's own floats can add is bounded (:mod:`.label_rounding`), and
the module is run on the worst prompt that was found.  Held against a statement, the attention itself is bounded, too
(:mod:`.mechanism`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np

from theorytools.arguments.checked import BODY, NonNegativeInt, PositiveInt, checked
from theorytools.blocks.network import Attention, Network, Recur
from theorytools.claims.language.estimate import Estimate, Evidence
from theorytools.errors import CertificateError, DomainError
from theorytools.notebook import fields_html
from theorytools.numbers import End
from theorytools.numbers.boxes import Array
from theorytools.statistics.intervals import empirical_bernstein
from theorytools.trained.answers import Answers, answers, named, table_of, taken
from theorytools.trained.checkpoint import array_of
from theorytools.trained.floats.module_rounding import ModuleRounding
from theorytools.trained.given import given
from theorytools.trained.label_rounding import label_rounding
from theorytools.trained.mechanism import Mechanism, known, mechanism
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.recurrent_error import recurrent_error
from theorytools.trained.worst.several_layers import layers_error
from theorytools.trained.worst.supremum import largest_label_error
from theorytools.trained.worst.tail import tail_error

Progress = Callable[[int, int], None]
ALPHA = 1e-6  # the probability that a sampled risk misses
AT_ONCE = 2**22  # pairs of positions that are run together


@dataclass(frozen=True, eq=False)
class LabelError:
    r"""How far labels can be off, over all prompts of a class.

    Attributes
    ----------
    real : an upper bound of the largest error for the real numbers that the weights define.
    exact : whether a prompt attains it, up to the rounding of the bound.
    rounding : what the module's own floats can add; infinite where nothing is proved of them.
    error : an upper bound of the largest error of the labels that the module computes.
    found : the error of the module itself on the prompt below: no bound can be smaller.
    X, T, at : that prompt, ``(N, d)`` and ``(N, q)``, and the position where it is.
    output, label : what the module returns there, and what is right.
    risk : an enclosure of the module's mean square error over independent uniform tokens of the class and indices, from
        draws, which misses with a probability of at most 10^-6; None without draws or without a finite ``error``.
    floor : the risk of the best predictor that ignores the indices, for q = 1; None elsewhere.
    loose : why ``rounding`` is infinite, or which norms may divide by next to nothing; empty elsewhere.
    """

    real: float
    exact: bool
    rounding: float
    error: float
    found: float
    X: Array
    T: Indices
    at: int
    output: float
    label: float
    risk: Estimate | None
    floor: float | None
    loose: str = ""

    _repr_html_ = fields_html

    def within(self, error: float) -> bool:
        """Whether no label that the module computes is off by more than ``error``, on any prompt of the class."""
        return self.error <= error

    def to_json(self) -> dict[str, Any]:
        """Return JSON data: bounds as doubles that were rounded outward."""
        plain = ("real", "exact", "error", "rounding", "found", "floor")
        return {
            **{name: finite(getattr(self, name)) for name in plain},
            "risk": None if self.risk is None else list(self.risk.floats), "loose": self.loose,
            "failing": {"X": self.X.tolist(), "T": self.T.tolist(), "position": self.at, "output": self.output,
                        "label": self.label},
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is proved of a trained module; made by :func:`certify`.

    Attributes
    ----------
    prompts : the class.
    dtype : the type of the module's weights.
    blocks : what the module was traced into, in order.
    labels : how far labels can be off; None without a direction.
    mechanism : what the attention does; None without a statement.
    """

    prompts: Prompts
    dtype: str
    blocks: tuple[str, ...]
    labels: LabelError | None
    mechanism: Mechanism | None

    _repr_html_ = fields_html

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        p = self.prompts
        return {
            "statement": None if self.mechanism is None else self.mechanism.statement,
            "N": p.N, "d": p.d, "q": p.q, "tokens": p.tokens, "radius": p.radius, "dtype": self.dtype,
            "blocks": list(self.blocks),
            "labels": None if self.labels is None else self.labels.to_json(),
            "mechanism": None if self.mechanism is None else self.mechanism.to_json(),
        }  # fmt: skip

    def __str__(self) -> str:
        p = self.prompts
        tokens = {"signs": f"entries ±{p.radius:g}", "box": f"entries within ±{p.radius:g}",
                  "ball": f"norm at most {p.radius:g}"}[p.tokens]  # fmt: skip
        said = [f"On every prompt of N = {p.N} tokens with {tokens} and any indices"]
        if self.labels is not None:
            said += _of_labels(self.labels, self.dtype)
        if self.mechanism is not None:
            said += _of_mechanism(self.mechanism, self.dtype, first=self.labels is None)
        said.append(f"It was read as {', '.join(self.blocks)}.")
        return f"{said[0]} {said[1]}\n" + "\n".join(said[2:])


def _of_labels(one: LabelError, dtype: str) -> list[str]:
    attained = ", which a prompt attains," if one.exact else ""
    rounded = (
        f"; what the rounding of {dtype} can add is not bounded ({one.loose})" if np.isinf(one.rounding) else
        f", and {one.rounding:.2g} more for the rounding of {dtype}" + f" ({one.loose})" * bool(one.loose)
    )  # fmt: skip
    asked = ", ".join(map(str, one.T[one.at].tolist()))
    said = [
        f"a label is off by at most {one.real:.6g}{attained} for the real numbers of the weights{rounded}.",
        f"The module itself is off by {one.found:.6g} on the prompt that was found, at position {one.at}, which asks "
        f"for {asked}: it returns {one.output:.6g} where {one.label:.6g} is right.",
    ]
    if one.risk is not None:
        low, high = one.risk.floats
        floor = "" if one.floor is None else f"; without the indices it is at least {one.floor:.4g}"
        said.append(f"Its mean square error over uniform prompts lies between {low:.3g} and {high:.3g}, from draws, "
                    f"up to a probability of {ALPHA:g}{floor}.")  # fmt: skip
    return said


def _of_mechanism(one: Mechanism, dtype: str, *, first: bool) -> list[str]:
    low, high = one.leakage.floats
    t = one.T[one.at, one.slots[one.head] - 1]
    opening = "" if first else "There "
    said = [
        f"{opening}at most {one.delta:.6g} of a head's attention lies outside the index, as computed in {dtype}; for "
        f"the real numbers of the weights the most is between {low:.6g} and {high:.6g}, that of head {one.head} at "
        f"position {one.at} of a prompt that was found, which asks for {t}."
    ]
    if one.structure is not None and one.bound is not None:
        said.append(
            f"The index and the key's position explain {min(one.structure.block):.1%} of the scores, the construction "
            f"of {one.statement} {min(one.structure.identity):.1%}; at the fitted inverse temperature "
            f"{min(one.structure.beta):.4g} its bound is {one.bound:.3g}, and it leaks {one.construction:.3g}."
        )
    return said


def interval(low: float, high: float) -> Estimate:
    """Return what lies between two doubles, enclosed."""
    return Estimate(End(Fraction(low)), End(Fraction(high)), Evidence.ENCLOSED)


def finite(x: Any) -> Any:
    """Return a number for JSON, which has no infinity."""
    return None if isinstance(x, float) and not np.isfinite(x) else x


@checked
def certify(
    module: Annotated[Any, BODY], statement: str | None = None, *, direction: Annotated[Any, BODY] = None,
    codes: Annotated[Any, BODY] = None, N: PositiveInt | None = None, q: PositiveInt | None = None,
    tokens: Annotated[str, BODY] = "signs", radius: float = 1.0, slots: Sequence[int] | None = None,
    draws: NonNegativeInt = 0, progress: Annotated[Any, BODY] = None,
) -> Certificate:  # fmt: skip
    r"""Bound what a trained module of attention or of recurrent layers does, over all prompts of a class.

    Parameters
    ----------
    module : a ``torch.nn.Module`` in evaluation mode.  ``forward(Z)`` takes encoded tokens
        :math:`z_i=(x_i,\omega_i,\omega_{t_{i1}},\dots,\omega_{t_{iq}})`, shape ``(n, N, d + (q + 1) d_e)``;
        ``forward(X, T)`` takes tokens ``(n, N, d)`` and indices ``(n, N, q)``.  It returns labels, ``(n, N)`` or
        ``(n, N, 1)``, those at one position, ``(n,)`` or ``(n, 1)``, or tokens, ``(n, N, q, d)``; boxes and balls are
        for one layer of attention.  Or the path of a file, or weights by name, of a network of this
        package (:func:`theorytools.trained.given.given`).
    statement : with ``"qstr.lemma_11"`` the attention is held against that construction; None: the labels alone.
    direction : :math:`u` of the labels :math:`q^{-1/2}\sum_s\langle u,x_{t_s}\rangle`, shape ``(d,)``; without one,
        and without a tensor ``u`` in the file, only the attention is certified.
    codes : :math:`\omega`, shape ``(N, d_e)``: for ``forward(Z)``, and to compare scores with the construction's; a
        buffer ``omega`` of the module unless given.
    N : the number of positions, for ``forward(X, T)`` without codes.
    q : index slots, 1 unless the file tells.
    tokens, radius : ``"signs"`` :math:`\pm r`, ``"box"`` :math:`|x_k|\le r` or ``"ball"`` :math:`\lVert x\rVert\le r`.
    slots : which slot each head reads, from 1; the one that its scores listen to most unless given.
    draws : how many random prompts the mean square error is sampled on; none unless given.
    progress : a callback ``(done, total)``.

    Raises
    ------
    DomainError : a module outside what is traced or bounded, named by its operator or block; sizes that do not fit;
        neither a direction nor a statement.
    CertificateError : a module that does not return the labels that its blocks define.
    BudgetError : more work than can be done.
    FolderError : a file that cannot be read.
    MissingPackageError : without torch.

    Returns
    -------
    Certificate : the bounds, and the prompt where the module is worst.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11, arXiv 2503.11272v1; the certificate is derived here.

    Examples
    --------
    >>> from theorytools import BlockAttention, hadamard
    >>> net = BlockAttention(hadamard(8), beta=6, q=1, d=2)
    >>> made = certify(net.module(), "qstr.lemma_11", direction=[0.6, 0.8])
    >>> made.mechanism.within(0.02), f"{made.mechanism.delta:.4e}, {float(net.leakage()):.4e}"
    (True, '1.7055e-02, 1.7055e-02')
    >>> made.labels.exact, f"{made.labels.error:.4e}, {made.labels.found:.4e}, {2.8 * float(net.leakage()):.4e}"
    (True, '4.7755e-02, 4.7755e-02, 4.7755e-02')
    """
    if progress is not None and not callable(progress):
        raise DomainError(f"progress = {progress!r:.60}", required="a callback (done, total), or None",
                          why="it is called as the work goes on")  # fmt: skip
    if statement is not None:
        known(statement)
    asked, table, u, N, q = _asked(module, codes, direction, N, q)
    if u is None and statement is None:
        raise DomainError(
            "neither a direction nor a statement", required="one of them at least",
            why="labels are right or wrong in a direction; attention is held against a statement's construction",
            advice='direction=u of the labels <u, x_t>, or statement="qstr.lemma_11"',
        )  # fmt: skip
    d = len(u) if u is not None else _width(asked, table, q)
    prompts = Prompts(N, d, q, tokens, radius)  # type: ignore[arg-type]
    net = answers(asked, prompts, table)
    with np.errstate(over="ignore", invalid="ignore"):  # what is no number is refused, what is infinite is said
        network = net.network if u is None else net.labelled(u)
        rounded, loose = label_rounding(net, network)
        labels = None if u is None else _labels(net, network, u, (rounded, loose), draws, progress)
        looks = None if statement is None else mechanism(
            net.network, prompts, statement, rounded, codes=table, slots=slots, progress=progress
        )  # fmt: skip
    dtype = str(net.dtype).removeprefix("torch.")
    return Certificate(prompts, dtype, named(net.network), labels, looks)


def _asked(
    module: Any, codes: Any, direction: Any, N: int | None, q: int | None
) -> tuple[Any, Array | None, Array | None, int, int]:
    came = given(module, codes, direction)
    table = table_of(came.codes if codes is None else codes)
    u = came.direction if direction is None else array_of("direction", direction)
    if u is not None and (u.ndim != 1 or not u.size):
        raise DomainError(f"a direction of shape {u.shape}", required="finite numbers, shape (d,)",
                          why="labels are sums of <u, x>")  # fmt: skip
    if q is not None and came.q not in (None, q):
        raise DomainError(f"q = {q}", required=f"q = {came.q}", why="so many index slots the network has")
    if table is None and taken(came.module) == 1:
        raise DomainError(
            "no codes", required="codes for forward(Z)", advice="codes=…, shape (N, d_e)",
            why="encoded tokens hold codes; a module that takes indices looks them up itself",
        )  # fmt: skip
    return came.module, table, u, _positions(table, N if N is not None else came.N), q or came.q or 1


def _width(module: Any, table: Array | None, q: int) -> int:
    """How long a token is, where no direction tells: of a module that says so, or by the width of what it is given."""
    told = getattr(module, "d", None)
    if isinstance(told, int):
        return told
    first = next((w for w in module.parameters() if w.ndim >= 2), None)
    d = 0 if table is None or first is None else int(first.shape[-1]) - (q + 1) * table.shape[1]
    if d < 1:
        raise DomainError("no direction", required="the direction u of the labels, shape (d,)",
                          why="it tells how long a token is", advice="direction=…")  # fmt: skip
    return d


def _positions(table: Array | None, N: int | None) -> int:
    if table is not None and N not in (None, len(table)):
        raise DomainError(f"N = {N} with {len(table)} codes", required="one code for each position")
    if table is None and N is None:
        raise DomainError("no N", required="the number of positions", why="forward(X, T) does not tell", advice="N=…")
    return len(table) if table is not None else int(N or 0)


# -- labels ------------------------------------------------------------------------------------------------------------
def _labels(
    net: Answers, network: Network, u: Array, rounded: tuple[ModuleRounding, str], draws: int, progress: Progress | None
) -> LabelError:
    found, off = _largest(network, net.prompts, u, progress), _off(net, u, rounded[0])
    X, T = net.given(found.X)[None], found.T[None]
    outputs, right = net.labels(X, T, u)
    column = found.at if network.at is None else 0
    seen, label = float(outputs[0, column]), float(right[0, column])
    meant = float(network(**net.prompts.inputs(X, T))[0].reshape(-1)[column])
    allowed = off + 1e-9 * max(1.0, abs(meant))
    if not abs(seen - meant) <= allowed:
        raise CertificateError(
            f"a module that returns {seen:.6g} where its blocks define {meant:.6g}",
            required=f"the same within {allowed:.3g}, the rounding of {net.dtype}",
            why="what is certified is the function that was traced", advice="module.eval()",
        )  # fmt: skip
    error = float(np.nextafter(found.upper + off, np.inf))
    return LabelError(
        found.upper, found.exact, off, error, abs(seen - label), X[0], T[0], found.at, seen, label,
        _risk(net, u, error, draws), _floor(net.prompts, u), rounded[1],
    )  # fmt: skip


def _largest(network: Network, prompts: Prompts, u: Array, progress: Progress | None) -> Any:
    if any(isinstance(block, Recur) for block in network.blocks):
        return recurrent_error(network, prompts, u, progress=progress)
    layers = sum(isinstance(block, Attention) for block in network.blocks)
    if layers > 1:
        return layers_error(network, prompts, u, progress=progress)
    if not layers:
        raise DomainError(
            f"no layer in which positions meet: {', '.join(named(network))}",
            required="attention or a recurrent layer", why="a position must be told what it asks for",
        )  # fmt: skip
    if isinstance(network.blocks[-1], Attention):
        return largest_label_error(network, prompts, u, progress=progress)
    return tail_error(network, prompts, u, progress=progress)


def _off(net: Answers, u: Array, rounded: ModuleRounding) -> float:
    """What the module's floats can add to the error of a label."""
    if not net.returns_tokens:
        return float(np.max(rounded.output))
    off = np.asarray(rounded.output, dtype=np.float64).reshape(-1, net.network.output.width)
    return float(np.nextafter((off @ net.row(u).size[0]).max(), np.inf) * (1 + 1e-12))


def _risk(net: Answers, u: Array, error: float, draws: int) -> Estimate | None:
    """The mean square error on random prompts; no square is above that of the bound."""
    if not draws or not np.isfinite(error):
        return None
    p, rng, squares = net.prompts, np.random.default_rng(0), []
    step = max(1, AT_ONCE // p.N**2)
    for start in range(0, draws, step):
        X, T = p.draw(min(step, draws - start), rng)
        seen, right = net.labels(net.given(X), T, u)
        squares.append(((seen - right) ** 2).mean(1))
    # doubles of the labels and of the squares, beside the bound of the module's own
    top = (error + 1e-12 * p.radius * float(np.abs(u).sum()) * p.q) ** 2 * (1 + 1e-12)
    low, high = empirical_bernstein(np.concatenate(squares), ALPHA, low=0.0, high=top)
    return Estimate(End(Fraction(float(low))), End(Fraction(float(high))), Evidence.SAMPLED, ALPHA, {"samples": draws})


def _floor(prompts: Prompts, u: Array) -> float | None:
    if prompts.q != 1:
        return None
    moment = prompts.radius**2 * {"signs": 1.0, "box": 1 / 3, "ball": 1 / (prompts.d + 2)}[prompts.tokens]
    return float(moment * (u**2).sum() * (1 - 1 / prompts.N))
