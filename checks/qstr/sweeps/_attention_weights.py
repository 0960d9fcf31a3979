r"""What a trained attention layer has learned: the block of codes in its query-key product, and what its leakage costs.

The network of :class:`~theorytools.training.networks.SeparateAttention` has the scores
:math:`z_i^\top Mz_j/\sqrt{D_e}`, :math:`M=W_Q^\top W_K`, and terms with the biases.  With
:math:`z_i=(x_i,\omega_i,\omega_{t_i})` the construction lives in one block,

.. math:: V=M[d+d_e:,\;d:d+d_e],\qquad
          \omega_{t}^\top V\omega_j/\sqrt{D_e}=\text{score of position }j\text{ for index }t.

Training is that of the released figure: a fixed sample of prompts of simple-1STR, AdamW, at most so many epochs,
stopped at the first epoch whose mean loss is below the threshold.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Figure 2 and Lemma 11, arXiv 2503.11272v1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from theorytools.errors import DomainError
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.prompts import Batch, World, draw, encode, generator
from theorytools.papers.qstr.training.reference import TEST_BATCH, model, test_set
from theorytools.papers.qstr.training.reference import evaluate as plain_loss
from theorytools.papers.qstr.training.stacks.ensemble import ensemble
from theorytools.training.loop import mean_loss
from theorytools.training.products import fast_products
from theorytools.training.sweep import Results, Spec

from .figure_02 import ARMS

Floats = NDArray[np.float64]
SEEN = 1000  # test prompts on which attention rows are read


def block_metrics(M: Any, codes: Any, d: int) -> dict[str, float]:
    r"""Return how much of ``M`` is a multiple of the identity in the block of codes.

    Parameters
    ----------
    M : the product :math:`W_Q^\top W_K`, shape ``(d + 2 d_e, d + 2 d_e)``, query side first.
    codes : unit codes, shape ``(N, d_e)``.
    d : token dimension.

    Returns
    -------
    dict
        ``energy`` :math:`\lVert V\rVert_F^2/\lVert M\rVert_F^2`; ``transposed``, the same for the block
        :math:`M[d:d+d_e,\,d+d_e:]`; ``cosine`` :math:`\operatorname{tr}V/(\lVert V\rVert_F\sqrt{d_e})`; ``dominance``,
        the mean diagonal over the root mean square of the rest of ``V``; ``gap_min`` and ``gap_median`` over ``t`` of
        :math:`\min_{j\ne t}\omega_t^\top V(\omega_t-\omega_j)/\sqrt{D_e}`; and the numbers of :func:`leakage_costs` for
        the weights :math:`\operatorname{softmax}_j(\omega_t^\top V\omega_j/\sqrt{D_e})`.

    Raises
    ------
    DomainError : shapes that do not fit, ``d_e < 2``, fewer than two codes, or a block that is not finite or zero.
    """
    M, codes = np.asarray(M, dtype=np.float64), np.asarray(codes, dtype=np.float64)
    N, d_e = codes.shape
    D = d + 2 * d_e
    if M.shape != (D, D) or d_e < 2 or N < 2:
        raise DomainError(f"M of shape {M.shape}, codes {codes.shape}, d = {d}", required=f"({D}, {D}), d_e, N >= 2")
    V = M[d + d_e :, d : d + d_e]
    whole, part = float(np.square(M).sum()), float(np.square(V).sum())
    if not (part > 0 and whole < np.inf):
        raise DomainError(f"a block of squared norm {part} in {whole}", required="finite, not zero")
    diagonal = float(np.trace(V)) / d_e
    rest = np.sqrt(max(part - float(np.square(np.diag(V)).sum()), 0.0) / (d_e * (d_e - 1)))
    scores = codes @ V @ codes.T / np.sqrt(D)
    others = np.where(np.eye(N, dtype=bool), -np.inf, scores)
    gaps = np.diag(scores) - others.max(axis=1)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return {
        "energy": part / whole,
        "transposed": float(np.square(M[d : d + d_e, d + d_e :]).sum()) / whole,
        "cosine": float(diagonal * np.sqrt(d_e / part)),
        "dominance": diagonal / float(rest) if rest else float("inf"),
        "gap_min": float(gaps.min()), "gap_median": float(np.median(gaps)),
        "leak_median": float(np.median(1 - np.diag(weights))), "leak_max": float((1 - np.diag(weights)).max()),
        **{f"block_{name}": value for name, value in leakage_costs(np.diag(weights), weights).items()},
    }  # fmt: skip


def block_shares(M: Any, d: int, d_e: int) -> list[list[float]]:
    r"""Return the part of :math:`\lVert M\rVert_F^2` in each of the nine blocks of token, own code, index's code."""
    squares, starts = np.square(np.asarray(M, dtype=np.float64)), [0, d, d + d_e]
    blocks = np.add.reduceat(np.add.reduceat(squares, starts, axis=0), starts, axis=1)
    return (blocks / blocks.sum()).tolist()


