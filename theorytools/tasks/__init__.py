"""Models of data: sampling, enumeration, exact laws."""
