"""The certificate of a learned policy: what it is worth, how sure each action is, and what more data would do."""

from .certify import Certified, certificate

__all__ = ["Certified", "certificate"]
