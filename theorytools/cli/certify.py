"""``certify``: what is proved of a trained layer of attention, and the prompt where it differs most."""

from __future__ import annotations

import json as json_module
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from theorytools.cli.formats import UNEXPECTED, among, wrapped
from theorytools.errors import DomainError

if TYPE_CHECKING:
    from theorytools.trained.certify import TrainedCertificate


EPILOG = (
    "Example: theorytools certify trained.safetensors qstr.lemma_11 --tokens signs\n\nExit codes: 2 usage or "
    "weights that cannot be certified, 4 a file that cannot be read, 1 not within --within, 0 within it."
)


def certify(
    checkpoint: Annotated[Path, typer.Argument(help="Weights: .safetensors, or a state dict as .pt or .pth.")],
    statement: Annotated[str, typer.Argument(help="The statement whose construction it is compared with.")],
    tokens: Annotated[str, typer.Option("--tokens", help="Class of the tokens: signs, box or ball.")] = "signs",
    radius: Annotated[float, typer.Option("--radius", help="Of the box or ball; the modulus of the signs.")] = 1.0,
    codes: Annotated[
        Path | None, typer.Option("--codes", help="Another file with tensors omega (N, d_e) and u (d).")
    ] = None,
    slots: Annotated[
        str, typer.Option("--slots", metavar="S,S", help="Which slot each head reads, from 1; default: by weight.")
    ] = "",
    q: Annotated[int, typer.Option("--q", min=1, help="Index slots, where no direction u tells.")] = 1,
    within: Annotated[float, typer.Option("--within", help="The weight that may lie outside the index.")] = 0.05,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for a program instead of text.")] = False,
) -> None:
    """Bound a trained attention layer over all prompts: leakage, error, risk, and the prompt where it differs most."""
    among("--tokens", tokens, ("signs", "box", "ball"), "without a bound on tokens nothing can be proved")
    if not 0 < within < 1:
        raise DomainError(f"--within {within}", required="a share of the attention between 0 and 1")
    chosen = _slots(slots)

    from theorytools.trained.certify import certify
    from theorytools.trained.layer import read_checkpoint

    weights = read_checkpoint(checkpoint)
    if codes is not None:
        more = read_checkpoint(codes)
        weights |= {name: more[name] for name in ("omega", "u") if name in more}
    made = certify(weights, statement, tokens=tokens, radius=radius, q=q, slots=chosen)
    code = 0 if made.within(within) else UNEXPECTED
    if json:
        print(json_module.dumps({"exit": code, "within": within, **made.to_json()}, allow_nan=False))
    else:
        print("\n".join(lines(made, checkpoint.name, within)))
    raise typer.Exit(code)


def _slots(text: str) -> Sequence[int] | None:
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
