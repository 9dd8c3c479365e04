"""``Within``: stop when a policy is good enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..check import LARGEST, real

if TYPE_CHECKING:
    from .policy import Policy


@dataclass(frozen=True)
class Within:
    """Stop when, with probability ``chance``, the policy loses at most ``loss`` against the best one from the start.

    >>> import varde
    >>> river = varde.environments.river_swim(5)
    >>> policy = varde.learn(river, 100_000, stop=varde.Within(0.5, 0.95))
    >>> policy.stopped, policy.spent < 20_000
    ('sure', True)

    ``loss`` is in the unit of the values.  The probability is that of the certificate, whose error rate was measured,
    not proved (see docs/learning.md).  Learning does not stop while an untried action could still make up for
    ``loss``, judging by the rewards and values seen.  The rule is checked after 100 steps and whenever they have
    doubled; once it holds, it is checked again a quarter later, and learning stops when it still does.
    """

    loss: float
    chance: float = 0.95

    def __post_init__(self) -> None:
        real("loss", self.loss, "what may be lost, more than 0, such as 0.05", lambda loss: 0.0 < loss <= LARGEST)
        wanted = "how sure to be, such as 0.95"
        chance = real("chance", self.chance, wanted, lambda chance: 0.0 < chance < 1.0)
        if chance < 0.5:
            raise ValueError(f"chance is {chance:g}, but it is the chance of a good policy: write {1 - chance:g}")

    def __call__(self, policy: Policy) -> bool:
        """Whether ``policy`` is good enough."""
        return policy.settled(self)


@dataclass(frozen=True)
class Good:
    """The rule of ``stop=delta``: no policy is better by more than 1 % of the range of values, but for that chance.

    No action that was never tried could make up for that, either.
    """

    delta: float

    def __post_init__(self) -> None:
        least = 0.5 / 65.0  # the certificate judges by at most 64 draws
        if self.delta < least:
            raise ValueError(
                f"stop is {self.delta:g}, and a policy is shown to be good with a chance of 99.2 % at most: write 0.01"
            )

    def __call__(self, policy: Policy) -> bool:
        sure = policy.certified
        loss = 0.01 * sure.span
        return loss > 0.0 and policy.settled(Within(loss, 1.0 - self.delta))
