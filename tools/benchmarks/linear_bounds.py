r"""Optimised linear relaxations of a layer of attention, as the tools of the CROWN family make them.

For a query at position i that asks for t, the odds of position j are the exponential of
:math:`\langle q_i,k_j-k_t\rangle`.  Each of the products is between planes (McCormick 1976), here from above by

.. math:: qw\le\alpha(q^+w+w^-q-q^+w^-)+(1-\alpha)(q^-w+w^+q-q^-w^+),\qquad 0\le\alpha\le1 ,

and the sum of the planes is a linear function of the tokens and codes, whose largest value over the class is known.
Coefficients of one token add up before their absolute values are taken, which plain intervals do not see.  Every
:math:`\alpha` gives a bound; they are optimised for each triple by projected descent (Xu et al. 2021, arXiv
2011.13824).  There is no ReLU in a score, so there is nothing to branch on.  What arrives at the read-out is the value
at position t and, at most the weight outside it times, a difference of values; each ReLU is between its chord and one
of its two lines (Zhang et al. 2018, arXiv 1811.00866), and the label is subtracted before the linear function is
bounded.  Rounding is neglected.

This is our own writing of the method for this one layer.  The library auto_LiRPA, which bounds whole networks, is run
by ``auto_lirpa_bounds.py`` where it is installed.
"""

import numpy as np
import torch

from tools.benchmarks.interval_bounds import boxes, linear

STEPS, RATE = 20, 0.3
SETTINGS = (0, 1, 2, 5, 10, 20, 50)  # steps that are tried
WITHIN = 1.05  # of the best bounds; asked for a thousandth, 50 steps would be timed that gain three hundredths


def linear_bounds(layer, tokens, steps=STEPS):
    """Bounds of the weight outside the indexed position and of the label's error, for one head and one index."""
    scale = (layer.raw["query.weight"].shape[1]) ** -0.25  # of queries and of keys
    maps = (np.column_stack([layer.raw[f"{n}.weight"], layer.raw[f"{n}.bias"]]) for n in ("query", "key"))
    query, key = (torch.as_tensor(scale * m) for m in maps)
    values, deltas, errors = linear(layer.units[0].mid, *boxes(layer, tokens)), [], []
    for t in range(layer.N):
        odds = torch.exp(_scores(query, key, torch.as_tensor(layer.codes), t, layer.d, tokens.radius, steps))
        odds[:, t] = 0
        sums = odds.sum(1)
        deltas.append(float((sums / (1 + sums)).max()))
        errors.append(_error(layer, values, t, deltas[-1], tokens.radius))
    return {"delta": max(deltas), "error": max(errors)}


def best_setting(layer, tokens):
    """The fewest steps whose bounds are within a twentieth of the best of all settings, and those best bounds."""
    found = {steps: linear_bounds(layer, tokens, steps) for steps in SETTINGS}
    best = {name: min(bounds[name] for bounds in found.values()) for name in ("delta", "error")}
    near = (steps for steps, bounds in found.items() if all(bounds[name] <= WITHIN * best[name] for name in best))
    return next(near), best


def _error(layer, values, t, leak, radius):
    """A bound of output minus label where position ``t`` is asked for and has weight at least ``1 - leak``."""
    token, own, slot, one = (layer.unit_block(0, part).mid for part in (-1, 0, 1, 2))
    fixed, indices = own @ layer.codes[t] + one[:, 0], slot @ layer.codes.T  # (m,), (m, N)
    others = [np.delete(end, t, 0) for end in values]
    stray = leak * (others[0].min(0) - values[1][t]).clip(max=0), leak * (others[1].max(0) - values[0][t]).clip(min=0)
    spread = radius * np.abs(token).sum(1)
    low, high = fixed - spread + indices.min(1) + stray[0], fixed + spread + indices.max(1) + stray[1]
    chord = np.where(low >= 0, 1, np.where(high <= 0, 0, high / np.maximum(high - low, 1e-300)))
    lift, line = np.where((low < 0) & (high > 0), -chord * low, 0), np.where(low >= 0, 1, (high > 0) & (high > -low))
    ends = []
    for sign in (1, -1):  # the largest output minus label, and the largest label minus output
        w = sign * layer.last
        on, constant = np.where(w > 0, w * chord, w * line), (w.clip(min=0) * lift).sum() + sign * layer.shift
        reached = radius * np.abs(on @ token - sign * layer.u).sum() + (on @ indices).max()
        ends.append(constant + on @ fixed + reached + np.maximum(on * stray[0], on * stray[1]).sum())
    return float(max(ends))


def _scores(query, key, codes, t, d, radius, steps):
    """Upper bounds ``(N, N)``, query first, of the differences of score to position ``t``, which the query asks for."""
    N, k = codes.shape
    own, slot = slice(d, d + k), slice(d + k, d + 2 * k)
    x_q, x_k, e_k = query[:, :d], key[:, :d], key[:, slot]  # what tokens and the indices of keys bring in
    fixed_q = codes @ query[:, own].T + codes[t] @ query[:, slot].T + query[:, -1]
    fixed_k = codes @ key[:, own].T
    difference = fixed_k - fixed_k[t]  # the constant cancels
    spread = radius * x_q.abs().sum(1)
    q = fixed_q - spread, fixed_q + spread  # (N, m)
    indices = codes @ e_k.T
    reach = 2 * radius * x_k.abs().sum(1) + indices.amax(0) - indices.amin(0)
    w = difference - reach, difference + reach
    here, asked = torch.eye(N, dtype=codes.dtype), torch.zeros(N, 1, dtype=codes.dtype)
    asked[t] = 1

    def bound(alpha):  # (N, N, m)
        beta = 1 - alpha
        on_w = alpha * q[1][:, None] + beta * q[0][:, None]
        on_q = alpha * w[0] + beta * w[1]
        constant = (alpha * q[1][:, None] * w[0] + beta * q[0][:, None] * w[1]).sum(2)
        fixed = (on_w * difference).sum(2) + (on_q * fixed_q[:, None]).sum(2) - constant
        ask, take = on_q @ x_q, on_w @ x_k  # (N, N, d): on the query's token, on that of key j, minus that of key t
        same_j, same_t = here[..., None], asked[:, None]
        first = (ask + same_j * take - same_t * take).abs()
        others = (1 - same_j) * take.abs() + (1 - same_t) * take.abs()
        of_indices = on_w @ e_k @ codes.T  # free in key j and key t, unless one of them is the query's token
        most = torch.where(here > 0, of_indices[..., t], of_indices.amax(2))
        least = torch.where(asked > 0, of_indices[..., t], of_indices.amin(2))
        return fixed + radius * (first + others).sum(2) + most - least

    alpha = torch.full((N, N, query.shape[0]), 0.5, dtype=codes.dtype)
    best = bound(alpha)
    for step in range(steps):
        alpha.requires_grad_(True)
        (slope,) = torch.autograd.grad(bound(alpha).sum(), alpha)
        size = slope.abs().amax(2, keepdim=True).clamp_min(1e-300)
        alpha = (alpha.detach() - RATE * (1 - step / steps) * slope / size).clamp(0, 1)
        best = torch.minimum(best, bound(alpha))
    return best
