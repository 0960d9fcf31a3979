r"""Multiplications of one training prompt, by closed form: what a sample costs, whatever the machine."""

from __future__ import annotations

from theorytools.arguments.checked import checked
from theorytools.training.experiment import Experiment


@checked
def multiplications(experiment: Experiment) -> int:
    r"""Return the multiplications of one prompt's forward pass; a training step takes three times as many.

    With :math:`D=D_e`, width :math:`w` and :math:`H` heads:

    * ``transformer``: :math:`N(4HD^2+2HND+wD+w)`; ``merged``: :math:`N(HD^2+2HND+wHD+w)`;
    * ``ffn``: :math:`ND\cdot Ndq+Ndq\cdot w+wN`;
    * recurrent, :math:`g=3,4,1` gates for GRU, LSTM, ReLU: :math:`2N\,gw(D+w)+2Nw`.
    """
    e, N, D, w, H = experiment, experiment.N, experiment.D_e, experiment.width, experiment.heads
    if e.architecture == "transformer":
        return N * (4 * H * D**2 + 2 * H * N * D + w * D + w)
    if e.architecture == "merged":
        return N * (H * D**2 + 2 * H * N * D + w * H * D + w)
    if e.architecture == "ffn":
        first = N * e.d * e.q
        return N * D * first + first * w + w * N
    gates = {"gru": 3, "lstm": 4, "rnn": 1}[e.architecture]
    return 2 * N * gates * w * (D + w) + 2 * N * w
