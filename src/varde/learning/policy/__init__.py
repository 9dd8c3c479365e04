"""What was learned, for people and programs."""

from .policy import Policy, policy_of

__all__ = ["Policy", "policy_of"]
