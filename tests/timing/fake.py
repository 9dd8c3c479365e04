"""Commands that only pretend to run: what they take is drawn at random, the machine slows down now and then."""

import numpy as np

from varde.timing import Bench


class Machine:
    def __init__(self, seed, drift=0.0, spikes=0.0, noise=0.02):
        self.rng, self.drift, self.spikes, self.noise = np.random.default_rng(seed), drift, spikes, noise
        self.slow = 0.0

    def taken(self, mean):
        self.slow = 0.95 * self.slow + self.drift * self.rng.standard_normal()
        spike = 1.0 + self.rng.exponential() if self.rng.random() < self.spikes else 1.0
        return mean * spike * np.exp(self.slow + self.noise * self.rng.standard_normal())


class Pretended:
    shell = False

    def __init__(self, name, mean, machine, first=1.0):
        self.name, self.mean, self.machine, self.factor = name, mean, machine, first

    def run(self, errors):
        factor, self.factor = self.factor, 1.0
        return factor * self.machine.taken(self.mean), 0


def bench_of(commands, **settings):
    """A bench run to its end; nothing is really run, so that no clock ends it."""
    bench = Bench(commands, **{"seconds": 3600.0, **settings})
    bench.run()
    return bench
