"""The certificate of labels beside other bounds: twelve trained networks, the same prompts, one thread.

``networks`` trains them, ``intervals`` and ``lirpa`` bound them as others do, ``table`` prints what the record holds.
"""
