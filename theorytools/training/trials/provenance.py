"""Where a number was computed: versions, processor, threads.  Bitwise replay holds only where these are equal."""

from __future__ import annotations

import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any

PACKAGES = ("theorytools", "numpy", "scipy", "torch")
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
    "1",
)


def provenance() -> dict[str, Any]:
    """Return versions, processor, its vector instructions, and the threads of this process.

    Packages are asked for their version and not imported.  ``threads`` is torch's own count once torch is loaded, and
    before that what ``OMP_NUM_THREADS`` says (0: unset).
    """
    torch = sys.modules.get("torch")
    said = os.environ.get("OMP_NUM_THREADS", "")
    threads = int(torch.get_num_threads()) if torch is not None else int(said) if said.isdigit() else 0
    return {**_machine(), "threads": threads}


def device_provenance(device: str) -> dict[str, Any]:
    """Return what a runner adds about its device: its kind, and of an accelerator name, memory and CUDA's version."""
    if device == "cpu":
        return {"device": "cpu"}
    import torch

    about = torch.cuda.get_device_properties(device)
    return {
        "device": device, "device_name": about.name, "device_memory": int(about.total_memory),
        "capability": f"{about.major}.{about.minor}", "cuda": str(torch.version.cuda),
    }  # fmt: skip


@cache
def _machine() -> dict[str, Any]:
    from importlib import metadata  # half of what this module would cost to load

    model, flags = platform.processor() or platform.machine(), set[str]()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, text = line.partition(":")
            if name.strip() == "model name":
                model = text.strip()
            if name.strip() == "flags":
                flags = set(text.split())
                break
    vectors = "AVX512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "default"
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return {"versions": versions, "cpu": model, "vectors": vectors}
