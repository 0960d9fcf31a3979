r"""The test prompts of a cell: whether a member's test loss is below the threshold, from as few of them as will tell.

The rule is that of the plain loop: a member is done when its loss on the *whole* test set is below the threshold.
Most evaluations are far above it, and a part of the test set tells.  Four numbers of every test prompt are known for
the whole set without an evaluation now: its loss at the last full evaluation, and, averaged over its positions,
:math:`y^2`, :math:`y\bar v` and :math:`\bar v^2`, with the labels :math:`y` and the mean :math:`\bar v` of what its
tokens would contribute to one.  The last three span the losses of all predictions :math:`\alpha y+\beta\bar v`, and a
network that has yet to find its token predicts much like :math:`\beta\bar v`.  With these controls
:math:`b\in\mathbb R^4` and the losses :math:`\ell` of the first prompts :math:`S` now,

.. math:: \hat\ell=\bar\ell_S+\langle c,\bar b-\bar b_S\rangle=\frac1{|S|}\sum_{i\in S}g_i\ell_i,\qquad
          \operatorname{se}^2=\frac1{|S|^2}\sum_{i\in S}\Bigl(\frac{g_ie_i}{1-h_i}\Bigr)^2\Bigl(1-\frac{|S|}n\Bigr),

with the regression coefficients :math:`c`, residuals :math:`e`, leverages :math:`h` and the weights :math:`g` that the
first sum is: a residual divided by :math:`1-h_i` is what the regression without that prompt leaves, so a few prompts
with large labels do not look predicted because they were fitted.  A member whose :math:`\hat\ell` is 3.5 standard
errors above the threshold (for :math:`\nu` degrees of freedom, :math:`z+(z^3+z)/4\nu` of them, the quantile of
Student's law to first order) is not there yet; one that is undecided sees more test prompts, as many as are likely to
tell, and in the end all.  "Reached" is only ever said on the full set.

A wrong "not yet" is possible only at a check at which the loss is below the threshold, and delays the end to the next
one.  It is likeliest with the threshold just above the loss.  For normal errors a look says it there with probability
2.3e-4, and a check has at most ten looks: 2.3e-3.  Losses are not normal, and for them this bound is observed and not
proved.  ``tests/training/test_judged_prompts.py`` draws random orders of test prompts with the threshold just above the
loss: a Transformer, a feed-forward and a recurrent network stay within the bound; a loss that is concave in a control
with heavy tails exceeds it, since a part without the tail cannot show that its line bends; and with residuals that are
not divided by :math:`1-h_i` wrong answers are more frequent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from theorytools.papers.qstr.training.costs import LARGE
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.prompts import Batch, World, labels
from theorytools.papers.qstr.training.reference import test_set
from theorytools.papers.qstr.training.stacks.stacked import Stacked

FIRST, SOME, LAST = 64, 400, 2000  # test prompts of the first part, of a part that is trusted, and where the parts end
ERRORS = 3.5
RANK = 1e-8  # of controls between -1 and 1: a combination whose squares sum to less of the largest is left out
ALONE = 1e-4  # 2000 products are summed to within 2000 2^-53 = 2.2e-13, so with RANK a leverage errs by 2.2e-5 at most


class Tests:
    """The test sets of the members, with what is known of every prompt.

    Parameters
    ----------
    batches : one test set for each member.
    device : where the prompts live; what is known of them stays with the host.
    known : numbers of every prompt, doubles ``(M, size, k)``, that losses may be regressed on; by default the mean
        square of its labels.

    Attributes
    ----------
    tested : test prompts of each member that were evaluated so far.
    controls : for every prompt its loss at the last full evaluation, none yet, and what else is known.
    """

    def __init__(self, batches: Sequence[Batch], device: str, known: torch.Tensor | None = None) -> None:
        self.X, self.T, self.y = (torch.stack([b[k] for b in batches]).to(device) for k in range(3))
        if known is None:
            known = torch.stack([b[2] for b in batches]).double().square().mean(-1, keepdim=True)
        self.restart(torch.cat([torch.zeros_like(known[..., :1]), known], -1))
        self.tested = [0] * len(batches)

    @classmethod
    def of(cls, experiments: Sequence[Experiment], worlds: Sequence[World], device: str = "cpu") -> Tests:
        """Draw the test sets of a cell; of their prompts is known what the tokens would contribute to a label."""
        batches, known = [], []
        for one, world in zip(experiments, worlds, strict=True):
            X, T, y = test_set(one, world)
            itself = torch.arange(one.N)[None, :, None].expand(len(X), -1, 1)
            v, z = labels(one, world, X, itself).double().mean(1), y.double()
            batches.append((X, T, y))
            known.append(torch.stack([z.square().mean(1), z.mean(1) * v, v.square()], 1))
        return cls(batches, device, torch.stack(known))

    def restart(self, controls: torch.Tensor) -> None:
        """Take these controls, with their means."""
        self.controls, self.means = controls, controls.mean(1)

    def keep(self, left: Sequence[int]) -> None:
        """Keep these members' test sets."""
        self.tested = [self.tested[k] for k in left]
        index = torch.tensor(list(left), device=self.X.device)
        self.X, self.T, self.y = (A[index] for A in (self.X, self.T, self.y))
        self.restart(self.controls[list(left)])

    def losses(self, ensemble: Stacked, members: list[int], start: int, stop: int) -> torch.Tensor:
        """Return, on the host, the losses ``(m, stop - start)`` of some members on the test prompts from ``start``."""
        every = len(members) == ensemble.members
        large = ensemble.flat.numel() > LARGE * ensemble.members
        if not every and len(members) > 1 and large and self.X.device.type == "cpu":
            return torch.cat([self.losses(ensemble, [k], start, stop) for k in members])
        for k in members:
            self.tested[k] += stop - start
        parts = []
        for low in range(start, stop, ensemble.block):
            cut = slice(low, min(low + ensemble.block, stop))
            X, T, y = (A[ensemble.rows(None if every else members), cut] for A in (self.X, self.T, self.y))
            parts.append(ensemble.losses(X, T, y, None if every else members))
        return torch.cat(parts, 1).cpu()

    def below(self, ensemble: Stacked, threshold: float, *, full: bool = False) -> dict[int, float]:
        """Return the members whose loss on the whole test set is below the threshold, with that loss.

        A member of which a test prompt's loss is not finite is there too, with the loss NaN: it has diverged.
        """
        size, found = self.X.shape[1], dict[int, float]()
        open_, seen, stop = list(range(ensemble.members)), self.y[:, :0, 0].cpu(), size if full else FIRST
        while stop < size and open_:
            seen = torch.cat([seen, self.losses(ensemble, open_, seen.shape[1], stop)], 1)
            lost = [k for k, sound in zip(open_, seen.isfinite().all(1).tolist(), strict=True) if not sound]
            if lost:
                found |= dict.fromkeys(lost, math.nan)
                seen, open_ = seen[[k not in lost for k in open_]], [k for k in open_ if k not in lost]
                if not open_:
                    break
            above, needed = self._judge(seen, open_, threshold)
            whole = [stop >= LAST or (stop >= SOME and need > size / 2) for need in needed]
            ready = [k for k in range(len(open_)) if whole[k] and not above[k]]
            found |= self._finish(ensemble, [open_[k] for k in ready], seen[ready], threshold)
            rest = [k for k in range(len(open_)) if not (whole[k] or above[k])]
            open_, seen = [open_[k] for k in rest], seen[rest]
            likely = min((needed[k] for k in rest), default=0.0)
            stop = round(min(max(1.25 * likely, 1.5 * stop), 4 * stop, size))
        return found | self._finish(ensemble, open_, seen, threshold)

    def _finish(self, ensemble: Stacked, members: list[int], seen: torch.Tensor, threshold: float) -> dict[int, float]:
        """Evaluate what these members have not seen; return those below the threshold or diverged."""
        if not members:
            return {}
        losses = torch.cat([seen, self.losses(ensemble, members, seen.shape[1], self.X.shape[1])], 1).double()
        self.controls[members, :, 0], self.means[members, 0] = losses, losses.mean(1)
        means = losses.mean(1).tolist()
        return {k: mean if math.isfinite(mean) else math.nan for k, mean in zip(members, means, strict=True)
                if mean < threshold or not math.isfinite(mean)}  # fmt: skip

    def _judge(self, seen: torch.Tensor, members: list[int], threshold: float) -> tuple[list[bool], list[float]]:
        """Return for each member whether it is surely above the threshold, and how many prompts would tell."""
        size, s, l = self.X.shape[1], seen.shape[1], seen.double()
        b = self.controls[members, :s]
        scale = b.abs().amax(1, keepdim=True)
        scale[scale == 0] = 1
        b = b / scale
        mean, means = l.mean(1), b.mean(1)
        l_0, b_0 = (l - mean[:, None])[:, :, None], b - means[:, None]
        gap = (self.means[members] / scale[:, 0] - means)[:, :, None]
        maps = b_0 @ torch.linalg.pinv(b_0.mT @ b_0, hermitian=True, rtol=RANK)
        c = maps.mT @ l_0
        above = (mean + (gap.mT @ c)[:, 0, 0] - threshold).nan_to_num(0.0)  # losses near overflow: all prompts tell
        weight, leverage = 1 + s * (maps @ gap)[:, :, 0], 1 / s + (maps * b_0).sum(2)
        residual = left_out((l_0 - b_0 @ c)[:, :, 0], leverage)
        deviation = (weight * residual).square().mean(1).sqrt().nan_to_num(math.inf, math.inf)
        errors = ERRORS + (ERRORS**3 + ERRORS) / (4 * (s - 1 - b.shape[2]))
        surely = above > errors * deviation * ((1 / s) * (1 - s / size)) ** 0.5
        needed = (errors * deviation / above.clamp_min(1e-9)).square()
        return surely.tolist(), (1 / (1 / needed + 1 / size)).tolist()


def left_out(residuals: torch.Tensor, leverages: torch.Tensor) -> torch.Tensor:
    """Return what the regressions without a prompt leave of it; infinite where nothing else tells its coefficient."""
    rest = 1 - leverages
    return torch.where(rest > ALONE, residuals / rest, math.inf)
