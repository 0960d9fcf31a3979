"""Bits that recurrent networks carry from one token to the next, all tensors counted, against what a task needs."""

from __future__ import annotations

from theorytools.arguments.checked import checked
from theorytools.arguments.values import checked_integer
from theorytools.errors import DomainError

_WHY_BITS = "numbers carried to the next token times bits of a number"


_SIZES = {"lstm": ("width",), "gru": ("width",), "rnn": ("width",), "mamba": ("inner", "state", "window"),
          "linear_attention": ("heads", "key", "value"), "cache": ("length", "width")}  # fmt: skip


@checked
def state_bits(model: str, *, bits: int = 32, layers: int = 1, **sizes: int) -> int:
    r"""Return the bits of a state.

    LSTM :math:`2\ell w\,b`; GRU and plain RNN :math:`\ell w\,b`; Mamba
    :math:`\ell(d_{in}d_{state}+d_{in}(d_{conv}-1))b`; RetNet and linear attention :math:`\ell Hd_kd_vb`; the cache of
    keys and values of a Transformer :math:`2\ell Lm\,b`, which grows with the length.

    Parameters
    ----------
    model : ``lstm``, ``gru``, ``rnn`` (sizes: ``width``), ``mamba`` (``inner``, ``state``, ``window``),
        ``linear_attention`` (``heads``, ``key``, ``value``), ``cache`` (``length``, ``width``).
    bits : of one number.
    layers : number of layers.

    Returns
    -------
    int : bits.

    Raises
    ------
    DomainError
        For an unknown model, other sizes than it has, or a size below 1.

    Examples
    --------
    >>> state_bits("lstm", width=64), state_bits("cache", length=400, width=64)
    (4096, 1638400)
    """
    if model not in _SIZES or set(sizes) != set(_SIZES[model]):
        required = "; ".join(f"{name}: {', '.join(wanted)}" for name, wanted in _SIZES.items())
        raise DomainError(f"{model!r} with {', '.join(sizes) or 'no sizes'}", required=required, why=_WHY_BITS)
    for name, value in {"bits": bits, "layers": layers, **sizes}.items():
        checked_integer(name, value, least=1, why=_WHY_BITS)
    if model == "mamba":
        carried = sizes["inner"] * (sizes["state"] + sizes["window"] - 1)
    else:
        carried = 2 if model in ("lstm", "cache") else 1
        for value in sizes.values():
            carried *= value
    return layers * carried * bits
