import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from varde.tournament import best_besides, enter, make_podium, make_tournament, play, put, put_pair, winner

SCORES = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])  # few values: ties abound


@given(st.integers(2, 40), st.data())
def test_winner_is_the_first_argmax(size, data):
    tournament, scores = make_tournament(size), np.full(size, -np.inf)
    for i in range(size):
        scores[i] = data.draw(SCORES)
        enter(tournament, i, scores[i])
    play(tournament)
    assert winner(tournament) == np.argmax(scores)
    for _ in range(30):
        i, score = data.draw(st.integers(0, size - 1)), data.draw(SCORES)
        scores[i] = score
        put(tournament, i, score)
        assert winner(tournament) == np.argmax(scores)


@given(st.integers(2, 40), st.data())
def test_podium_knows_the_best_besides_the_first(size, data):
    podium, scores = make_podium(size), np.full(size, -np.inf)
    for step in range(size + 30):
        i = step if step < size else data.draw(st.integers(0, size - 1))
        scores[i] = data.draw(SCORES)
        put_pair(podium, i, scores[i])
        first = int(np.argmax(scores))
        assert winner(podium.first) == first
        if step >= size - 1:
            others = scores.copy()
            others[first] = -np.inf
            assert best_besides(podium, first) == (np.argmax(others), others.max())
            another = (first + 1) % size
            assert best_besides(podium, another) == (first, scores[first])
