"""Types of the names that theorytools.training loads on first use."""

from theorytools.training.arithmetic import multiplications as multiplications
from theorytools.training.experiment import Experiment as Experiment
from theorytools.training.prompts import World as World
from theorytools.training.protocol import Protocol as Protocol
from theorytools.training.record import SweepRecord as SweepRecord
from theorytools.training.record import recorded as recorded
from theorytools.training.record import write_sweep_record as write_sweep_record
from theorytools.training.search import run_cell as run_cell
from theorytools.training.state_inequality import StateInequality as StateInequality
from theorytools.training.sweep import Sweep as Sweep
from theorytools.training.trained import trained_source as trained_source
from theorytools.training.trials.driver import Summary as Summary
from theorytools.training.trials.driver import drive as drive
from theorytools.training.trials.driver import drive_groups as drive_groups
from theorytools.training.trials.executors import InProcess as InProcess
from theorytools.training.trials.executors import dask_executor as dask_executor
from theorytools.training.trials.executors import executor as executor
from theorytools.training.trials.pool import ProcessPool as ProcessPool
from theorytools.training.trials.store import Row as Row
from theorytools.training.trials.store import Store as Store
from theorytools.training.trials.trial import Result as Result
from theorytools.training.trials.trial import canonical as canonical
from theorytools.training.trials.trial import trial_key as trial_key
from theorytools.training.trials.work import WorkerLost as WorkerLost
