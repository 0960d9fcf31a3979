"""What is simulated of every estimator that decides a row, for ``tests/estimators.py`` and its test."""
