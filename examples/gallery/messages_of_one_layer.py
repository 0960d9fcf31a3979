"""When must one layer of attention fail? The bits that it carries between two halves of a string, against the string.

Equality of two strings of n bits needs n bits. Right of the crossing some pair of inputs is answered wrongly, whatever
the weights; left of it an error can only be looked for.
"""

import numpy as np
from _picture import BLUE, GREEN, ORANGE, panel

from theorytools.theory.communication.protocol import message_bits

lengths = np.unique(np.geomspace(4, 4096, 40).astype(int)).tolist()
figure, axes, write = panel("Bits that one layer sends, against the bits that equality needs")
axes.loglog(lengths, lengths, color="black", label="needed: n")
for (heads, width, p), colour in zip([(1, 1, 2), (2, 4, 2), (2, 4, 16)], (ORANGE, GREEN, BLUE), strict=True):
    bits = [message_bits(n, p, heads, width) for n in lengths]
    crossing = next(n for n in range(1, 10**5) if message_bits(n, p, heads, width) < n)
    label = f"{heads} × {width} at {p} bits: from n = {crossing}"
    axes.loglog(lengths, bits, color=colour, label=label)
    axes.loglog([crossing], [crossing], "o", color=colour)
axes.set(xlabel="length n of each half", ylabel="bits of the message")
axes.legend(fontsize="small", title="heads × width", title_fontsize="small")
write(__file__)
