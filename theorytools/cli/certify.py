"""``certify``: what is proved of a trained layer of attention, or of the states of a trained recurrent network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from theorytools.cli.answers import answer
from theorytools.cli.formats import UNEXPECTED, among, wrapped
from theorytools.errors import DomainError
from theorytools.progress import talking

if TYPE_CHECKING:
    from theorytools.trained.certify import TrainedCertificate
    from theorytools.trained.states import StateCertificate


EPILOG = (
    "Example: theorytools certify trained.safetensors qstr.lemma_11 --tokens signs\n\nOf a recurrent network: "
    "theorytools certify gru.safetensors qstr.proposition_35 --resolution 0.1 --m 6\n\nExit codes: 2 usage or "
    "weights that cannot be certified, 4 a file that cannot be read, 1 not within --within, or a state that certainly "
    "holds less than answers with --risk and --lipschitz need, 0 otherwise."
)
STATES = "qstr.proposition_35"


def certify(
    checkpoint: Annotated[Path, typer.Argument(help="Weights: .safetensors, or a state dict as .pt or .pth.")],
    statement: Annotated[str, typer.Argument(help="The statement whose construction it is compared with.")],
    tokens: Annotated[str, typer.Option("--tokens", help="Class of the tokens: signs, box or ball.")] = "signs",
    radius: Annotated[float, typer.Option("--radius", help="Of the box or ball; the modulus of the signs.")] = 1.0,
    codes: Annotated[
        Path | None, typer.Option("--codes", help="Another file with tensors omega (N, d_e) and u (d).")
    ] = None,
    slots: Annotated[
        str | None,
        typer.Option("--slots", metavar="S,S", help="Which slot each head reads, from 1; default: by weight."),
    ] = None,
    q: Annotated[int, typer.Option("--q", min=1, help="Index slots, where no direction u tells.")] = 1,
    within: Annotated[
        float | None, typer.Option("--within", help="The weight that may lie outside the index; default: 0.05.")
    ] = None,
    m: Annotated[
        int | None, typer.Option("--m", min=1, help="Tokens that a state has read; default: one less than the codes.")
    ] = None,
    resolution: Annotated[
        float | None, typer.Option("--resolution", help="The distance beyond which two states differ.")
    ] = None,
    risk: Annotated[
        float | None, typer.Option("--risk", help="Mean square error of answers; with --lipschitz: what they need.")
    ] = None,
    lipschitz: Annotated[
        float | None, typer.Option("--lipschitz", help="A Lipschitz constant of the answers in the state.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for a program instead of text.")] = False,
) -> None:
    """Bound a trained attention layer over all prompts, or enclose the bits that a recurrent state holds of them.

    A layer of attention is held against the construction of qstr.lemma_11: leakage, error, risk, and the prompt where
    it differs most. The states of a recurrent network are counted at a resolution, for qstr.proposition_35.
    """
    counted = {"--m": m, "--resolution": resolution, "--risk": risk, "--lipschitz": lipschitz}
    if statement == STATES:
        _refuse(statement, {"--slots": slots, "--within": within}, "layers of attention, qstr.lemma_11")
        among("--tokens", tokens, ("signs", "box"), "states are counted over signs or a box")
        if resolution is None:
            raise DomainError(
                f"{statement} without --resolution",
                required="a distance > 0",
                why="states are told apart by it",
                advice="--resolution 0.1",
            )
        with talking():
            code, told, text = _states(checkpoint, codes, tokens, radius, q, counted)
    else:
        _refuse(statement, counted, f"recurrent networks, {STATES}")
        among("--tokens", tokens, ("signs", "box", "ball"), "without a bound on tokens nothing can be proved")
        within = 0.05 if within is None else within
        if not 0 < within < 1:
            raise DomainError(f"--within {within}", required="a share of the attention between 0 and 1")
        with talking():
            code, told, text = _layer(checkpoint, statement, codes, tokens, radius, q, _slots(slots), within)
    if json:
        answer("certify", told, code)
    else:
        print("\n".join(text))
    raise typer.Exit(code)


def _refuse(statement: str, options: dict[str, Any], kind: str) -> None:
    """Refuse options that belong to the other kind of network."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise DomainError(
            f"{', '.join(given)} with {statement}", required="options of this statement",
            why=f"{'they are' if len(given) > 1 else 'it is'} for {kind}", advice="theorytools certify --help",
        )  # fmt: skip


def _weights(checkpoint: Path, codes: Path | None) -> dict[str, Any]:
    from theorytools.trained.layer import read_checkpoint

    weights = read_checkpoint(checkpoint)
    if codes is not None:
        more = read_checkpoint(codes)
        weights |= {name: more[name] for name in ("omega", "u") if name in more}
    return weights


