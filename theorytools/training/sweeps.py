"""The table of sweeps."""

from __future__ import annotations

from theorytools.training.approximate import APPROXIMATE
from theorytools.training.attention_sweep import FIGURE_02
from theorytools.training.compressors_sweep import COMPRESSORS
from theorytools.training.fixed_set_sweep import SPAN
from theorytools.training.floors import FLOORS
from theorytools.training.head_staircase import HEADS
from theorytools.training.information_sweep import INFORMATION
from theorytools.training.lookup_sweep import LOOKUP
from theorytools.training.selection_sweep import SELECTION
from theorytools.training.strings_sweep import STRINGS
from theorytools.training.sweep import Sweep
from theorytools.training.threshold import FIGURE_01A, FIGURE_01B, FIGURE_03, LENGTHS, SENSITIVITY
from theorytools.training.transition_sweep import TRANSITION
from theorytools.training.two_step_sweep import TWO_STEP

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
