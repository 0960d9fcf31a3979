"""Types of the names that theorytools.claims loads on first use."""

from theorytools.claims.catalogue import Catalogue as Catalogue
from theorytools.claims.catalogue import Entry as Entry
from theorytools.claims.catalogue import find_roots as find_roots
from theorytools.claims.claim import Claim as Claim
from theorytools.claims.claim import Control as Control
from theorytools.claims.grid import Grid as Grid
from theorytools.claims.grid import Point as Point
from theorytools.claims.run import verify as verify
from theorytools.claims.verdict import Outcome as Outcome
from theorytools.claims.verdict import Row as Row
from theorytools.claims.verdict import Verdict as Verdict
