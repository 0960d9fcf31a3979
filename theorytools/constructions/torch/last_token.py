r"""A layer of ``torch.nn`` read at a public last token, as the tables of logits and values that it is.

With a public last token the query :math:`Q_hx` is fixed, so of a ``MultiheadAttention`` or a
``TransformerEncoderLayer`` only two tables matter: at position :math:`j`, for the token :math:`a` with the vector
:math:`z_{j,a}`, and for head :math:`h` of width :math:`w`,

.. math:: \ell_{j,a,h}=w^{-1/2}\langle Q_hx+b_Q,\;K_hz_{j,a}+b_K\rangle,\qquad v_{j,a,h}=V_hz_{j,a}+b_V .

The rest (output projection, residual, norms, feedforward part, the reader's own read-out) is a function of the head
outputs :math:`o_h=\sum_je^{\ell_j}v_j/\sum_je^{\ell_j}`.  A norm before the attention (``norm_first``) acts on each
token by itself and goes into the tables.  The last token attends to itself: it is position ``L``, with one letter.  A
causal mask changes nothing there, as the last token sees all others.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), one-layer lower bounds, arXiv 2406.09347v1; the tables are derived here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Numbers, checked, ranks
from theorytools.constructions.attention.attention_tables import FixedPointTables, MarginTables
from theorytools.constructions.attention.fixed_point import Integers
from theorytools.constructions.shapes import shaped
from theorytools.errors import DomainError
from theorytools.optional import require
from theorytools.tasks.automaton import strings_of

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch")

_SECOND = "values of a second layer depend on the other party's tokens, so its sums do not split"
_ROWS = 1 << 12


@checked
class LastTokenLayer:
    r"""One attention layer of torch over ``L`` tokens and a public last one, read at the last.

    Parameters
    ----------
    layer : ``torch.nn.MultiheadAttention``, ``TransformerEncoderLayer``, or ``TransformerEncoder`` with one layer.
    inputs : what enters the layer for each position and token, position codes included, ``(L, letters, width)``.
    last : what enters it for the public last token, ``(width,)``.
    readout : ``readout(h)``: from the layer's outputs at the last token, a tensor ``(k, width)``, to answers ``(k,)``.

    Attributes
    ----------
    length, letters, heads, width : tokens before the last, alphabet, heads and the width of a head.
    scores, table : logits ``(L + 1, letters, H)`` and values ``(L + 1, letters, H, width)``, in doubles.

    Raises
    ------
    DomainError
        For another module, several layers, keys or values of their own width, added biases, dropout that is on, weights
        that are not finite floats of 32 or 64 bits, and inputs of another shape.

    Examples
    --------
    >>> import torch
    >>> from theorytools import OneLayerProtocol
    >>> from theorytools.theory.communication.matrix import equality
    >>> rng = torch.Generator().manual_seed(0)
    >>> attention = torch.nn.MultiheadAttention(8, 2, dtype=torch.float64)
    >>> _ = [weight.data.normal_(0, 0.4, generator=rng) for weight in attention.parameters()]
    >>> inputs, last = torch.randn(6, 2, 8, generator=rng), torch.randn(8, generator=rng)
    >>> own = LastTokenLayer(attention, inputs, last, lambda h: h[:, 0] > 0)
    >>> tokens = np.array([[0, 1, 1, 0, 1, 1], [1, 1, 1, 0, 0, 0]])
    >>> bool((own.tabled(tokens) == own.execute(tokens)).all())  # the tables are the layer
    True
    >>> protocol = OneLayerProtocol(own.quantised(4), range(3), range(3, 6), public={6: 0})
    >>> report = protocol.report(equality)
    >>> report.messages, report.rows  # more messages than strings: no pair of inputs is forced to one answer
    (8, 8)
    """

    def __init__(
        self, layer: torch.nn.Module, inputs: Numbers | torch.Tensor, last: Numbers | torch.Tensor,
        readout: Callable[[Any], Any],
    ) -> None:  # fmt: skip
        self.layer, self.readout = layer, readout
        self._attention, self._norm_first = _parts(layer)
        first = next(layer.parameters())
        self._place: dict[str, Any] = {"dtype": first.dtype, "device": first.device}
        self.heads, self.width = self._attention.num_heads, self._attention.head_dim
        self._inputs = self._taken("inputs", inputs, ("L", "letters", self._attention.embed_dim))
        self._last = self._taken("last", last, (self._attention.embed_dim,))
        self.length, self.letters = self._inputs.shape[:2]
        with torch.no_grad():
            self.scores, self.table = self._tables()

    def _taken(self, name: str, given: Any, shape: tuple[str | int, ...]) -> torch.Tensor:
        values = given.detach() if isinstance(given, torch.Tensor) else torch.as_tensor(np.asarray(given, dtype=float))
        wanted = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
        fits = values.ndim == len(shape) and all(
            isinstance(size, str) or size == here for size, here in zip(shape, values.shape, strict=True)
        )
        if not fits or values.numel() == 0 or not bool(torch.isfinite(values).all()):
            what = f"{name} of shape {tuple(values.shape)}" if not fits else f"{name} with a number that is not finite"
            raise DomainError(what, required=f"finite numbers {wanted}", why="what enters the layer for each token")
        return values.to(**self._place)

    def _tables(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        last = self._last.expand(1, self.letters, -1)
        entering = torch.cat([self._inputs, last])
        if self._norm_first is not None:
            entering, last = self._norm_first(entering), self._norm_first(last)
        weight = self._attention.in_proj_weight.double()
        bias = self._attention.in_proj_bias
        shifts = torch.zeros(len(weight), **{**self._place, "dtype": torch.float64}) if bias is None else bias.double()
        (Q, K, V), (q, k, v) = weight.chunk(3), shifts.chunk(3)
        query = (last[0, 0].double() @ Q.T + q).unflatten(0, (self.heads, self.width))
        keys, values = (
            (entering.double() @ W.T + b).unflatten(2, (self.heads, self.width)) for W, b in ((K, k), (V, v))
        )
        scores = (keys * query).sum(dim=3) / math.sqrt(self.width)
        return scores.cpu().numpy(), values.cpu().numpy()

    @ranks(tokens=2)
    def outputs(self, tokens: Integers) -> torch.Tensor:
        """Return the module's own outputs at the last token, run on whole inputs in its own type.

        Parameters
        ----------
        tokens : inputs, shape ``(k, L)``.

        Returns
        -------
        tensor : shape ``(k, embed_dim)``.

        Raises
        ------
        DomainError
            For another length or alphabet.
        """
        strings = torch.as_tensor(strings_of(tokens, self.length, self.letters, "tokens"))
        places = torch.arange(self.length)
        parts = []
        with torch.no_grad():
            for part in strings.split(_ROWS):
                entering = self._inputs[places, part.to(self._place["device"])]
                entering = torch.cat([entering, self._last.expand(len(part), 1, -1)], dim=1)
                parts.append(self._run(entering)[:, -1])
        return torch.cat(parts)

    def _run(self, entering: torch.Tensor) -> torch.Tensor:
        turned = entering if self._attention.batch_first else entering.transpose(0, 1)
        if self.layer is self._attention:
            out = self._attention(turned, turned, turned, need_weights=False)[0]
        else:
            out = self.layer(turned)
        return out if self._attention.batch_first else out.transpose(0, 1)

    def execute(self, tokens: Integers) -> NDArray[Any]:
        """Return the answers of the module itself.

        Parameters
        ----------
        tokens : inputs, shape ``(k, L)``.

        Returns
        -------
        array : shape ``(k,)``.
        """
        return self._answers(self.outputs(tokens))

    def _answers(self, h: torch.Tensor) -> NDArray[Any]:
        with torch.no_grad():
            given = self.readout(h)
        answers = given.cpu().numpy() if isinstance(given, torch.Tensor) else np.asarray(given)
        if answers.shape != (len(h),) or answers.dtype.kind not in "biu":
            raise DomainError(
                f"answers of shape {answers.shape} and type {answers.dtype}",
                required=f"({len(h)},), integers or truth values",
                why="answers are compared with the task's",
                advice="let readout decide: h[:, 0] > 0, or scores.argmax(dim=1)",
            )
        return answers

    def rest(self, o: Numbers) -> NDArray[Any]:
        """Return the answers from head outputs ``(k, H, width)``: all of the layer behind its attention, and readout.

        Parameters
        ----------
        o : head outputs.

        Returns
        -------
        array : shape ``(k,)``.
        """
        given = np.asarray(o, dtype=float)
        shaped("o", given, "k", self.heads, self.width)
        heads = torch.as_tensor(given).to(**self._place).flatten(1)
        with torch.no_grad():
            return self._answers(self._behind(self._attention.out_proj(heads)))

    def _behind(self, attended: torch.Tensor) -> torch.Tensor:
        if self.layer is self._attention:
            return attended
        layer: Any = self.layer
        one = layer if isinstance(layer, torch.nn.TransformerEncoderLayer) else layer.layers[0]
        x = self._last + attended
        if one.norm_first:
            x = x + _forward(one, one.norm2(x))
        else:
            x = one.norm1(x)
            x = one.norm2(x + _forward(one, x))
        norm = getattr(self.layer, "norm", None)
        return x if norm is None else norm(x)

    @ranks(tokens=2)
    def tabled(self, tokens: Integers) -> NDArray[Any]:
        """Return the answers by the tables: a softmax over the logits, and the rest of the layer.

        Parameters
        ----------
        tokens : inputs, shape ``(k, L)``.

        Returns
        -------
        array : shape ``(k,)``, the same as :meth:`execute` but where rounding decides.
        """
        strings = strings_of(tokens, self.length, self.letters, "tokens")
        whole = np.concatenate([strings, np.zeros((len(strings), 1), dtype=np.int64)], axis=1)
        places = np.arange(self.length + 1)
        scores = self.scores[places, whole]
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        mean = (weights[..., None] * self.table[places, whole]).sum(axis=1) / weights.sum(axis=1)[..., None]
        return self.rest(mean)

    def quantised(self, p: int) -> FixedPointTables:
        """Return the layer with logits and values rounded to ``p`` bits (semantics E), over ``L + 1`` positions.

        Position ``L`` is the public last token: ``OneLayerProtocol(model, alice, bob, public={L: 0})``.
        """
        return FixedPointTables.quantised(self.scores, self.table, p, self.rest)

    def bounded(self, tau: Any) -> MarginTables:
        """Return the tables at their word with a margin ``tau`` of the answer (semantics R), over ``L + 1`` positions.

        Bob owns the last position too; its letter is 0.
        """
        return MarginTables(self.scores, self.table, tau)


def _forward(one: Any, x: torch.Tensor) -> torch.Tensor:
    return one.linear2(one.activation(one.linear1(x)))  # no dropout is on


def _parts(layer: Any) -> tuple[torch.nn.MultiheadAttention, torch.nn.Module | None]:
    """The attention of a layer, and the norm in front of it; anything but one ordinary layer is refused by name."""
    nn = torch.nn
    if isinstance(layer, nn.TransformerEncoder):
        if len(layer.layers) != 1:
            raise DomainError(f"an encoder of {len(layer.layers)} layers", required="1 layer", why=_SECOND)
        return _parts(layer.layers[0])
    one = isinstance(layer, nn.TransformerEncoderLayer)
    attention: Any = layer.self_attn if one else layer
    if not isinstance(attention, nn.MultiheadAttention):
        raise DomainError(
            f"a module of type {type(layer).__name__}",
            required="MultiheadAttention, TransformerEncoderLayer, or TransformerEncoder with one layer",
            why="logits, values and what follows them are read from the weights",
            advice="FixedPointTables.quantised(logits, values, p, rest) takes any layer's tables",
        )
    random = any(isinstance(m, nn.Dropout) and m.p > 0 for m in layer.modules()) or attention.dropout > 0
    if layer.training and random:
        raise DomainError("dropout that is on", required="a function", why="answers are compared", advice="eval()")
    if attention.in_proj_weight is None or attention.bias_k is not None or attention.add_zero_attn:
        raise DomainError(
            f"{attention} with kdim, vdim, add_bias_kv or add_zero_attn",
            required="keys and values of the inputs' width, nothing added to them",
            why="the sums run over the tokens",
        )
    for name, weights in layer.named_parameters():
        if weights.dtype not in (torch.float32, torch.float64) or not bool(torch.isfinite(weights).all()):
            given = f"{name} of type {weights.dtype}" + (", not finite" if weights.is_floating_point() else "")
            raise DomainError(given, required="finite weights in float32 or float64", why="they are read exactly",
                              advice="layer.float()")  # fmt: skip
    return attention, layer.norm1 if one and layer.norm_first else None
