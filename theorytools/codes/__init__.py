r"""Position codes: unit vectors :math:`\omega_1,\dots,\omega_N` whose inner products are known exactly.

Every code answers the protocol :class:`Code`.  Sign codes (:class:`SignCode`, :class:`LinearCode`,
:class:`BCHCode`) have entries :math:`\pm d_e^{-1/2}`; :class:`EquiangularCode` and :class:`GramCode` are
given by a rational Gram matrix.
"""

from theorytools._lazy import attach

_NAMES = {
    "BCHCode": "bch",
    "Code": "protocol",
    "EquiangularCode": "equiangular",
    "GramCode": "gram",
    "LinearCode": "linear",
    "SignCode": "signs",
    "bch": "bch",
    "binary_index": "families",
    "e8_roots": "families",
    "expected_violations": "dimensions",
    "family": "named",
    "hadamard": "families",
    "hoeffding_dimension": "dimensions",
    "mixture": "mixture",
    "orthonormal": "equiangular",
    "rademacher": "families",
    "reed_muller": "families",
    "simplex": "equiangular",
    "smallest_dimension": "dimensions",
    "subcode": "selected",
    "threshold_dimension": "dimensions",
    "Encodings": "encodings",
    "exact_encodings": "encodings",
    "gaussian_encodings": "encodings",
    "moment_curve": "encodings",
    "named_encodings": "encodings",
    "orthonormal_encodings": "encodings",
    "sign_encodings": "encodings",
    "stochastic_encodings": "encodings",
}
__all__ = sorted(_NAMES)
__getattr__, __dir__ = attach(__name__, _NAMES)
