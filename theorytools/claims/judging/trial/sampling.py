"""Draws on trial: are they independent, is there one for each that is asked for, does a truncation hide what it says.

Of every sampled number the draw itself is asked again: for single draws, of which none may be missing; for a long
stretch, whose neighbours must not agree more often than chance; and of a truncated mean for the level times four.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from theorytools.claims.judging.remark import Remark
from theorytools.claims.judging.trial.variants import Trial
from theorytools.meaning import TRAINED
from theorytools.numbers import float_upper
from theorytools.numbers.draws import Draws

_SINGLE = (64, 4000)  # single draws asked for; the second where the draw chooses among what it has drawn
_LONG = 4096
_BLOCK = 64
_SIGMAS = 6.0
_TIMES = 4


def sampling(trial: Trial) -> Iterable[Remark]:
    """Say which sampled number is not what its draws are."""
    if trial.claim.role in TRAINED:
        return
    for name, sampler in _samplers(trial):
        if sampler is not None:
            yield from _judged(trial, name, sampler)


def _samplers(trial: Trial) -> Iterator[tuple[str, Any]]:
    for point in trial.points[:1]:
        if not any(row.measured.evidence.name == "SAMPLED" for row in trial.honest(point).rows):
            return
        given = trial.claim.measure(trial.thing(point), point)
        yield from ((quantity.name, getattr(recipe, "sampler", None)) for quantity, recipe in given.items())


def _judged(trial: Trial, name: str, sampler: Any) -> Iterator[Remark]:
    rng = Draws(sampler.seed.spawn(1)[0] if hasattr(sampler.seed, "spawn") else sampler.seed)
    where = _line(trial, sampler.draw)
    try:
        lost = _lost(sampler.draw, rng, _SINGLE[_chooses(sampler.draw)])
        x = np.asarray(sampler.draw(rng, _LONG), dtype=float)
    except Exception:
        return  # the recipe itself has said what is wrong with its draws
    if lost:
        yield Remark(
            "draws", f"asked for one draw of {name}, it returned none, {lost} times: are failures dropped?", where,
            "return one value for each draw, a failure as what it counts in the statement",
        )  # fmt: skip
    sigmas = _dependence(x)
    if sigmas > _SIGMAS:
        yield Remark(
            "draws", f"neighbouring draws of {name} agree more often than chance: {sigmas:.0f} standard errors", where,
            "draw each one afresh, or take the mean of a group as one draw",
        )  # fmt: skip
    if sampler.excess is not None:
        yield from _truncated(name, sampler, x, where)


def _lost(draw: Any, rng: Any, count: int) -> int:
    return sum(np.size(draw(rng, 1)) == 0 for _ in range(count))


def _dependence(x: Any) -> float:
    """By how many standard errors the ranks of a stretch disagree with independence: neighbours, and means of blocks.

    Of n independent ranks the correlation of neighbours has standard error n^(-1/2), and with b blocks the variance
    of the means of blocks over its expectation (2/(b-1))^(1/2).
    """
    if x.ndim != 1 or x.size < _LONG or not np.isfinite(x).all() or np.ptp(x) == 0:
        return 0.0
    _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts + 1) / 2)[inverse]
    centred = ranks - ranks.mean()
    near = float((centred[1:] * centred[:-1]).sum() / (centred**2).sum()) * math.sqrt(x.size)
    means = centred[: x.size // _BLOCK * _BLOCK].reshape(-1, _BLOCK).mean(axis=1)
    ratio = float(means.var(ddof=1) * _BLOCK / centred.var())
    return max(abs(near), (ratio - 1) / math.sqrt(2 / (means.size - 1)))


def _truncated(name: str, sampler: Any, x: Any, where: str) -> Iterator[Remark]:
    """E min(Z, 4 tau) <= E Z <= E min(Z, tau) + excess, for the same draws."""
    tau = sampler.work["tau"]
    excess = float_upper(sampler.excess.upper)
    beyond = np.minimum(x, _TIMES * tau) - np.minimum(x, tau)  # in [0, 3 tau]
    low = float(beyond.mean() - _SIGMAS * beyond.std() / math.sqrt(x.size))
    if low > excess:
        text = f"at {_TIMES} times the level {tau:g} the mean of {name} is at least {low:.3g} larger"
        advice = "prove the excess from a moment of the law (truncation_excess)"
        yield Remark("draws", f"{text}, and the excess is stated as {excess:.3g}: too small", where, advice)


def _chooses(draw: Any) -> bool:
    """Whether the code of a draw takes a part of what it has drawn."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(draw)).strip().rstrip(","))
    except (OSError, TypeError, SyntaxError):
        return True
    fixed = ast.Constant | ast.Slice | ast.Tuple
    masks = (isinstance(n, ast.Subscript) and not isinstance(n.slice, fixed) for n in ast.walk(tree))
    return any(masks) or any(
        isinstance(n, ast.While | ast.Continue) or (isinstance(n, ast.comprehension) and n.ifs) for n in ast.walk(tree)
    )


def _line(trial: Trial, draw: Any) -> str:
    code = getattr(draw, "__code__", None)
    return f"{trial.entry.path.name}, line {code.co_firstlineno}" if code else ""
