"""One step of five models that read a sequence: what they carry to the next token, as arrays."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(W, x, h, c):
    i, f, o, g = np.split(W["a"] @ x + W["b"] @ h, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return (h := sigmoid(o) * np.tanh(c)), h, c


def gru(W, x, h):
    (r, z, n), (s, u, v) = np.split(W["a"][: 3 * len(x)] @ x, 3), np.split(W["b"][: 3 * len(x)] @ h, 3)
    z = sigmoid(z + u)
    return (h := (1 - z) * np.tanh(n + sigmoid(r + s) * v) + z * h), h


def mamba(W, x, S, window):  # the last 3 tokens wait for the convolution
    seen = np.vstack([window, x])
    u = (W["a"][:4, :] * seen).sum(axis=0)
    step = sigmoid(u)[:, None]
    S = np.exp(-step) * S + step * u[:, None] * W["b"][:16, 0]
    return S @ W["b"][16:32, 0], S, seen[1:]


def linear(W, x, S):
    q, k, v = (part.reshape(4, -1) for part in np.split(W["a"][: 3 * len(x)] @ x, 3))
    S = 0.9 * S + k[:, :, None] * v[:, None]
    return np.einsum("hk,hkv->hv", q, S).ravel(), S


def softmax(W, x, K, V):
    q, k, v = np.split(W["a"][: 3 * len(x)] @ x, 3)
    K, V = np.vstack([K, k]), np.vstack([V, v])
    e = np.exp(K @ q / len(x))
    return e @ V / e.sum(), K, V


models = {  # the step, the tensors before the first token, what state_bits is told
    "lstm": (lstm, lambda m: [np.zeros(m)] * 2, lambda m, N: {"width": m}),
    "gru": (gru, lambda m: [np.zeros(m)], lambda m, N: {"width": m}),
    "mamba": (mamba, lambda m: [np.zeros((m, 16)), np.zeros((3, m))],
              lambda m, N: {"inner": m, "state": 16, "window": 4}),
    "linear_attention": (linear, lambda m: [np.zeros((4, m // 4, m // 4))],
                         lambda m, N: {"heads": 4, "key": m // 4, "value": m // 4}),
    "cache": (softmax, lambda m: [np.zeros((0, m))] * 2, lambda m, N: {"length": N, "width": m}),
}
