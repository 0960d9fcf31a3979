"""What is simulated of every estimator that decides a row: laws, sizes, and a twin that is spoiled."""
