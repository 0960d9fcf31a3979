"""``doctor``: what a verdict depends on, and whether it is fit for use here."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from theorytools.cli.answers import answer
from theorytools.cli.formats import INFRASTRUCTURE, hanging
from theorytools.optional import EXTRAS, installed, require
from theorytools.progress import talking


def examine_machine(checks: Path | None, as_json: bool, deep: bool = False) -> int:
    """Print versions, threads, processor, rigorous arithmetic and the catalogue; 4 if one is unfit.

    ``deep`` also imports torch and the solvers, where they are installed, and solves a program.
    """
    from theorytools.claims.judging.versions import versions

    facts: dict[str, Any] = {"versions": versions(), "machine": _machine()}
    probes: dict[str, Callable[[], str]] = {
        "rigorous arithmetic": _rigorous,
        "catalogue": lambda: _catalogue(checks),
        "linear programs": lambda: _extra("cvxpy", _solvers, deep),
        "torch": lambda: _extra("torch", _torch, deep),
    }
    problems = []
    facts["probes"] = {}
    for name, probe in probes.items():
        try:
            with talking():
                facts["probes"][name] = {"fit": True, "found": probe()}
        except Exception as error:
            facts["probes"][name] = {
                "fit": False,
                "found": f"{type(error).__name__}: {error}".replace("\n", "; "),
            }
            problems.append(name)
    code = INFRASTRUCTURE if problems else 0
    if as_json:
        answer("doctor", facts, code)
    else:
        for name, version in facts["versions"].items():
            print(hanging(f"{name:<20} ", str(version)))
        for name, value in facts["machine"].items():
            print(hanging(f"{name:<20} ", str(value)))
        for name, result in facts["probes"].items():
            print(hanging(f"{name:<20} ", f"{'ok' if result['fit'] else 'UNFIT'}: {result['found']}"))
    return code


def _machine() -> dict[str, Any]:
    model = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return {
        "platform": platform.platform(), "processor": model or platform.processor() or platform.machine(),
        "cores": os.cpu_count(), "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "unset"),
        "git": shutil.which("git") or "not found",
    }  # fmt: skip


def _rigorous() -> str:
    """The balls must contain e, and a power of a ball around zero must stay a number."""
    from theorytools.numbers import Enclosure, at_precision, ipow, union

    e = at_precision(256, lambda: Enclosure(1).exp())
    if not (e.contains(2.718281828459045) is False and e.lower < 2.7182818284590455 and e.upper > 2.718281828459045):
        raise ArithmeticError(f"exp(1) enclosed as {e}")
    square = ipow(union([-1, 1]), 2)
    if not (square.lower == 0 and square.upper >= 1):
        raise ArithmeticError(f"[-1, 1]^2 enclosed as {square}")
    return "python-flint balls enclose e at 256 bits; powers of balls around zero are finite"


def _extra(package: str, probe: Callable[[], str], deep: bool) -> str:
    """An optional package: that it is missing is no fault, that it does not work is one."""
    if not installed(package):
        return f"not installed; pip install 'theorytools[{EXTRAS[package]}]' brings it"
    return probe() if deep else "installed; --deep imports and tries it"


def _solvers() -> str:
    """Solve max x, x <= 3 with HIGHS; a status is not evidence, so the value is compared."""
    cvxpy = require("cvxpy")
    x = cvxpy.Variable()
    problem = cvxpy.Problem(cvxpy.Maximize(x), [x <= 3])
    problem.solve(solver="HIGHS")
    if x.value is None or abs(float(x.value) - 3) > 1e-9:
        raise ArithmeticError(f"HIGHS gave {x.value} for max x, x <= 3")
    return ", ".join(sorted(cvxpy.installed_solvers()))


def _torch() -> str:
    import torch

    cuda = f"CUDA {torch.cuda.get_device_name(0)}" if torch.cuda.is_available() else "no CUDA device (none is needed)"
    return f"{torch.get_num_threads()} threads, {torch.backends.cpu.get_cpu_capability()}, {cuda}"


def _catalogue(checks: Path | None) -> str:
    from theorytools.claims.papers.catalogue import Catalogue, find_roots

    catalogue = Catalogue(find_roots(checks))
    broken = [e.id for e in catalogue.entries if e.error]
    if broken:
        raise ValueError(f"checks that cannot be read: {', '.join(broken)}")
    return f"{len(catalogue.entries)} claims of {len(catalogue.papers)} papers in {catalogue.places}"
