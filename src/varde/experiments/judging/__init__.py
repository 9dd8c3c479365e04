"""What runs tell: intervals, verdicts on published numbers, tests of statements, what changed, what to run next.

Three answers, never two: a word other than "cannot tell" or "undecided" is given only where it would rarely be wrong.
Everything random here (runs drawn again, signs, permutations) comes from a fixed seed: the same runs, the same words.
"""
