"""In a real kernel: progress takes one line, async functions work, and an interrupted cell loses nothing."""

import time
from pathlib import Path

import pytest

jupyter_client = pytest.importorskip("jupyter_client")
nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")

ROOT = Path(__file__).parent.parent
BEGIN = """
import asyncio, time, varde, varde.show.screen
varde.show.screen.PATIENCE = 0.0

def slow(option, rng):
    time.sleep(0.005)
    return rng.normal(option)

async def call(option, rng):
    await asyncio.sleep(0.001)
    return rng.normal(option)
"""


class Kernel:
    def __init__(self, folder):
        self.manager, self.client = jupyter_client.manager.start_new_kernel(kernel_name="python3", cwd=str(folder))

    def run(self, code, when_busy=None):
        """The messages of a cell: (type, content); ``when_busy`` is called when its first output has come."""
        number, found = self.client.execute(code), []
        while True:
            message = self.client.get_iopub_msg(timeout=120)
            if message["parent_header"].get("msg_id") != number:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                return found
            if kind not in ("status", "execute_input"):
                found.append((kind, content))
                if when_busy is not None:
                    when_busy()
                    when_busy = None

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    made = Kernel(tmp_path_factory.mktemp("notebook"))
    assert made.run(BEGIN) == []
    yield made
    made.close()


def test_progress_is_one_output_that_is_updated_and_empty_in_the_end(kernel):
    messages = kernel.run("found = varde.select(slow, [1, 2, 3], budget=150); found")
    kinds = [kind for kind, _ in messages]
    assert kinds[0] == "display_data" and kinds[-1] == "execute_result" and set(kinds[1:-1]) == {"update_display_data"}
    texts = [content["data"]["text/plain"] for _, content in messages[:-1]]
    assert " of 150 spent, " in texts[1] and texts[-1] == ""
    assert len({content["transient"]["display_id"] for _, content in messages[:-1]}) == 1
    assert "text/html" in messages[-1][1]["data"]


def test_async_functions_run_beside_the_loop_of_the_notebook(kernel):
    (*_, (kind, content)) = kernel.run(
        "await asyncio.sleep(0); varde.select(call, [1, 2, 3], 60, progress=False).best_name"
    )
    assert (kind, content["data"]["text/plain"]) == ("execute_result", "'3'")


@pytest.mark.parametrize("function", ["slow", "call"])
def test_an_interrupted_cell_keeps_what_was_done_and_goes_on(kernel, function):
    select = f"f = varde.select({function}, [1, 2, 3], {{}}, store='{function}.db'); print(f.stopped, f.spent)"

    def interrupt():
        time.sleep(0.5)
        kernel.manager.interrupt_kernel()

    *_, (kind, content) = kernel.run(select.format(100_000), interrupt)
    assert kind == "stream", content
    stopped, spent = content["text"].split()
    assert stopped == "interrupted" and 0 < float(spent) < 100_000
    *_, (_, content) = kernel.run(f"print(varde.Selector.open('{function}.db').spent)")
    assert float(content["text"]) == float(spent)
    *_, (_, content) = kernel.run(select.format(100_000), interrupt)
    assert float(content["text"].split()[1]) > float(spent)


def test_the_tour_runs_and_shows_what_it_shows(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "tables")
    import tour

    path = ROOT / "examples" / "tour.ipynb"
    assert tour.texts(tour.run(path)) == tour.texts(nbformat.read(path, as_version=4))
