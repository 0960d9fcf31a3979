r"""A certificate for one trained network: how far it can be from the proof's construction, over all prompts of a class.

Lemma 11 of arXiv 2503.11272 retrieves tokens by attention that gives the indexed position all weight but a leakage.
What is bounded here of given weights is the same leakage, what it does to the labels, and the risk; the bounds are
derived in :mod:`.leaks`, :mod:`.readout` and :mod:`.rounding`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np

from theorytools.arguments.checked import BODY, PositiveInt, checked
from theorytools.claims.language.estimate import Estimate, Evidence
from theorytools.claims.papers.right_side import bound_of
from theorytools.errors import CertificateError, DomainError
from theorytools.notebook import fields_html
from theorytools.numbers import End, float_lower
from theorytools.trained.layer import UNIT, Array, TrainedLayer
from theorytools.trained.leaks import Head, HeadLeaks, Tokens, slots_of
from theorytools.trained.readout import Readout, ReadoutError
from theorytools.trained.rounding import Pass, Rounding
from theorytools.trained.running import Running, Witness, module_of
from theorytools.trained.structure import Structure, coherence, construction_leakage, structure

STATEMENTS = {"qstr.lemma_11": "leakage"}
COMPARED = 8  # prompts on which the module is held against its weights


@dataclass(frozen=True, eq=False)
class TrainedCertificate:
    r"""What is proved of a trained network, over all prompts of a class; made by :func:`certify`.

    Attributes
    ----------
    statement : the statement whose construction it is compared with.
    N, d, q, tokens, dtype : sizes, the class of the tokens, the type of the weights.
    leakage : an enclosure of the largest attention weight outside an indexed position over all prompts, for the real
        numbers that the weights define; its lower end is that of the witness.
    delta : an upper bound of the same for the weights that the module computes in its own floats, as shares of their
        sum: the mechanism is within ``delta`` of the construction.
    heads : for each head an upper bound of its leakage.
    readout : an upper bound of the label's error were the attention perfect; None without read-out or direction.
    error : an upper bound of the error of a label, rounding included; of a retrieved token without a read-out.
    risk : an enclosure of the mean square error, rounding included, for independent uniform signs and indices; for
        other classes of every law on the class, from 0.  None without a direction.
    rounding : what floats can add.
    floor : the risk of the best predictor that ignores the indices, :math:`(1-1/N)r^2\lVert u\rVert^2`, for uniform
        signs and one index; None elsewhere.
    bound : the statement's bound of the leakage at the fitted inverse temperature and the codes' coherence.
    construction : what the construction leaks there, in doubles.
    risk_bound : :math:`(2\sqrt q\,\lVert u\rVert r_x\cdot{}` ``bound`` :math:`)^2`, what that leaves of the labels.
    structure : how near the weights are to the construction's, in doubles.
    witness : the prompt where a head leaks most, with what the module does there.
    """

    statement: str
    N: int
    d: int
    q: int
    tokens: Tokens
    dtype: str
    leakage: Estimate
    delta: float
    heads: tuple[float, ...]
    readout: float | None
    error: float | None
    risk: Estimate | None
    rounding: Rounding
    floor: float | None
    bound: float
    construction: float
    risk_bound: float | None
    structure: Structure
    witness: Witness

    _repr_html_ = fields_html

    def within(self, delta: float) -> bool:
        """Whether no attention that the module computes leaks more than ``delta``, on any prompt of the class."""
        return self.delta <= delta

    def to_json(self) -> dict[str, Any]:
        """Return JSON data: bounds as doubles that were rounded outward."""
        shape = self.structure
        return {
            "statement": self.statement, "N": self.N, "d": self.d, "q": self.q, "dtype": self.dtype,
            "tokens": self.tokens.kind, "radius": self.tokens.radius, "delta": self.delta,
            "leakage": list(self.leakage.floats), "heads": list(self.heads), "readout": self.readout,
            "error": finite(self.error), "risk": None if self.risk is None else list(self.risk.floats),
            "rounding": {"factor": [finite(x) for x in self.rounding.factor], "output": finite(self.rounding.output)},
            "floor": self.floor, "bound": self.bound, "construction": self.construction, "risk_bound": self.risk_bound,
            "structure": {"beta": list(shape.beta), "fit": list(shape.fit), "block": list(shape.block),
                          "identity": list(shape.identity), "distance": list(shape.distance),
                          "readout": shape.readout},
            "witness": self.witness.to_json(),
        }  # fmt: skip


def interval(low: float, high: float) -> Estimate:
    """Return what lies between two doubles, enclosed."""
    return Estimate(End(Fraction(low)), End(Fraction(high)), Evidence.ENCLOSED)


def finite(x: float | None) -> float | None:
    """Return a number for JSON, which has no infinity."""
    return x if x is not None and np.isfinite(x) else None


@checked
def certify(
    module: Annotated[Any, BODY], statement: str = "qstr.lemma_11", *, tokens: Annotated[str, BODY] = "signs",
    radius: float = 1.0, codes: Annotated[Any, BODY] = None, direction: Annotated[Any, BODY] = None, q: PositiveInt = 1,
    slots: Sequence[int] | None = None,
) -> TrainedCertificate:  # fmt: skip
    r"""Return what is proved of a trained layer of attention, over all prompts of a class.

    Parameters
    ----------
    module : a ``torch.nn.Module`` with the weights of ``SeparateAttention`` or ``MergedAttention``
        (:mod:`theorytools.training.networks`) or of ``BlockAttention.module()``, or such weights by name, as
        :func:`~theorytools.trained.layer.read_checkpoint` returns them.
    statement : the statement whose construction it is compared with, ``"qstr.lemma_11"``.
    tokens, radius : the class of prompts: tokens ``"signs"`` :math:`\pm r`, ``"box"`` :math:`|x_k|\le r` or ``"ball"``
        :math:`\lVert x\rVert\le r`, and any indices.
    codes : what enters for the positions, ``(N, d_e)``, where no tensor ``omega`` is among the weights.
    direction : :math:`u` of the labels :math:`q^{-1/2}\sum_h\langle u,x_{t_h}\rangle`, where no tensor ``u`` is;
        without one the attention alone is certified.
    q : index slots, where neither a direction nor the module tells.
    slots : which slot each head reads, from 1; the one that its scores listen to most unless given.

    Returns
    -------
    TrainedCertificate : bounds, and the prompt where the network differs most, run on the module.

    Raises
    ------
    CertificateError
        If the module returns something else than its weights define.
    DomainError
        For weights of no module that is known, NaN, a class without a bound, a statement of another kind.
    BudgetError
        For more queries than can be enumerated.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11, arXiv 2503.11272v1; the certificate is derived here.

    Examples
    --------
    >>> from theorytools import BlockAttention, hadamard
    >>> net = BlockAttention(hadamard(8), beta=12, q=1, d=2)
    >>> made = certify(net.module())
    >>> made.within(5e-5), f"{made.delta:.3e}, {float(net.leakage()):.3e}"
    (True, '4.301e-05, 4.301e-05')
    """
    if statement not in STATEMENTS:
        raise DomainError(
            f"statement = {statement!r}", required=f"one of {', '.join(STATEMENTS)}",
            why="these have a construction of one layer of attention with position codes",
            advice="certify_states for recurrent networks (qstr.proposition_35), certify_first_layer for feedforward",
        )  # fmt: skip
    with np.errstate(over="ignore", invalid="ignore"):  # what is no number is refused, what is infinite is said
        return _certified(module, _read(module, codes, direction, q), statement, (tokens, radius), slots)


def _certified(
    module: Any, layer: TrainedLayer, statement: str, class_: tuple[str, float], slots: Sequence[int] | None
) -> TrainedCertificate:
    tokens, radius = class_
    kind = Tokens(tokens, radius, layer.d)  # type: ignore[arg-type]
    reads = _slots(layer, slots)
    heads = [Head(layer, h, slot, kind) for h, slot in enumerate(reads)]
    leaks = [head.leaks() for head in heads]
    rounding = Pass(layer, kind).rounding()
    running = Running(layer, module_of(layer) if isinstance(module, Mapping) else module)
    as_computed = [_computed(one, f, rounding.absolute) for one, f in zip(leaks, rounding.factor, strict=True)]
    _compare(running, heads, leaks, rounding)
    at = max(range(layer.H), key=lambda h: leaks[h].bound)
    query = leaks[at].at[int(np.argmax(leaks[at].worst))]
    X, T = heads[at].prompt(query)
    witness = running.witness(X, T, query[1], at, reads[at])
    low = float_lower(heads[at].leaked(X, T, query[1]).lower)
    judged = None
    if layer.u is not None and layer.units is not None:
        judged = Readout(layer, kind, reads).judge(heads, as_computed, rounding.factor)
    return _certificate(statement, layer, kind, reads, leaks, as_computed, rounding, judged, low, witness)


def _read(module: Any, codes: Any, direction: Any, q: int) -> TrainedLayer:
    if isinstance(module, Mapping):
        weights = dict(module)
    elif hasattr(module, "state_dict") and hasattr(module, "parameters"):
        weights = dict(module.state_dict())
        q = module.q if isinstance(getattr(module, "q", None), int) else q
    else:
        raise DomainError(
            f"a {type(module).__name__}", required="a torch.nn.Module, or weights by name",
            why="scores and read-out are computed from weights", advice="read_checkpoint(path) for a file",
        )  # fmt: skip
    return TrainedLayer.of(weights, codes=codes, direction=direction, q=q)


def _slots(layer: TrainedLayer, slots: Sequence[int] | None) -> tuple[int, ...]:
    chosen = slots_of(layer) if slots is None else tuple(slots)
    if len(chosen) != layer.H or not all(1 <= slot <= layer.q for slot in chosen):
        raise DomainError(
            f"slots {chosen} of {layer.H} heads", required=f"{layer.H} numbers from 1 to q = {layer.q}",
            why="each head reads one index slot", advice="slots=[…]",
        )  # fmt: skip
    return chosen


def _computed(one: HeadLeaks, factor: float, absolute: float) -> HeadLeaks:
    """What a head can leak in the module's own floats."""
    worst = np.minimum(1.0, one.worst * factor + absolute) if np.isfinite(factor) else np.ones_like(one.worst)
    mean = np.sqrt(one.mean_square) * factor + absolute if np.isfinite(factor) else np.ones_like(one.worst)
    return HeadLeaks(one.slot, worst, np.minimum(worst, mean * (1 + 1e-12)) ** 2 * (1 + 1e-12), one.at)


