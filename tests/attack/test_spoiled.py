"""Of statements of 95 % or more that are wrong because the data are spoiled, the cause is named."""

import pytest

from tests.attack.spoiled import KINDS, tally

LEAST = {"timeouts": 0.95, "blocks": 0.95, "cycle": 0.95, "slow": 0.95, "sorted": 0.95, "chained": 0.7, "tail": 0.3}


@pytest.mark.parametrize("kind", KINDS)
def test_the_cause_of_a_wrong_answer_is_named(kind):
    """What data cannot show, such as a warm-up seen three times, is stated as an assumption.

    A tail whose large results have not come yet cannot be told from a light one: 2 of 59 wrong answers were silent.
    """
    found = tally(kind, 20, 37)
    assert found["named"] >= 20 * LEAST.get(kind, 0.0)
    assert found["silent"] <= (0.25 * found["wrong"] if kind == "tail" else 0.05 * found["wrong"]), found
