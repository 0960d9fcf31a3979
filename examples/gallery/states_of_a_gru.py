"""What a recurrent network can remember: the states that a GRU reaches when its numbers are rounded to p bits.

After N bits there are 2^N words. Where a network has fewer states, two words end in one, and a question about a
position in which they differ is answered wrongly for one of them: `wrong_pair` shows such words.
"""

import numpy as np
import torch
from _picture import BLUE, GREEN, ORANGE, panel

from theorytools import count_states
from theorytools.theory.memory.quantised import QuantisedRecurrence

rng = np.random.default_rng(1)
cell = torch.nn.GRUCell(2, 3, dtype=torch.float64)
for weights in cell.parameters():
    weights.data = torch.tensor(1.5 * rng.standard_normal(tuple(weights.shape)))

lengths = range(1, 13)
figure, axes, write = panel("States that a rounded GRU reaches, against the words it reads")
axes.semilogy(lengths, [2**N for N in lengths], color="black", label="words")
for p, colour in ((1, ORANGE), (2, GREEN), (4, BLUE)):
    machine = QuantisedRecurrence(cell, p=p)
    found = [count_states(machine, N).S for N in lengths]
    label = f"{p} bit{'s' if p > 1 else ''} a number, at most 2^{machine.bits}"
    axes.semilogy(lengths, found, "o-", markersize=4, color=colour, label=label)
axes.set(xlabel="length N", ylabel="different states after N symbols")
axes.legend(fontsize="small")
write(__file__)
