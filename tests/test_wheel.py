"""The package as it is installed: a wheel, and beside it nothing but what it needs."""

import re
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.metadata import Metadata

import varde

HERE = Path(__file__).parent.parent

FIRST_RUN = """
import sys

wheel, missing = sys.argv[1], sys.argv[2].split(",")


class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Missing())
sys.path.insert(0, wheel)
import varde

assert varde.__file__.startswith(wheel), varde.__file__
found = varde.select(lambda option, rng: rng.normal(option), [0.0, 1.0, 2.0], 60, store="s.db")
assert "Take" in found.to_html() and found.to_csv() and str(found) and found._repr_html_()
for extra in (found.to_pandas, found.to_polars, found.plot):
    try:
        extra()
        raise AssertionError(extra)
    except ImportError as error:
        assert "pip install 'varde[" in str(error)
with varde.Selector(["a", "b"], 8, store="t.db") as selector:
    selector.tell(selector.ask(), -1.0)

from varde.cli import app

for line in (
    ["run", "echo {option}; echo 1", "--options", "a,b", "--budget", "6", "--store", "r.db", "--html", "r.html"],
    ["report", "r.db", "--html", "again.html", "--csv", "table.csv"],
    ["ask", "t.db"],
    ["tell", "t.db", "2", "-0.5"],
    ["list"],
):
    code = app(line, standalone_mode=False)
    assert code in (None, 0, 3), (line, code)  # 3: not sure
"""


def canonical(name):
    return re.sub("[-_.]+", "-", name).lower()


def needed(name, found):
    """The distributions that come along with one, extras left out."""
    if canonical(name) not in found:
        found.add(canonical(name))
        for line in metadata.requires(name) or []:
            wanted, _, when = line.partition(";")
            if "extra" not in when:
                try:
                    needed(re.match(r"[\w.-]+", wanted)[0], found)
                except metadata.PackageNotFoundError:  # of another platform
                    continue
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    made = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", made, HERE]
    subprocess.run(command, check=True, capture_output=True)
    [path] = made.glob("*.whl")
    with zipfile.ZipFile(path) as file:
        file.extractall(made / "unpacked")
    return made / "unpacked"


def test_everything_without_extras_works_from_a_wheel(wheel, tmp_path):
    wanted = set().union(*(needed(name, set()) for name in ("numpy", "numba", "typer", "rich")))
    owners = metadata.packages_distributions()
    missing = [name for name, of in owners.items() if name != "varde" and not wanted & {canonical(one) for one in of}]
    assert {"pandas", "polars", "matplotlib", "distributed", "pytest"} <= set(missing)
    command = [sys.executable, "-c", FIRST_RUN, str(wheel), ",".join(missing)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "again.html").stat().st_size > 5000


def test_a_wheel_has_the_declared_dependencies_and_no_tests(wheel):
    [about] = wheel.glob("*.dist-info/METADATA")
    core = [line for line in about.read_text().splitlines() if line.startswith("Requires-Dist") and "extra" not in line]
    assert sorted(re.findall(r"Requires-Dist: ([a-z]+)", "\n".join(core))) == ["numpy", "rich", "typer"]
    assert not list(wheel.glob("tests")) and list(wheel.glob("varde/show/ranges.css"))
    assert (wheel / "varde/py.typed").exists()


def test_the_metadata_of_a_wheel_are_valid(wheel):
    [about] = wheel.glob("*.dist-info/METADATA")
    checked = Metadata.from_email(about.read_text(), validate=True)  # as the index checks an upload
    assert checked.license_expression == "MIT" and checked.description_content_type == "text/markdown"
    assert {"repository", "documentation", "issues"} <= {name.lower() for name in checked.project_urls}


def test_links_and_pictures_of_the_readme_work_on_a_package_index(wheel):
    [about] = wheel.glob("*.dist-info/METADATA")
    shown = re.sub(r"```.*?```", "", Metadata.from_email(about.read_text()).description, flags=re.DOTALL)
    links = re.findall(r"\]\(([^)]+)\)", shown) + re.findall(r'(?:src|srcset)="([^"]+)"', shown)
    assert len(links) > 20 and all(link.startswith(("https://", "#")) for link in links)


def test_a_source_archive_has_every_file_of_the_repository_and_nothing_that_is_ignored(tmp_path):
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=False, capture_output=True, text=True, cwd=HERE)
    if listed.returncode:
        pytest.skip("not a git repository")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path]
    subprocess.run(command, check=True, capture_output=True, cwd=HERE)
    [path] = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert packed - {"PKG-INFO"} == {name for name in listed.stdout.splitlines() if (HERE / name).exists()}


def test_the_citation_is_of_this_version():
    assert f"\nversion: {varde.__version__}\n" in (HERE / "CITATION.cff").read_text()