def _compare(running: Running, heads: Sequence[Head], leaks: Sequence[HeadLeaks], rounding: Rounding) -> None:
    """Refuse a module that returns something else than its weights define, on prompts where heads leak much."""
    layer, kind = running.layer, heads[0].tokens
    moved = 2 * kind.norm
    if layer.units is not None:
        moved = max(2 * float(np.abs(layer.last) @ np.abs(A.mid) @ np.append(Pass(layer, kind).entries, 1.0))
                    for A in layer.units)  # fmt: skip
    allowed = rounding.output + moved * sum((factor - 1) * 2 for factor in rounding.factor) + 1e-9
    for h, one in enumerate(leaks):
        for t in np.argsort(-one.worst, kind="stable")[:COMPARED]:  # the witness's own prompt is the first
            X, T = heads[h].prompt(one.at[t])
            i = one.at[t][1]
            seen, meant = running.output(X, T, i), running.real(X, T, i)
            if seen.shape != meant.shape or not np.abs(seen - meant).max() <= allowed:
                raise CertificateError(
                    f"a module that returns {np.ravel(seen)[0]:.6g} where its weights define {np.ravel(meant)[0]:.6g}",
                    required=f"the same within {allowed:.3g}, the rounding of {layer.dtype}",
                    why="what is certified is the function that the weights define",
                    advice="a forward pass without dropout, masks, residuals or other layers",
                )  # fmt: skip


