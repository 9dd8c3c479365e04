"""Runs a notebook and keeps what its cells show: ``python docs/tables/tour.py examples/tour.ipynb`` writes it back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def run(path: Path) -> Any:
    """The notebook with what its cells show now; messages on stderr and times are left out."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3", record_timing=False).execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [
                shown
                for shown in cell.outputs
                if shown.get("name") != "stderr" and shown.get("data") != {"text/plain": ""}  # progress that is over
            ]
    notebook.metadata.pop("language_info", None)  # the version of Python
    return notebook


def texts(notebook: Any) -> list[list[str]]:
    """What every cell of code shows, as text."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [[shown["text"] if "text" in shown else shown["data"]["text/plain"] for shown in c.outputs] for c in cells]


if __name__ == "__main__":
    import nbformat

    for path in map(Path, sys.argv[1:]):
        nbformat.write(run(path), path)
