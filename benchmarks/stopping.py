"""Does stopping keep its promise?  Runs of the gap rule, looked at after every sample: ``python benchmarks/stopping.py``."""
