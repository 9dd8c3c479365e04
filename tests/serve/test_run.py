"""``varde serve`` listens elsewhere only with a good token."""

import re

import pytest
from typer.testing import CliRunner

import varde
from varde.cli import app
from varde.serve.run import is_local, token_in


def test_elsewhere_it_listens_only_with_a_good_token(tmp_path):
    varde.Selector(["a", "b"], store=tmp_path / "s.sqlite").close()
    begin = ["serve", str(tmp_path / "s.sqlite"), "--port", "0", "--host", "0.0.0.0"]
    for token, words in (
        ("", "can be reached from elsewhere: write --token-file"),
        ("short", "write 16 or more ASCII characters"),
    ):
        ended = CliRunner().invoke(app, begin, env={"VARDE_TOKEN": token})
        assert ended.exit_code == 2 and words in ended.output


def test_a_store_that_does_not_exist_is_refused_and_not_made(tmp_path):
    ended = CliRunner().invoke(app, ["serve", str(tmp_path / "s.sqlite")], env={"VARDE_TOKEN": ""})
    assert ended.exit_code == 2 and "does not exist" in ended.output
    assert list(tmp_path.iterdir()) == []


def test_only_addresses_of_this_machine_are_local():
    assert is_local("127.0.0.1") and is_local("::1")
    assert not is_local("0.0.0.0") and not is_local("::")
    with pytest.raises(ValueError, match="not an address of this machine"):
        is_local("no.such.host.invalid")


def test_a_token_file_is_made_for_this_user_only(tmp_path):
    file = tmp_path / "token"
    token = token_in(file)
    assert re.fullmatch(r"[\w-]{43}", token)
    assert file.stat().st_mode & 0o777 == 0o600
    assert token_in(file) == token
    file.chmod(0o644)
    with pytest.raises(ValueError, match="chmod 600"):
        token_in(file)
