"""Three kinds of belief about a true mean, with closed forms for distribution and quantile, as normal deviates.

Student   mu = center + scale Student(freedom)                     Wallace 1959
Beta      mu = low + width Beta(a, b)                              Paulson 1942
Gamma     mu = end + scale Gamma(shape), downwards if scale < 0    Wilson and Hilferty 1931
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .student import normal_score, student_score

BEYOND = 40.0  # the deviate of the impossible


class Student(NamedTuple):
    centers: np.ndarray  # [K]
    scales: np.ndarray
    freedom: np.ndarray

    def score(self, x: np.ndarray) -> np.ndarray:
        """The normal deviate as likely as mu <= x."""
        return normal_score((x - self.centers) / self.scales, self.freedom)

    def quantile(self, z: np.ndarray) -> np.ndarray:
        return self.centers + self.scales * student_score(z, self.freedom)

    def sharper(self, grown: np.ndarray) -> Student:
        """The belief after so many times the results, if estimates stay as they are."""
        return Student(self.centers, self.scales / np.sqrt(grown), self.freedom * grown)


class Beta(NamedTuple):
    low: np.ndarray  # [K]
    width: np.ndarray
    a: np.ndarray
    b: np.ndarray

    def score(self, x: np.ndarray) -> np.ndarray:
        """u = (p b / ((1 - p) a))^(1/3), z = ((1 - 1/9b) u - (1 - 1/9a)) / sqrt(1/9a + u^2/9b)."""
        p, small, large = (x - self.low) / self.width, 1.0 / (9.0 * self.a), 1.0 / (9.0 * self.b)
        inner = np.clip(p, 1e-300, 1.0 - 1e-16)
        u = np.cbrt(inner * self.b / ((1.0 - inner) * self.a))
        z = ((1.0 - large) * u - (1.0 - small)) / np.sqrt(small + u * u * large)
        return np.where(p <= 0.0, -BEYOND, np.where(p >= 1.0, BEYOND, z))

    def quantile(self, z: np.ndarray) -> np.ndarray:
        small, large = 1.0 / (9.0 * self.a), 1.0 / (9.0 * self.b)
        both = (1.0 - large) * (1.0 - small)
        two, zero = (1.0 - large) ** 2 - z * z * large, (1.0 - small) ** 2 - z * z * small  # two u^2 - 2 both u + zero
        root = np.sqrt(np.maximum(both * both - two * zero, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            upper = np.where(two > 0.0, (both + root) / two, 1e5)
            u = np.clip(np.where(z > 0.0, upper, zero / (both + root)), 0.0, 1e5)
        odds = u**3 * self.a / self.b
        return np.asarray(self.low + self.width * (odds / (1.0 + odds)))

    def sharper(self, grown: np.ndarray) -> Beta:
        return Beta(self.low, self.width, self.a * grown, self.b * grown)


class Gamma(NamedTuple):
    end: np.ndarray  # [K]
    scale: np.ndarray
    shape: np.ndarray

    def score(self, x: np.ndarray) -> np.ndarray:
        """z = 3 sqrt(a) ((y / a)^(1/3) - 1 + 1/9a)."""
        y = (x - self.end) / self.scale
        cube = np.cbrt(np.maximum(y, 0.0) / self.shape)
        z = 3.0 * np.sqrt(self.shape) * (cube - 1.0 + 1.0 / (9.0 * self.shape))
        return np.sign(self.scale) * np.where(y <= 0.0, -BEYOND, z)

    def quantile(self, z: np.ndarray) -> np.ndarray:
        root = 1.0 - 1.0 / (9.0 * self.shape) + np.sign(self.scale) * z / (3.0 * np.sqrt(self.shape))
        return np.asarray(self.end + self.scale * self.shape * np.maximum(root, 0.0) ** 3)

    def sharper(self, grown: np.ndarray) -> Gamma:
        return Gamma(self.end, self.scale / grown, self.shape * grown)
