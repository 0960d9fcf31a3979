"""``certify``: what is proved of a trained module over all prompts, or of the states of a trained recurrent network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from theorytools.cli.answers import answer
from theorytools.cli.formats import UNEXPECTED, among, wrapped
from theorytools.errors import DomainError
from theorytools.progress import shown, talking

if TYPE_CHECKING:
    from theorytools.trained.states import StateCertificate


EPILOG = (
    "Examples: theorytools certify my_model.py:make --weights trained.safetensors --codes codes.safetensors\n\n"
    "Of a file of this package, against a statement: theorytools certify trained.safetensors qstr.lemma_11\n\n"
    "Of a recurrent network: theorytools certify gru.safetensors qstr.proposition_35 --resolution 0.1 --m 6\n\n"
    "Exit codes: 2 usage or a module that cannot be certified, 4 a file that cannot be read, 1 not within --within, or "
    "a state that certainly holds less than answers with --risk and --lipschitz need, 0 otherwise."
)
STATES = "qstr.proposition_35"


def certify(
    module: Annotated[str, typer.Argument(help="your_file.py:name or package.module:name of a torch module or of what "
                                          "makes it, or a file .safetensors, .pt or .pth.")],
    statement: Annotated[
        str | None, typer.Argument(help="The statement whose construction it is held against.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option("--weights", help="A checkpoint that is loaded into the module.")
    ] = None,
    direction: Annotated[
        str | None, typer.Option("--direction", metavar="U,U", help="The labels are <u, x>; default: u of a file.")
    ] = None,
    tokens: Annotated[str, typer.Option("--tokens", help="Class of the tokens: signs, box or ball.")] = "signs",
    radius: Annotated[float, typer.Option("--radius", help="Of the box or ball; the modulus of the signs.")] = 1.0,
    codes: Annotated[
        Path | None, typer.Option("--codes", help="Another file with tensors omega (N, d_e) and u (d).")
    ] = None,
    slots: Annotated[
        str | None,
        typer.Option("--slots", metavar="S,S", help="Which slot each head reads, from 1; default: by weight."),
    ] = None,
    q: Annotated[int | None, typer.Option("--q", min=1, help="Index slots; default: as the file tells, or 1.")] = None,
    N: Annotated[int | None, typer.Option("--N", min=1, help="Positions, where no codes tell.")] = None,
    draws: Annotated[int, typer.Option("--draws", min=0, help="Random prompts for the mean square error.")] = 0,
    within: Annotated[
        float | None, typer.Option("--within", help="The error of a label that is allowed; with qstr.lemma_11 the "
                                   "weight that may lie outside the index, default 0.05.")
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
) -> None:  # fmt: skip
    """Bound a trained module over all prompts, or enclose the bits that a recurrent state holds of them.

    Of a layer of attention: how far a label can be off, and the prompt where it is worst; against qstr.lemma_11 also
    how much the attention looks elsewhere. The states of a recurrent network are counted at a resolution, for
    qstr.proposition_35.
    """
    counted = {"--m": m, "--resolution": resolution, "--risk": risk, "--lipschitz": lipschitz}
    if statement == STATES:
        _refuse(statement, {"--slots": slots, "--within": within, "--N": N, "--weights": weights,
                            "--direction": direction}, "layers of attention")  # fmt: skip
        among("--tokens", tokens, ("signs", "box"), "states are counted over signs or a box")
        if resolution is None:
            raise DomainError(
                f"{statement} without --resolution",
                required="a distance > 0",
                why="states are told apart by it",
                advice="--resolution 0.1",
            )
        with talking():
            code, told, text = _states(Path(module), codes, tokens, radius, q or 1, counted)
    else:
        _refuse(statement or "no statement", counted, f"recurrent networks, {STATES}")
        among("--tokens", tokens, ("signs", "box", "ball"), "without a bound on tokens nothing can be proved")
        if within is not None and not 0 < within < float("inf"):
            raise DomainError(f"--within {within}", required="a number above 0")
        u = _numbers("--direction", direction, float)
        given = {"tokens": tokens, "radius": radius, "q": q, "N": N, "draws": draws, "direction": u,
                 "slots": _numbers("--slots", slots, int)}  # fmt: skip
        with talking():
            code, told, text = _module(module, statement, (weights, codes), within, given)
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


def _numbers(option: str, text: str | None, kind: type) -> Sequence[Any] | None:
    try:
        return [kind(word) for word in text.split(",")] if text else None
    except ValueError:
        example = "--slots 1,2" if kind is int else "--direction 0.6,0.8"
        raise DomainError(f"{option} {text}", required="numbers with commas between them", advice=example) from None


def _beside(codes: Path | None) -> dict[str, Any]:
    from theorytools.trained.checkpoint import read_checkpoint

    more = {} if codes is None else read_checkpoint(codes)
    return {name: more[name] for name in ("omega", "u") if name in more}


def _module(
    target: str, statement: str | None, files: tuple[Path | None, Path | None], within: float | None,
    given: dict[str, Any],
) -> tuple[int, dict[str, Any], list[str]]:  # fmt: skip
    from theorytools.cli.own_module import imported
    from theorytools.trained.certify import certify

    weights, codes = files
    beside = _beside(codes)
    if ":" in target:
        module, held = imported(target, weights)
        beside = {**held, **beside}
    elif weights is not None:
        raise DomainError(f"--weights with the file {target}", required="your_file.py:name, which makes the module",
                          why="a file of weights holds no class")  # fmt: skip
    else:
        module = Path(target)
    if given["direction"] is None:
        given["direction"] = beside.get("u")
    with shown("cases") as progress:
        made = certify(module, statement, codes=beside.get("omega"), progress=progress, **given)
    limit, kept = within, True
    if made.mechanism is not None:
        limit = 0.05 if within is None else within
        kept = made.mechanism.within(limit)
    elif made.labels is not None and within is not None:
        kept = made.labels.within(within)
    said = f"{target}: " + ("certified" if limit is None else f"{'' if kept else 'not '}within {limit:g}")
    said += "" if statement is None else f" of the construction of {statement}"
    told = {"within": limit, **made.to_json()}
    return 0 if kept else UNEXPECTED, told, [said, *(wrapped(line, 2) for line in str(made).splitlines())]


def _states(
    checkpoint: Path, codes: Path | None, tokens: str, radius: float, q: int, counted: dict[str, Any]
) -> tuple[int, dict[str, Any], list[str]]:
    from theorytools.trained.checkpoint import read_checkpoint
    from theorytools.trained.states import certify_states

    more = {name.removeprefix("--"): value for name, value in counted.items()}
    weights = {**read_checkpoint(checkpoint), **_beside(codes)}
    made = certify_states(weights, tokens=tokens, radius=radius, q=q, **more)
    return UNEXPECTED if made.too_small else 0, made.to_json(), state_lines(made, checkpoint.name)


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
