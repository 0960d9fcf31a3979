r"""Position codes: unit vectors :math:`\omega_1,\dots,\omega_N` whose inner products are known exactly.

Every code answers the protocol :class:`.Code`.  Sign codes (:class:`.SignCode`, :class:`.LinearCode`,
:class:`.BCHCode`) have entries :math:`\pm d_e^{-1/2}`; :class:`.EquiangularCode` and :class:`.GramCode` are
given by a rational Gram matrix.
"""
