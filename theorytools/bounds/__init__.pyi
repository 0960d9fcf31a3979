"""Types of the names that theorytools.bounds loads on first use."""

from theorytools.bounds.covering import Step as Step
from theorytools.bounds.covering import attention as attention
from theorytools.bounds.covering import attention_parameters as attention_parameters
from theorytools.bounds.covering import ball as ball
from theorytools.bounds.covering import head as head
from theorytools.bounds.covering import log_covering as log_covering
from theorytools.bounds.covering import product as product
from theorytools.bounds.covering import sparse_attention_parameters as sparse_attention_parameters
from theorytools.bounds.covering import transformer as transformer
from theorytools.bounds.tokens import GaussianTokens as GaussianTokens
from theorytools.bounds.tokens import TwoPointTokens as TwoPointTokens
from theorytools.bounds.tokens import chi_square_tail as chi_square_tail
from theorytools.bounds.tokens import token_failure as token_failure
from theorytools.bounds.tokens import token_radius as token_radius
