"""``Policy``: the result of learning, as text, page and file."""

from .policy import Policy, policy_of

__all__ = ["Policy", "policy_of"]