def _layer(
    checkpoint: Path, statement: str, codes: Path | None, tokens: str, radius: float, q: int,
    slots: Sequence[int] | None, within: float,
) -> tuple[int, dict[str, Any], list[str]]:  # fmt: skip
    from theorytools.trained.certify import certify

    made = certify(_weights(checkpoint, codes), statement, tokens=tokens, radius=radius, q=q, slots=slots)
    told = {"within": within, **made.to_json()}
    return 0 if made.within(within) else UNEXPECTED, told, lines(made, checkpoint.name, within)


def _states(
    checkpoint: Path, codes: Path | None, tokens: str, radius: float, q: int, counted: dict[str, Any]
) -> tuple[int, dict[str, Any], list[str]]:
    from theorytools.trained.states import certify_states

    more = {name.removeprefix("--"): value for name, value in counted.items()}
    made = certify_states(_weights(checkpoint, codes), tokens=tokens, radius=radius, q=q, **more)
    return UNEXPECTED if made.too_small else 0, made.to_json(), state_lines(made, checkpoint.name)


def _slots(text: str | None) -> Sequence[int] | None:
    try:
        return [int(word) for word in text.split(",")] if text else None
    except ValueError:
        raise DomainError(
            f"--slots {text}", required="numbers from 1, one for each head", advice="--slots 1,2"
        ) from None


def lines(made: TrainedCertificate, name: str, within: float) -> list[str]:
    """Return the certificate in words."""
    kind = made.tokens
    tokens = {"signs": f"entries ±{kind.radius:g}", "box": f"entries within ±{kind.radius:g}",
              "ball": f"norm at most {kind.radius:g}"}[kind.kind]  # fmt: skip
    held = f"within {within:g} of the construction" if made.within(within) else f"not within {within:g}"
    low, high = made.leakage.floats
    shape = made.structure
    found = [
        f"{name}: {held} of {made.statement}",
        f"  class        N = {made.N}, q = {made.q}, tokens in dimension {made.d} with {tokens}, any indices",
        f"  delta        {made.delta:.6g}, the most attention outside an index, as computed in {made.dtype}",
        f"  leakage      between {low:.6g} and {high:.6g} for the real numbers of the weights",
        f"  statement    {made.bound:.3g} at the fitted inverse temperature {min(shape.beta):.4g}; "
        f"the construction leaks {made.construction:.3g}",
    ]
    if made.readout is not None:
        found.append(f"  readout      error at most {made.readout:.4g} were the attention perfect")
    if made.error is not None:
        found.append(
            f"  error        at most {made.error:.4g} on any prompt, rounding {made.rounding.output:.2g} included"
        )
    if made.risk is not None:
        low, high = made.risk.floats
        law = "for uniform signs and indices" if kind.kind == "signs" else "for every law on the class"
        floor = "" if made.floor is None else f"; a predictor without indices has {made.floor:.4g}"
        found.append(f"  risk         between {low:.3g} and {high:.3g} {law}{floor}")
    found.append(
        f"  structure    {min(shape.identity):.1%} of the scores' weights are a multiple of the construction's"
        + ("" if shape.readout is None else f", {shape.readout:.1%} of the read-out's see tokens")
    )
    return [*found, *_witness(made)]


def _witness(made: TrainedCertificate) -> list[str]:
    one = made.witness
    t = one.T[one.position].tolist()
    said = (
        f"run on the prompt where it differs most, at position {one.position}, which asks for "
        f"{', '.join(map(str, t))}: head {one.head} looks elsewhere with weight {one.outside:.4g}"
    )
    if one.label is not None and made.readout is not None:
        said += f", output {float(one.output):.4g} for label {float(one.label):.4g}"
    return [wrapped(said, 2)]


def state_lines(made: StateCertificate, name: str) -> list[str]:
    """Return the certificate of states in words."""
    low, high = made.bits.floats
    entries = f"±{made.radius:g}" if made.tokens == "signs" else f"within ±{made.radius:g}"
    found = [
        f"{name}: a state that holds between {low:.6g} and {high:.6g} bits ({made.statement})",
        f"  class        {made.m} tokens in dimension {made.d}, entries {entries}; {made.listed} prefixes listed",
        f"  state        {made.size} numbers of a cell {made.kind} in {made.dtype}",
        f"  resolution   {made.resolution:g}: "
        + (f"between {made.states[0]} and {made.states[1]} states pairwise further apart" if made.states[1] < 10**9
           else f"at least {made.states[0]} states pairwise further apart"),
    ]  # fmt: skip
    if made.need is not None:
        said = "certainly more than the state holds" if made.too_small else "not excluded"
        found.append(f"  need         {made.need:.6g} bits for answers of this risk and Lipschitz constant: {said}")
    if made.pair is not None:
        found.append(
            wrapped(
                f"two prefixes whose labels differ by {made.pair.labels:.4g}, run on the module: states "
                f"{made.pair.distance:.4g} apart", 2,
            )
        )  # fmt: skip
    return found
