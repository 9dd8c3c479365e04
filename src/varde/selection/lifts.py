"""``Lift``: how much better an option is than the control, absolute and relative, with 95 % intervals.

Proportions: Newcombe's interval of the difference, from the two score intervals, which stays within [-1, 1]; the ratio
on a log scale with 1/2 added to all counts (Walter).  Means: Welch's interval, and Fieller's of the ratio.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..show.words import between, digits, number

Z = 1.959963984540054
NAMED = {  # how a table calls what is known of a lift
    "absolute": "lift",
    "low": "lift_low",
    "high": "lift_high",
    "relative": "relative_lift",
    "relative_low": "relative_lift_low",
    "relative_high": "relative_lift_high",
}


class Lift(NamedTuple):
    """One option beside the control; nan where it is unknown, infinite where the data set no limit."""

    option: str
    absolute: float  # the mean less that of the control
    low: float
    high: float
    relative: float  # that, divided by the mean of the control
    relative_low: float
    relative_high: float

    @property
    def in_words(self) -> tuple[str, str]:
        """``0.017 (0.004 … 0.031)`` and ``17 % (3 … 33)``."""
        places = digits([(self.high - self.low) / 2.0])
        whole = f"{number(self.absolute, places)} ({between((self.low, self.high), places)})"
        low, high = 100.0 * self.relative_low, 100.0 * self.relative_high
        if not math.isfinite(high - low):
            return whole, "unlimited"  # the control may be 0
        places = digits([(high - low) / 2.0])
        return whole, f"{number(100.0 * self.relative, places)} % ({between((low, high), places)})"


class Known(NamedTuple):
    """What is known of one option."""

    n: float
    mean: float
    sd: float


def lift(name: str, one: Known, control: Known, rates: bool) -> Lift:
    """Of ``one`` over ``control``; ``rates``: all results are 0 or 1."""
    if min(one.n, control.n) < (1 if rates else 2):
        return Lift(name, one.mean - control.mean, -math.inf, math.inf, math.nan, -math.inf, math.inf)
    apart = one.mean - control.mean
    relative = apart / control.mean if control.mean else math.nan
    ends = (*newcombe(one, control), *walter(one, control)) if rates else (*welch(one, control), *fieller(one, control))
    return Lift(name, apart, ends[0], ends[1], relative, ends[2], ends[3])


def wilson(p: float, n: float) -> tuple[float, float]:
    """The score interval of a proportion."""
    middle, wide = p + Z * Z / (2.0 * n), Z * math.sqrt(p * (1.0 - p) / n + Z * Z / (4.0 * n * n))
    return (middle - wide) / (1.0 + Z * Z / n), (middle + wide) / (1.0 + Z * Z / n)


def newcombe(one: Known, control: Known) -> tuple[float, float]:
    p, q, apart = one.mean, control.mean, one.mean - control.mean
    (a, b), (c, d) = wilson(p, one.n), wilson(q, control.n)
    return apart - math.hypot(p - a, d - q), apart + math.hypot(b - p, q - c)


def walter(one: Known, control: Known) -> tuple[float, float]:
    x, y = one.n * one.mean + 0.5, control.n * control.mean + 0.5
    n, m = one.n + 0.5, control.n + 0.5
    middle, error = math.log(x / n * m / y), math.sqrt(max(1.0 / x - 1.0 / n + 1.0 / y - 1.0 / m, 0.0))
    return math.exp(middle - Z * error) - 1.0, math.exp(middle + Z * error) - 1.0


def welch(one: Known, control: Known) -> tuple[float, float]:
    a, b = one.sd**2 / one.n, control.sd**2 / control.n
    reach = student(a, b, one.n, control.n) * math.sqrt(a + b)
    return one.mean - control.mean - reach, one.mean - control.mean + reach


def fieller(one: Known, control: Known) -> tuple[float, float]:
    """The ratios r for which one - r control may be 0; infinite if the control itself may be."""
    a, b = one.sd**2 / one.n, control.sd**2 / control.n
    square = student(a, b, one.n, control.n) ** 2
    g = control.mean**2 - square * b
    if not g > 0.0:
        return -math.inf, math.inf
    middle = one.mean * control.mean
    root = math.sqrt(max(middle**2 - g * (one.mean**2 - square * a), 0.0))
    return (middle - root) / g - 1.0, (middle + root) / g - 1.0


def student(a: float, b: float, n: float, m: float) -> float:
    """The 97.5 % quantile of Student's t with Welch's degrees of freedom, by its expansion around the normal one."""
    if a + b == 0.0:
        return Z
    v = (a + b) ** 2 / (a * a / (n - 1.0) + b * b / (m - 1.0))
    return (
        Z
        + (Z**3 + Z) / (4.0 * v)
        + (5.0 * Z**5 + 16.0 * Z**3 + 3.0 * Z) / (96.0 * v**2)
        + (3.0 * Z**7 + 19.0 * Z**5 + 17.0 * Z**3 - 15.0 * Z) / (384.0 * v**3)
    )
