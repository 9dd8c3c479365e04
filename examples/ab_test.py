"""An A/B/n test: every morning a file says how many visitors saw each page, and how many of them bought something.

Which page is best, how sure is that, and how should the next visitors be split?
"""

import collections
import csv
from pathlib import Path

import varde

MORNING = Path(__file__).with_name("visitors.csv")

with open(MORNING) as file:
    counts = {row["page"]: {"successes": row["conversions"], "trials": row["visitors"]} for row in csv.DictReader(file)}

test = varde.Selector(list(counts))  # add store="test.db" to keep it until tomorrow
told = test.tell_many(counts, once=MORNING.name)  # a file that is read twice counts once
print("read before, not counted again" if told.before else f"{told.counted} pages read from {MORNING.name}")

found = test.recommend()
print(found)
best = found[found.best]
print(f"\n{best.name}: {best.low:.2%} to {best.high:.2%} of visitors buy; best with probability {found.p_right:.0%}")

split = collections.Counter(draw.name for draw in test.ask(1_000))
print("Of the next 1,000 visitors, show:", ", ".join(f"{page} to {n}" for page, n in split.most_common()))
