"""Softmax attention: the construction of Lemma 11 and its relatives, their leakage, temperature and streams."""
