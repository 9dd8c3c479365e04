"""The simulations of the benchmarks, at a size for tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import calibration
import simulated
import stopping
import trials

__all__ = ["calibration", "simulated", "stopping", "trials"]
