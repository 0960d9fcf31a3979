"""Types of the names that theorytools loads on first use."""

from theorytools.algebra.assertion import Assertion as Assertion
from theorytools.algebra.assertion import Quantity as Quantity
from theorytools.algebra.bound import Bound as Bound
from theorytools.algebra.estimate import Budget as Budget
from theorytools.algebra.estimate import Estimate as Estimate
from theorytools.algebra.estimate import Evidence as Evidence
from theorytools.algebra.estimate import Recipe as Recipe
from theorytools.algebra.estimate import enclosed as enclosed
from theorytools.algebra.estimate import enclosed_between as enclosed_between
from theorytools.algebra.estimate import exactly as exactly
from theorytools.algebra.estimate import observed as observed
from theorytools.algebra.slope import curve_slope as curve_slope
from theorytools.algebra.symbol import letter as letter
from theorytools.claims.catalogue import Catalogue as Catalogue
from theorytools.claims.claim import Claim as Claim
from theorytools.claims.claim import Control as Control
from theorytools.claims.grid import grid as grid
from theorytools.claims.grid import points as points
from theorytools.claims.judge import judge as judge
from theorytools.claims.run import verify as verify
from theorytools.claims.verdict import Outcome as Outcome
from theorytools.claims.verdict import Verdict as Verdict
from theorytools.errors import BudgetError as BudgetError
from theorytools.errors import CertificateError as CertificateError
from theorytools.errors import CheckError as CheckError
from theorytools.errors import DomainError as DomainError
from theorytools.errors import TheoryError as TheoryError
from theorytools.errors import TruthValueError as TruthValueError
from theorytools.errors import UndecidedError as UndecidedError
from theorytools.errors import UnexpectedVerdictError as UnexpectedVerdictError
from theorytools.numbers.enclosure import Enclosure as Enclosure

__version__: str
