"""What is stated about a policy is not bold and wrong, in the worlds of ``misled.py``."""

import pytest

from .misled import ATTACKS


@pytest.mark.parametrize("misled", ATTACKS, ids=lambda attack: attack.__name__)
def test_no_attack_misleads(misled):
    """Each says whether an answer was bold and wrong."""
    assert not any(misled(seed) for seed in range(4))
