"""Statistics of runs: intervals, verdicts on published numbers, changes.

Three answers, never two: anything but "cannot tell" or "undecided" is said only if it is rarely wrong.  Everything
random here (resampling, signs, permutations) comes from a fixed seed: the same runs give the same verdicts.
"""
