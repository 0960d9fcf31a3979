"""Questions as functions: ``verify``, ``judge`` and ``falsify``, and answers that a notebook shows whole."""
