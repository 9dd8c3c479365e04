"""The certificate of a learned policy: its value, how sure each action is, and what more data would do."""

from .certify import Certified, certificate

__all__ = ["Certified", "certificate"]
