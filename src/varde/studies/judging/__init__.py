"""Statistics of runs: intervals, and verdicts on published numbers.

Three answers, never two: anything but "cannot tell" is said only if it is rarely wrong.  Resampling draws from a fixed
seed: the same runs give the same verdicts.
"""
