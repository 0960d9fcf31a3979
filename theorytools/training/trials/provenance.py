"""Where a number was computed: versions, processor, threads.  Bitwise replay holds only where these are equal."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

DIRTY = "-dirty"  # ends the commit of code that no commit holds
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


def described(folder: Path) -> str:
    """Return the commit that a folder is at, with ``-dirty`` where files differ from it; empty where there is none.

    Records are no code: what was recorded before does not make a tree dirty.  A folder that is yet to be made is at the
    commit of the nearest one above it.
    """
    place = folder.absolute()
    there = next(one for one in (place, *place.parents) if one.is_dir())
    commit = git(there, "rev-parse", "HEAD")
    code = (":(top)", ":(top,exclude,glob)**/records/**")
    changed = commit and git(there, "status", "--porcelain", "--untracked-files=no", "--", *code) != ""
    return f"{commit or ''}{DIRTY if changed else ''}"


@cache  # code that was loaded stays as it is, whatever is committed while it runs
def commit_of_code(runner: str) -> str:
    """Return :func:`described` of the folder where a runner stands, the library's for ``module:function``."""
    module = runner.rpartition(":")[0]
    return described(Path(module).parent if module.endswith(".py") else Path(__file__).parents[2])


def git(folder: Path, *words: str) -> str | None:
    """Return what git says in a folder, or None where it says nothing: no repository, no git, another failure."""
    try:
        done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