def _certificate(
    statement: str, layer: TrainedLayer, kind: Tokens, reads: Sequence[int], leaks: Sequence[HeadLeaks],
    computed: Sequence[HeadLeaks], rounding: Rounding, judged: ReadoutError | None, low: float, witness: Witness,
) -> TrainedCertificate:  # fmt: skip
    delta = max(one.bound for one in computed)
    top = max(one.bound for one in leaks)
    leakage = interval(max(0.0, low), top)  # of one prompt and of all: were the first above, a bound would be wrong
    if layer.units is None:
        # a product, a root, a product and a sum are rounded, each by a unit at most
        readout, error = None, (2 * kind.norm * delta + rounding.output * layer.d**0.5) * (1 + 8 * UNIT)
    else:
        readout = None if judged is None else judged.readout
        error = None if judged is None else judged.largest + rounding.output
    shape = structure(layer, reads)
    beta, rho = max(0.0, min(shape.beta)), coherence(layer.codes)
    bound = float(bound_of(statement, STATEMENTS[statement])(N=layer.N, beta=beta, rho=min(rho, 1.0)))
    left = None
    if layer.u is not None:
        left = (2 * layer.q**0.5 * float(np.linalg.norm(layer.u)) * kind.norm * bound) ** 2
    return TrainedCertificate(
        statement, layer.N, layer.d, layer.q, kind, layer.dtype, leakage, delta, tuple(one.bound for one in leaks),
        readout, error, _risk(judged, rounding), rounding, _floor(layer, kind), bound,
        construction_leakage(layer.codes, beta), left, shape, witness,
    )  # fmt: skip


def _risk(judged: ReadoutError | None, rounding: Rounding) -> Estimate | None:
    if judged is None:
        return None
    low, high = judged.root_mean or (0.0, judged.largest)
    high = min(high, judged.largest) + rounding.output
    if not np.isfinite(high):
        return None
    # squares of doubles are rounded once: outward by a unit
    least = np.nextafter(max(0.0, low - rounding.output) ** 2, 0.0)
    return interval(float(least), float(np.nextafter(high**2, np.inf)))


def _floor(layer: TrainedLayer, kind: Tokens) -> float | None:
    if layer.u is None or kind.kind != "signs" or layer.q != 1:
        return None
    variance: Array = np.square(layer.u) * kind.radius**2
    return float(variance.sum()) * (1 - 1 / layer.N)
