"""Training: trials as values, the store of their results, and the engines that run them."""

from theorytools._lazy import attach

_NAMES = {
    "Experiment": "experiment",
    "InProcess": "trials.executors",
    "ProcessPool": "trials.pool",
    "Protocol": "protocol",
    "Result": "trials.trial",
    "Row": "trials.store",
    "StateInequality": "state_inequality",
    "Store": "trials.store",
    "Summary": "trials.driver",
    "WorkerLost": "trials.work",
    "World": "prompts",
    "canonical": "trials.trial",
    "dask_executor": "trials.executors",
    "drive": "trials.driver",
    "drive_groups": "trials.driver",
    "executor": "trials.executors",
    "run_cell": "search",
    "trained_source": "trained",
    "trial_key": "trials.trial",
    "Sweep": "sweep",
    "SweepRecord": "record",
    "multiplications": "arithmetic",
    "recorded": "record",
    "write_sweep_record": "record",
}
__all__ = sorted(_NAMES)
__getattr__, __dir__ = attach(__name__, _NAMES)
