"""The search of the library on a planted statement: it is told the letters, hypotheses and grid, and no box."""

from __future__ import annotations

from theorytools.search.hunt import Search
from theorytools.search.protocols import Place, Result
from theorytools.search.space import Space
from tools.planted.rivals import Trial


def ours(trial: Trial) -> None:
    """Search a statement; an evaluation is a judgement, so that those after the first violation do not count."""
    one = trial.one

    def judge(point: Place, sample: int) -> Result:
        return trial.look(point, sample)

    Search(Space(one.variables, one.conditions), judge, one.grid, evaluations=trial.most, seed=one.name).run()
