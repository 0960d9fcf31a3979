"""All instruments, one after another, on a claim that holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from theorytools.claims.judging.remark import Remark
from theorytools.claims.judging.trial.formula import derived_ties, one_formula
from theorytools.claims.judging.trial.lints import lints
from theorytools.claims.judging.trial.more_draws import more_draws
from theorytools.claims.judging.trial.numbers import floats, integers, observed_only, single_precision
from theorytools.claims.judging.trial.sampling import sampling
from theorytools.claims.judging.trial.scope import scope
from theorytools.claims.judging.trial.seeds import seeds
from theorytools.claims.judging.trial.spoils import spoils
from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.judging.trial.words import words
from theorytools.claims.judging.verdict import Outcome, Verdict
from theorytools.claims.language.claim import Claim
from theorytools.claims.papers.catalogue import Entry
from theorytools.meaning import TRAINED

Instrument = Callable[[Trial], Iterable[Remark]]
READERS: tuple[Instrument, ...] = (words, scope)
INSTRUMENTS: tuple[Instrument, ...] = (
    words, scope, lints, floats, integers, single_precision, spoils, one_formula, derived_ties, seeds, more_draws,
    sampling,
)  # fmt: skip


def tried(claim: Claim, entry: Entry, verdict: Verdict) -> Verdict:
    """Return the verdict with what every instrument remarks; one that does not hold, or expects not to, as it was.

    A row keeps its truth and its ends; one whose number is no proof becomes an observation.  What is remarked is the
    same on every machine.
    """
    if verdict.outcome is not Outcome.HOLDS or claim.expect != "HOLDS":
        return verdict
    trial = Trial(claim, entry, verdict)
    # what trained networks do is dear to measure again, and its trial are anchors: there the text alone is read
    cheap = claim.role not in TRAINED and claim.tier == "seconds"
    instruments = INSTRUMENTS if cheap else READERS
    remarks = [*verdict.remarks, *(remark for instrument in instruments for remark in instrument(trial))]
    verdict = observed_only(trial) if cheap else verdict
    return replace(verdict, remarks=tuple(dict.fromkeys(remarks))) if remarks else verdict
