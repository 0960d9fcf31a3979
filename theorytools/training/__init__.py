"""Training: trials as values, the store of their results, and the engines that run them."""

from theorytools._lazy import attach

_NAMES = {
    "Experiment": "experiment",
    "InProcess": "executors",
    "ProcessPool": "pool",
    "Protocol": "protocol",
    "Result": "trial",
    "Row": "store",
    "StateInequality": "state_inequality",
    "Store": "store",
    "Summary": "driver",
    "WorkerLost": "work",
    "World": "prompts",
    "canonical": "trial",
    "dask_executor": "executors",
    "drive": "driver",
    "drive_groups": "driver",
    "executor": "executors",
    "run_cell": "search",
    "trained_source": "trained",
    "trial_key": "trial",
    "Sweep": "sweep",
    "SweepRecord": "sweep_record",
    "multiplications": "arithmetic",
    "recorded": "sweep_record",
    "write_sweep_record": "sweep_record",
}
__all__ = sorted(_NAMES)
__getattr__, __dir__ = attach(__name__, _NAMES)