def leakage_costs(own: Floats, weights: Floats) -> dict[str, float]:
    r"""Return what leakage costs a linear readout of the attended token, for isotropic tokens and unit labels.

    With the rows :math:`\pi_i`, indexed positions :math:`t_i` and a bar for the mean over rows: ``leak``
    :math:`1-\bar\pi_t`; ``plain`` :math:`\overline{\lVert\pi-e_t\rVert^2}`; ``rescaled``, the least over one scale,
    :math:`1-\bar\pi_t^2/\overline{\lVert\pi\rVert^2}`; ``naive``, at the scale :math:`1/\bar\pi_t=1/(1-L)`;
    ``floor`` :math:`1-\overline{\pi_t^2/\lVert\pi\rVert^2}`, a scale for each row.  For Gaussian tokens and weights
    that do not depend on them the last is the least error of *every* readout, since
    :math:`E(\langle u,x_t\rangle\mid\sum_j\pi_jx_j)` is linear.

    Parameters
    ----------
    own : the weights of the indexed positions, shape ``(rows,)``.
    weights : the rows, shape ``(rows, N)``.
    """
    squares = np.square(weights).sum(axis=-1)
    mean, square = float(own.mean()), float(squares.mean())
    return {
        "leak": 1 - mean,
        "plain": square - 2 * mean + 1,
        "naive": square / mean**2 - 1,
        "rescaled": 1 - mean**2 / square,
        "floor": 1 - float((np.square(own) / squares).mean()),
    }


def seen_attention(module: Any, codes: torch.Tensor, tests: Batch) -> tuple[Floats, Floats]:
    """Return the attention rows ``(B N, N)`` on these prompts, biases and tokens included, and the indexed weights."""
    X, T, _ = tests
    rows = []
    with torch.no_grad():
        for Z in encode(codes, X, T).split(TEST_BATCH):
            rows.append(torch.softmax(module.query(Z) @ module.key(Z).transpose(1, 2) / Z.shape[-1] ** 0.5, -1))
    weights = torch.cat(rows)
    own = weights.gather(2, T[:, :, :1])
    return own.double().numpy().reshape(-1), weights.double().numpy().reshape(-1, weights.shape[-1])


def measured(module: Any, experiment: Experiment, world: World) -> dict[str, Any]:
    """Return all numbers of one network: losses on the test prompts, the block, and the attention that is paid there.

    ``wrong_codes`` is the test loss when every index is encoded by another position's code, one random cycle.
    ``loss_error`` is the standard error of ``loss`` over prompts.
    """
    X, T, y = tests = test_set(experiment, world)
    d, codes = experiment.d, world.codes
    prompts = torch.cat([
        (module(encode(codes, *part[:2])) - part[2]).square().mean(-1).detach()
        for part in zip(*(a.split(TEST_BATCH) for a in tests), strict=True)
    ]).double()  # fmt: skip
    order = torch.randperm(experiment.N, generator=generator(experiment, "wrong codes"))
    cycle = torch.empty_like(order)
    cycle[order] = order.roll(1)
    M = module.query.weight.detach().double().T @ module.key.weight.detach().double()
    seen = leakage_costs(*seen_attention(module, codes, (X[:SEEN], T[:SEEN], y[:SEEN])))
    return {
        **mean_loss(prompts),
        "wrong_codes": plain_loss(module, codes, (X, cycle[T], y)),
        "shares": block_shares(M.numpy(), d, codes.shape[1]),
        **block_metrics(M.numpy(), codes.double().numpy(), d),
        **{f"seen_{name}": value for name, value in seen.items()},
    }


class FixedSample:
    """One repeat's prompts, labels in order or permuted across prompts, and the network trained on them in epochs."""

    def __init__(self, experiment: Experiment, samples: int, device: str = "cpu") -> None:
        self.experiment, self.world, self.device = experiment, World.of(experiment), device
        self.X, self.T, self.y = draw(experiment, self.world, generator(experiment, "train"), samples, simple=True)

    def network(self) -> Any:
        """Return the plain module with the weights that training starts from."""
        return model(self.experiment, generator(self.experiment, "weights"))

    def trained(self, epochs: int, *, shuffled: bool = False, stop: bool = True) -> tuple[Any, int, float]:
        """Return the trained module, the epochs it took, and the mean loss of the last one.

        Parameters
        ----------
        epochs : the most epochs.
        shuffled : permute the labels across prompts.
        stop : end after the first epoch whose mean loss is below the threshold.
        """
        one, count = self.experiment, len(self.y)
        y = self.y[torch.randperm(count, generator=generator(one, "labels"))] if shuffled else self.y
        order, net, loss, done = generator(one, "order"), ensemble([one], [self.world], self.device), float("nan"), 0
        while done < epochs and not (stop and loss < float(one.threshold)):
            total = 0.0
            with fast_products(self.device):
                for part in torch.randperm(count, generator=order).split(one.batch):
                    batch = (a[None, part].to(self.device) for a in (self.X, self.T, y))
                    total += float(net.step(*batch)[0]) * len(part)
            loss, done = total / count, done + 1
        return net.load(0, self.network()), done, loss


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one repeat and yield its arms; the network on shuffled labels trains for as many epochs as the honest one.

    Raises
    ------
    DomainError : trials of several repeats, or an arm missing.
    """
    torch.set_num_threads(1)
    arms = {str(spec["arm"]): dict(spec) for spec in specs}
    common = {tuple(sorted((k, v) for k, v in spec.items() if k != "arm")) for spec in specs}
    if set(arms) != set(ARMS) or len(common) != 1:
        raise DomainError(f"the arms {sorted(arms)} of {len(common)} repeats", required="the three arms of one repeat")
    rest = dict(next(iter(common)))
    samples, epochs = int(rest["samples"]), int(rest["epochs"])
    experiment, took = Experiment.within(rest), 0
    sample = FixedSample(experiment, samples, device)
    for arm in ARMS:
        if arm == "untrained":
            module, done, loss = sample.network(), 0, None
        elif arm == "trained":
            module, took, loss = sample.trained(epochs)
            done = took
        else:
            module, done, loss = sample.trained(took, shuffled=True, stop=False)
        value = {"epochs": done, "train_loss": loss, **measured(module, experiment, sample.world)}
        yield arms[arm], value
