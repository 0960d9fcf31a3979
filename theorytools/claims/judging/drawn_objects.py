"""Objects that a claim's own ``search=`` draws: hypothesis draws and shrinks, the points are those of the search."""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from theorytools.claims.judging.searching import ClaimSpace, Judging
from theorytools.claims.language.claim import Claim
from theorytools.errors import DomainError
from theorytools.search.proposal_orders import Joint, small
from theorytools.search.protocols import Found

_POINTS = 32  # at which objects are drawn, of the grid, the small ones, and those at most twice as large as the grid


class _Finished(BaseException):
    """The time or the evaluations are used up; no ``Exception``, which hypothesis would take for a finding."""


def hunt_objects(
    claim: Claim, space: ClaimSpace, judging: Judging, most: int, seed: str, left: Callable[[], float | None]
) -> tuple[Found, Any]:
    """Let hypothesis draw objects at points until one violates the claim; return what was done, and the object.

    Parameters
    ----------
    claim, space, judging : the claim, its points, and who judges one with an object.
    most : the largest number of objects that are judged.
    seed : by what the draws are keyed.
    left : the seconds that are left, or None.
    """
    from hypothesis import find
    from hypothesis.errors import Flaky, NoSuchExample, Unsatisfiable

    found, best = Found(), list[Any]()
    points = _points(claim, space, seed)
    if not points:
        return found, None

    def violates(pair: Any) -> bool:
        axes, thing = pair
        seconds = left()
        if found.proposals >= most or (seconds is not None and seconds <= 0 and found.proposals):
            raise _Finished
        found.proposals += 1
        result = judging.row(axes, thing=thing)[0]
        if result.status in ("outside", "refused", "open"):
            found.other(result.status, result.note)
            return False
        found.judged += 1
        found.reached(axes)
        if result.status == "false":
            best[:] = [axes, thing]
        return result.status == "false"

    # these mean that nothing was found, or that the limit came while shrinking; the best keeps what was found
    with contextlib.suppress(Flaky, NoSuchExample, Unsatisfiable, _Finished), _keyed_draws(), _nothing_left_behind():
        find(
            _candidates(claim, judging.check, points),
            violates,
            settings=_options(most),
            random=random.Random(f"objects {seed}"),
        )
    if best:
        found.first = found.point = best[0]
        found.track, found.ended = "objects", "found"
    return found, best[1] if best else None


def _candidates(claim: Claim, check: str, points: list[dict[str, Any]]) -> Any:
    """The strategy: a point, then an object for it."""
    from hypothesis import reject
    from hypothesis import strategies as st

    search = claim.search
    assert search is not None

    @st.composite
    def candidate(draw: Any) -> Any:
        axes = draw(st.sampled_from(points))
        try:
            return axes, search(draw, claim.point(axes, check))
        except DomainError:  # no such object here
            reject()
            raise

    return candidate()


def _options(most: int) -> Any:
    """The settings of hypothesis: so many examples, drawn and made simpler, with nothing kept and no clock."""
    from hypothesis import HealthCheck, Phase, settings

    return settings(
        max_examples=most, database=None, deadline=None, derandomize=False, phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip


def _points(claim: Claim, space: ClaimSpace, seed: str) -> list[dict[str, Any]]:
    """Points within the hypotheses, none more than twice as large as those of the grid."""
    grid = [dict(row) for row in claim.grid if space.holds(row)]
    tops = {v.name: 2 * max(v.values) for v in space.variables if v.kind in ("int", "rat")}
    joint = Joint(space, claim.grid, random.Random(f"points {seed}"))
    joint.most = 1.0
    proposed = [*islice(small(space), 4 * _POINTS), *islice(joint, 2 * _POINTS)]
    near = [p for p in proposed if p is not None and all(p[name] <= top for name, top in tops.items())]
    made: list[dict[str, Any]] = []
    for point in [*grid, *near]:
        if point not in made:
            made.append(point)
    return made[: len(grid) + _POINTS]


@contextlib.contextmanager
def _keyed_draws() -> Iterator[None]:
    """Let draws depend on their key alone: hypothesis also tries constants that it reads in modules outside
    site-packages, so that the same search would meet other objects in another folder.
    """
    try:
        from hypothesis.internal.conjecture.providers import HypothesisProvider

        provider: Any = HypothesisProvider
        usual = provider._maybe_draw_constant
    except (ImportError, AttributeError):  # a version without such constants
        yield
        return
    provider._maybe_draw_constant = lambda *args, **kwargs: None
    try:
        yield
    finally:
        provider._maybe_draw_constant = usual


@contextlib.contextmanager
def _nothing_left_behind() -> Iterator[None]:
    """Let hypothesis keep its tables in a folder that is removed: by default it makes one where the user stands."""
    from hypothesis import configuration

    before = getattr(configuration, "__hypothesis_home_directory", None)
    with tempfile.TemporaryDirectory() as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)
