"""Types of the names that theorytools.training loads on first use."""

from theorytools.training.arithmetic import multiplications as multiplications
from theorytools.training.driver import Summary as Summary
from theorytools.training.driver import drive as drive
from theorytools.training.driver import drive_groups as drive_groups
from theorytools.training.executors import InProcess as InProcess
from theorytools.training.executors import dask_executor as dask_executor
from theorytools.training.executors import executor as executor
from theorytools.training.experiment import Experiment as Experiment
from theorytools.training.pool import ProcessPool as ProcessPool
from theorytools.training.prompts import World as World
from theorytools.training.protocol import Protocol as Protocol
from theorytools.training.search import run_cell as run_cell
from theorytools.training.state_inequality import StateInequality as StateInequality
from theorytools.training.store import Row as Row
from theorytools.training.store import Store as Store
from theorytools.training.sweep import Sweep as Sweep
from theorytools.training.sweep_record import SweepRecord as SweepRecord
from theorytools.training.sweep_record import recorded as recorded
from theorytools.training.sweep_record import write_sweep_record as write_sweep_record
from theorytools.training.trained import trained_source as trained_source
from theorytools.training.trial import Result as Result
from theorytools.training.trial import canonical as canonical
from theorytools.training.trial import trial_key as trial_key
from theorytools.training.work import WorkerLost as WorkerLost
