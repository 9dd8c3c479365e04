"""Beliefs: what is known of the things compared. Means, variances and counts, shrunk in one way for every family."""

from .noise import Equal, Floor, Pooled

__all__ = ["Equal", "Floor", "Pooled"]
