"""Whatever happens in whatever order: the accounts are right, and a file tells the same story."""

import time

import numpy as np
import pytest

import varde


def audit(selector, results):
    """What must be true at every moment."""
    ledger = selector._journal.ledger
    told = ledger.results.ragged()
    assert told.flat.size == len(results) == ledger.spent
    assert sorted(told.flat) == sorted(results.values())
    assert int(ledger.chooser.pending.sum()) == ledger.reserved >= 0
    waiting = [entry for entry in ledger.waiting if entry < 0 or entry in ledger.tickets]
    assert len(ledger.live) + len(waiting) == ledger.reserved
    assert set(ledger.tickets) == {*ledger.live, *(entry for entry in waiting if entry > 0)}
    assert ledger.chooser.moments.counts.tolist() == told.sizes.tolist()
    for values, counts, mean in zip(told, *selector._journal.ledger.chooser.summary()[:2], strict=True):
        assert counts == 0 or mean == pytest.approx(np.mean(values), abs=1e-9)
    seen = list(zip(ledger.results.owners, ledger.results.replicates, strict=True))
    assert len(set(seen)) == len(seen)


def try_to_tell(selector, draw, value, results):
    """1 if the result was taken though it was not awaited."""
    unexpected = draw.id not in selector._journal.view().tickets
    try:
        if selector.tell(draw, value):
            assert draw.id not in results
            results[draw.id] = value
            return int(unexpected)
    except varde.AlreadyToldError:
        pass
    assert draw.id in results
    return 0


@pytest.mark.parametrize("stored", [False, True])
def test_anything_in_any_order(tmp_path, monkeypatch, stored):
    now = [1e9]
    monkeypatch.setattr(time, "time", lambda: now[0])
    for case in range(3 if stored else 8):
        random = np.random.default_rng(case)
        settings = {
            "calls": varde.Calls(int(random.integers(0, 4)), expire=100.0),
            "seed": case,
        }
        path = tmp_path / f"{case}.db" if stored else None
        budget, names = int(random.integers(12, 60)), list("abcdef")
        selector = varde.Selector(names, budget, store=path, **settings)
        known, results, late = [], {}, 0  # all draws that were ever handed out; id: result
        for _ in range(150):
            now[0] += random.exponential(20.0)
            event = random.choice(["ask", "tell", "tell", "fail", "release", "name", "option", "budget", "open"])
            draw = known[random.integers(max(len(known) - 12, 0), len(known))] if known else None
            value = float(random.normal())
            if event == "ask":
                known += selector.ask(int(random.integers(1, 5)), wait=False)
            elif event == "tell" and draw is not None:
                late += try_to_tell(selector, draw, value, results)
            elif event == "fail" and draw is not None and draw.id not in results:
                selector.fail(draw, "a reason")
            elif event == "release" and draw is not None:
                selector.release(draw)
            elif event == "name" and random.random() < 0.3:
                name = str(random.choice(names))
                mine = [d.id for d in selector.pending if d.name == name]
                number = mine[0] if mine else selector._journal.ledger.next_id
                late += not mine
                selector.tell(name, value)
                results[number] = value
            elif event == "option" and len(names) < 9:
                names.append(f"option {len(names)}")
                selector.add_option(names[-1])
            elif event == "budget" and random.random() < 0.2:
                selector.add_budget(5)
                budget += 5
            elif event == "open" and stored:
                before = varde.Selector.open(path)
                selector.close()
                selector = varde.Selector.open(path)
                assert before.ask(4, wait=False) == selector.pending[-4:] or before.pending == selector.pending
                known += [draw for draw in selector.pending if draw.id not in {d.id for d in known}]
                before.close()
            audit(selector, results)
            # Only what nobody asked for, or came after it had been given up, can go beyond the budget.
            assert selector._journal.ledger.spent + selector._journal.ledger.reserved <= budget + late
        if any(results):
            assert selector.recommend().spent == len(results)
        selector.close()
