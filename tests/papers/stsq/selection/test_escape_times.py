"""The time at which the simulated flow has half of the loss of predicting 0, against the values read."""

import numpy as np
import pytest

from theorytools.papers.stsq.selection.flow import SelectionFlow


def half_loss_time(T, q, d, d_e, top):
    """Return the first crossing of d/(2q), on a grid of relative width 0.0002."""
    times = top * np.exp(np.arange(-16000, 1) * 2e-4)
    loss = SelectionFlow(T, q, d, d_e).simulate(times, rtol=1e-9)["loss"]
    return times[np.argmax(loss <= d / (2 * q))]


@pytest.mark.parametrize(("T", "q", "d", "d_e", "time"), [
    (20, 3, 5, 64, 99.7), (64, 4, 8, 128, 377), (200, 3, 10, 200, 1311), (20, 1, 5, 20, 38.9),
])  # fmt: skip
def test_between_the_leading_terms_for_long_encodings(T, q, d, d_e, time):
    found = half_loss_time(T, q, d, d_e, d_e * T / (2 * d))
    assert found == pytest.approx(time, rel=2e-3)  # three digits were read
    assert d_e * T / (4 * d) < found < d_e * T / (2 * d)


@pytest.mark.parametrize(("T", "q", "d", "d_e", "time"), [(20, 3, 64, 5, 4.67), (64, 4, 64, 64, 51.6)])
def test_later_than_both_for_short_encodings(T, q, d, d_e, time):
    """The scale lags behind the attention where d_e is not large against d: no theorem without that condition."""
    found = half_loss_time(T, q, d, d_e, 8 * d_e * T / d)
    assert found == pytest.approx(time, rel=2e-3)
    assert found > d_e * T / (2 * d)
