"""The table of sweeps."""

from __future__ import annotations

from theorytools.training.approximate import APPROXIMATE
from theorytools.training.attention_sweep import FIGURE_02
from theorytools.training.compressors import COMPRESSORS
from theorytools.training.fixed_set import SPAN
from theorytools.training.floors import FLOORS
from theorytools.training.head_staircase import HEADS
from theorytools.training.information import INFORMATION
from theorytools.training.lookup_trained import LOOKUP
from theorytools.training.selection import SELECTION
from theorytools.training.strings_sweep import STRINGS
from theorytools.training.sweep import Sweep
from theorytools.training.threshold import FIGURE_01A, FIGURE_01B, FIGURE_03, LENGTHS, SENSITIVITY
from theorytools.training.transition import TRANSITION
from theorytools.training.two_step import TWO_STEP

SWEEPS: dict[str, Sweep] = {
    one.name: one
    for one in (
        FIGURE_01A,
        FIGURE_01B,
        FIGURE_03,
        LENGTHS,
        SENSITIVITY,
        FIGURE_02,
        APPROXIMATE,
        SPAN,
        HEADS,
        FLOORS,
        TRANSITION,
        TWO_STEP,
        SELECTION,
        COMPRESSORS,
        INFORMATION,
        LOOKUP,
        STRINGS,
    )
}
