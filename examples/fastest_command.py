"""Which command is the fastest?  Here: three ways to compress the same file.

The same from the shell:  varde time "gzip -1 -c data" "gzip -6 -c data" "gzip -9 -c data"
"""

import random
import tempfile
from pathlib import Path

from varde.timing import Bench

with tempfile.TemporaryDirectory() as folder:
    data = Path(folder) / "data"
    data.write_text(" ".join(random.Random(0).choices(["one", "two", "three", "four"], k=20_000)))
    bench = Bench([f"gzip -{level} -c {data}" for level in (1, 6, 9)], seconds=10)
    bench.run()

print(bench)
