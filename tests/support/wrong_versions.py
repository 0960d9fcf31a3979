"""The outcome of a claim of this repository with some of its fields changed."""

from dataclasses import replace

from shared_verdicts import claim_of

from theorytools import Outcome, judge
from theorytools.claims.judging.run import searched

FALSE = (Outcome.REFUTED, Outcome.WITNESS_FAILS)


def judged(id, **changes):
    """The outcome of a claim with some fields changed, with the search beside its grid."""
    claim = replace(claim_of(id), **changes)
    verdict = judge(claim, id)
    return (searched(claim, verdict) if verdict.outcome is Outcome.HOLDS else verdict).outcome
