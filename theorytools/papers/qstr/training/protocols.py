"""The two protocols of the sample-complexity experiments, as data.

``released`` is faithful to the released experiment: test prompts always come from the simple task, all repeats of a
size share one direction and one table of codes, and a run that passes the cap stops the cell with an error.
``corrected`` draws test prompts from the training distribution, gives every repeat its own direction and codes, and
records a run that passes the cap as censored.  The name is part of every trial's key, so the two never share a result.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), section 4 and Figure 1, arXiv 2503.11272v1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError


@checked
@dataclass(frozen=True, kw_only=True)
class Protocol:
    """What distinguishes the protocols; everything else belongs to the experiment.

    Parameters
    ----------
    name : part of every trial's key.
    test_prompts : ``"training"``, the distribution that is trained on, or ``"simple"``, one tuple for all positions.
    shared_world : whether the repeats of one size share the direction ``u`` and the codes.
    at_cap : what a run that has seen ``cap`` prompts becomes: ``"censored"`` or an ``"error"``.
    """

    name: str
    test_prompts: Literal["training", "simple"]
    shared_world: bool
    at_cap: Literal["censored", "error"]


RELEASED = Protocol(name="released", test_prompts="simple", shared_world=True, at_cap="error")


CORRECTED = Protocol(name="corrected", test_prompts="training", shared_world=False, at_cap="censored")


PROTOCOLS = {protocol.name: protocol for protocol in (RELEASED, CORRECTED)}


@checked
def protocol(name: str) -> Protocol:
    """Return the protocol of that name, ``"released"`` or ``"corrected"``; ``DomainError`` for another."""
    if name not in PROTOCOLS:
        raise DomainError(f"the protocol {name!r}", required=f"one of {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]
