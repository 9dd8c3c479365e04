"""A database as the store: many processes, kills, lost connections, leases, and what is refused."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import uuid

import pytest
from typer.testing import CliRunner

import varde
from tests.attack.isolated import PATHS
from tests.long import times
from tests.selection import server as servers
from tests.selection.test_snapshot import swapped
from tests.selection.test_store import state, value
from tests.selection.test_whole import poked
from varde.cli import app
from varde.selection import snapshot
from varde.selection.events import Note
from varde.selection.worker import this_process

pytestmark = pytest.mark.skipif(servers.missing() is not None, reason=str(servers.missing()))

NAMES = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def server():
    started = servers.Server()
    yield started
    started.remove()


@pytest.fixture
def name():
    return uuid.uuid4().hex


@pytest.fixture
def url(server, name):
    """A selection of its own, in a database that all share."""
    return f"{server.url()}#{name}"


@pytest.fixture
def database(server, name):
    """For those who do something to the tables."""
    server.sql(f'CREATE DATABASE "{name}"')
    yield name
    server.sql(f'DROP DATABASE "{name}" WITH (FORCE)')  # a crashed server looks at every file when it starts again


@pytest.fixture
def wire(server):
    led = servers.Wire(server.port)
    yield led
    led.close()


@pytest.fixture
def wired(server, wire, name):
    """The same selection as ``url``, by way of the wire."""
    return f"{server.url(port=wire.port)}#{name}"


def postgres(url, **settings):
    from varde.selection.postgres import Postgres

    return Postgres(url, **settings)


def no_secret(error):
    """Neither in its words nor in what led to it."""
    while error is not None:
        assert servers.PASSWORD not in str(error) + repr(error)
        error = error.__cause__ or error.__context__
    return True


# -- the same as a file ------------------------------------------------------------------------------


def test_it_chooses_and_resumes_as_a_file_does(tmp_path, url):
    for _ in range(6):
        with (
            varde.Selector(NAMES, 16, store=url) as first,
            varde.Selector(NAMES, 16, store=tmp_path / "s.db") as other,
        ):
            draws = first.ask(3)
            assert draws == other.ask(3)
            for draw in draws[::-1]:
                for selector in (first, other):
                    if draw.name == "b" and draw.replicate == 1:
                        selector.fail(draw, "once")
                    else:
                        selector.tell(draw, value(draw))
            assert state(first) == state(other)
    assert first.done and varde.Selector.open(url).recommend().best_name == other.recommend().best_name


def test_one_database_holds_many_selections(server, database):
    url = server.url(database)
    first, second = f"{url}#x y%23", f"{url}#two"
    with varde.Selector(NAMES, 40, store=first) as one, varde.Selector(["p", "q"], 20, store=second) as two:
        one.tell(one.ask(), 1.0)
        two.tell(two.ask(), 2.0)
        two.tell(two.ask(), 3.0)
        assert (one.spent, two.spent, list(two.options)) == (1, 2, ["p", "q"])
    assert varde.Selector.open(f"{url}#x%20y%23").spent == 1
    with pytest.raises(varde.StoreError, match=r"#three is empty"):
        varde.Selector.open(f"{url}#three")


def test_looking_makes_nothing(server, database):
    url = server.url(database)
    with pytest.raises(varde.StoreError, match="is empty"):
        varde.Selector.open(url)
    with pytest.raises(ValueError, match="each of 4 options is drawn"):
        varde.Selector(NAMES, 3, store=url)
    assert server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'varde'", database) == [(0,)]


def test_people_read_results_and_failures(server, database):
    with varde.Selector(NAMES, 40, store=f"{server.url(database)}#mine") as selector:
        draw, other = selector.ask(2)
        selector.tell(draw, 0.1 + 0.2)
        selector.fail(other, "oh")
    results = "SELECT selection, draw, name, replicate, seed, value FROM varde.results"
    assert server.sql(results, database) == [("mine", 1, "a", 0, draw.seed, 0.1 + 0.2)]
    failures = server.sql("SELECT name, reason, worker, now() - time < '1 min' FROM varde.failures", database)
    assert failures == [("b", "oh", this_process(), True)]
    assert server.sql("SELECT name, value, cost FROM varde.options", database)[3] == ("d", '"d"', 1.0)


def test_the_command_line_takes_an_address_and_shows_no_password(tmp_path, url):
    def said(code, *arguments):
        ended = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert ended.exit_code == code, ended.output
        assert servers.PASSWORD not in ended.output
        return ended.output

    assert "#" in said(2, "ask", url)  # there is none yet
    assert len(said(0, "ask", url, "--options", "a,b", "--budget", 8, "-n", 2).splitlines()) == 2
    assert "1 of 8 spent; ahead: a" in said(0, "tell", url, 1, 2.5)
    assert "Take a" in said(0, "report", url)
    run = ["run", "echo {option}", "--options", "1,2", "--budget", 6, "--store", f"{url}-run"]
    assert "Take 2" in said(3, *run), "so few results show little"
    assert "Take 2: after 8" in said(3, *run[:5], 8, *run[6:])


# -- what is refused ---------------------------------------------------------------------------------


def test_addresses_that_lead_nowhere_are_refused_in_words_without_the_password(server, url):
    def refused(address, words, kind=varde.StoreError):
        with pytest.raises(kind, match=words) as caught:
            varde.Selector(NAMES, 40, store=postgres(address, patience=0.2))
        assert no_secret(caught.value)

    refused(server.url(user="nobody"), "password authentication failed")
    refused(server.url("no"), 'database "no" does not exist')
    refused(server.url(port=1), "cannot be reached .*refused")
    refused(f"postgresql://u:{servers.PASSWORD}@no.invalid/d", "no.invalid")
    refused(f"postgresql://u:%zz{servers.PASSWORD}@h/d", "cannot be read: write postgresql://user@host/database#name")
    refused(f"postgresql://u:/{servers.PASSWORD}@h/d", "write %40|%40 for @", ValueError)
    refused(f"{server.url()}#{'x' * 101}", "up to 100 printable", ValueError)
    refused(f"{server.url()}?sslmode=odd", "sslmode")


def test_what_an_address_leaves_out_comes_from_the_environment(server, name, monkeypatch):
    for variable, given in (("PASSWORD", servers.PASSWORD), ("USER", "varde"), ("HOST", "127.0.0.1")):
        monkeypatch.setenv(f"PG{variable}", given)
    monkeypatch.setenv("PGPORT", str(server.port))
    for address in (
        f"postgresql:///postgres#{name}",
        f"postgres://127.0.0.1:1,127.0.0.1:{server.port}/postgres#{name}",
    ):
        with varde.Selector(NAMES, 40, store=address) as selector:
            assert selector.tell(selector.ask(), 1.0)
    assert varde.Selector.open(f"{server.url()}#{name}").spent == 2


def test_the_password_is_nowhere_to_be_seen(url):
    with varde.Selector({"a": object(), "b": len}, 40, store=url) as selector:
        log = selector._journal.record.log
        selector.tell(selector.ask(), 1.0)
    assert servers.PASSWORD not in f"{log!r} {log.name} {log.address!r} {selector!r}"
    with pytest.raises(ValueError, match="only the names") as caught:
        varde.Selector.open(url)
    assert no_secret(caught.value)
    with pytest.raises(varde.StoreError, match="was closed: open it again"):
        selector.ask()


def test_tables_of_others_and_of_later_versions_are_left_alone(server, database):
    url = server.url(database)
    server.sql("CREATE SCHEMA varde; CREATE TABLE varde.events (mine text)", database)
    with pytest.raises(varde.StoreError, match="belongs to another program and was left unchanged"):
        varde.Selector(NAMES, 40, store=url)
    server.sql("DROP SCHEMA varde CASCADE; CREATE SCHEMA varde", database)
    varde.Selector(NAMES, 40, store=url).close()
    server.sql("UPDATE varde.format SET number = 5", database)
    with pytest.raises(varde.StoreError, match="has format 5, this varde reads format 4: install a newer varde"):
        varde.Selector(NAMES, 40, store=url)


def test_rights_are_missed_in_words_and_readers_can_read(server, database):
    url = server.url(database)
    role = f"r{uuid.uuid4().hex}"
    server.sql(f"CREATE ROLE {role} LOGIN PASSWORD '{servers.PASSWORD}'")
    theirs = server.url(database, user=role)
    with pytest.raises(varde.StoreError, match=r"permission denied for database .*ask its owner"):
        varde.Selector(NAMES, 40, store=theirs)
    with varde.Selector(NAMES, 40, store=url) as selector:
        draw = selector.ask()
        selector.tell(draw, 1.0)
    with pytest.raises(varde.StoreError, match="permission denied for schema varde"):
        varde.Selector.open(theirs)
    server.sql(f"GRANT USAGE ON SCHEMA varde TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA varde TO {role}", database)
    with varde.Selector.open(theirs) as reader:
        assert reader.recommend().best_name == draw.name
        with pytest.raises(varde.StoreError, match="read-only here"):
            reader.ask()
    server.sql(f"GRANT INSERT ON varde.events TO {role}; GRANT INSERT, UPDATE ON varde.workers TO {role}", database)
    with varde.Selector.open(theirs) as writer:  # who can add, and change nothing that is there
        assert writer.tell(writer.ask(), 2.0)


COLLEAGUE = """
    CREATE ROLE {0} LOGIN PASSWORD '{1}';
    GRANT USAGE ON SCHEMA varde TO {0}; GRANT SELECT ON ALL TABLES IN SCHEMA varde TO {0};
    GRANT INSERT ON varde.events TO {0}; GRANT INSERT, UPDATE, DELETE ON varde.workers, varde.snapshots TO {0}
"""


def test_a_snapshot_of_a_colleague_is_neither_trusted_nor_in_the_place_of_ours(server, database, monkeypatch):
    import psycopg

    monkeypatch.setattr("varde.selection.snapshot.step", lambda position, ledger: 1)
    url, role = server.url(database), f"r{uuid.uuid4().hex}"
    with varde.Selector(NAMES, 400, store=url) as selector:
        for draw in selector.ask(40):
            selector.tell(draw, value(draw))
        best = selector.recommend().best_name
    server.sql(COLLEAGUE.format(role, servers.PASSWORD), database)
    with psycopg.connect(server.url(database, user=role), autocommit=True) as colleague:
        assert colleague.execute("SELECT count(*) FROM varde.snapshots").fetchone() == (0,), "ours are not shown"
        assert colleague.execute("UPDATE varde.snapshots SET data = ''").rowcount == 0
        assert colleague.execute("DELETE FROM varde.snapshots").rowcount == 0
        columns = "INSERT INTO varde.snapshots (selection, author, code, position, data)"
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            colleague.execute(f"{columns} VALUES (1, 'varde', 'x', 1, '')")
    dump = snapshot.dump
    with monkeypatch.context() as patch, varde.Selector.open(server.url(database, user=role)) as forger:
        patch.setattr(snapshot, "dump", lambda *given: swapped(dump(*given)))  # and the log vouches for it
        forger.tell(forger.ask(), 0.0)
    assert {row[0] for row in server.sql("SELECT author FROM varde.snapshots", database)} == {"varde", role}
    server.sql("DELETE FROM varde.snapshots WHERE author = 'varde'", database)
    with varde.Selector.open(url) as selector:
        assert selector.recommend().best_name == best and selector.spent == 41
    with varde.Selector.open(server.url(database, user=role)) as selector:
        assert selector.recommend().best_name != best, "it is a forgery that works on whoever trusts it"


def test_a_database_that_lacks_letters_is_refused(server, name):
    server.sql(f"""CREATE DATABASE "{name}" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0""")
    with pytest.raises(varde.StoreError, match="has the encoding LATIN1, which lacks characters"):
        varde.Selector(NAMES, 40, store=server.url(name))


def test_a_server_that_does_not_wait_for_its_disk_is_warned_of(server, url):
    for setting in ("off", "on"):
        server.sql(f"ALTER SYSTEM SET fsync = {setting}")
        server.sql("SELECT pg_reload_conf()")
        while server.sql("SHOW fsync") != [(setting,)]:
            time.sleep(0.01)
        if setting == "off":
            with pytest.warns(varde.StoreWarning, match="has fsync off: a power cut there may lose results"):
                varde.Selector(NAMES, 40, store=url).close()
    varde.Selector.open(url).close()


def test_damage_is_refused(server, database):
    url = server.url(database)
    with varde.Selector(NAMES, 40, store=url) as selector:
        for draw in selector.ask(9):
            selector.tell(draw, value(draw))
    server.sql("UPDATE varde.events SET line = replace(line, '0.', '1.') WHERE id = 20", database)
    with pytest.raises(varde.StoreError, match=r"damaged \(event 20 differs from what was written.*restore a copy"):
        varde.Selector.open(url)


def test_a_log_that_was_set_back_takes_nothing_more(server, database):
    url = server.url(database)
    with varde.Selector(NAMES, 40, store=url) as selector:
        draws = selector.ask(9)
        selector.tell(draws[0], 1.0)
        server.sql("DELETE FROM varde.events WHERE id > 9", database)
        with pytest.raises(varde.StoreError, match="restored to an earlier state"):
            selector.tell(draws[1], 1.0)
        selector._journal.record.log.let_go()
        server.sql("DELETE FROM varde.selections", database)
        with pytest.raises(varde.StoreError, match="was deleted while it was in use"):
            selector.tell(draws[1], 1.0)


def test_without_the_driver_it_says_what_to_install(url):
    code = f"import sys; sys.modules['psycopg'] = None; import varde; varde.Selector(['a', 'b'], 9, store={url!r})"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=False)
    assert "ImportError: a store at postgresql://... needs psycopg: pip install 'varde[postgres]'" in ended.stderr


# -- lost connections --------------------------------------------------------------------------------


def environment():
    return {**os.environ, "PYTHONPATH": PATHS}


def test_a_commit_whose_answer_was_lost_counts_once(wire, wired, url):
    with varde.Selector(NAMES, 400, store=wired) as selector:
        for _ in range(8):
            wire.lose = 1
            draw = selector.ask()
            wire.lose = 1
            assert selector.tell(draw, value(draw))
            wire.lose = 1
            selector.fail(selector.ask(30)[0], "oh")
        assert wire.cuts == 24 and selector.spent == 8
        with varde.Selector.open(url) as other:
            assert state(other) == state(selector)


def test_many_results_are_there_once_or_not_at_all_when_the_answer_is_lost(wire, wired, url):
    rows = [("abc"[k % 3], float(k)) for k in range(300)] + [("b", {"successes": 3, "trials": 7})]
    with varde.Selector(["a", "b", "c"], store=wired) as selector:
        wire.lose = 1
        assert selector.tell_many(rows, once="all").counted == 301
        wire.cut()
        assert selector.tell_many(rows, once="all").before
    with varde.Selector.open(url) as again:
        assert (again.spent, [row.n for row in again.recommend().rows]) == (307, [100, 107, 100])


def test_a_transaction_that_did_not_reach_the_server_is_repeated(wire, wired, url):
    with varde.Selector(NAMES, 400, store=wired) as selector, varde.Selector.open(url) as other:
        for _ in range(8):
            draw = selector.ask()
            wire.stop(b"INSERT", lambda: other.tell(other.ask(), 0.0))  # somebody else gets in first
            assert selector.tell(draw, value(draw))
        assert wire.cuts == 8 and selector.spent == 16 and state(other) == state(selector)


def test_a_connection_lost_at_a_snapshot_is_replaced(wire, wired, url, monkeypatch):
    """While one is read or kept: nothing is lost, and the next use finds a snapshot again."""
    monkeypatch.setattr("varde.selection.snapshot.step", lambda position, ledger: 1)
    with varde.Selector(NAMES, 400, store=wired) as selector:
        for words in (b"INSERT INTO varde.snapshots",) * 3:
            draw = selector.ask()
            wire.stop(words, lambda: None)
            assert selector.tell(draw, value(draw))
            assert wire.words is None
        assert wire.cuts == 3 and selector.spent == 3
    wire.stop(b"SELECT data FROM varde.snapshots", lambda: None)
    with varde.Selector.open(wired) as again, varde.Selector.open(url) as other:
        assert wire.cuts == 4 and state(again) == state(other) and again.spent == 3


def test_a_server_that_crashes_or_throws_everybody_out_is_waited_for(server, url):
    with varde.Selector(NAMES, 400, store=url) as selector:
        first, second, third = selector.ask(3)
        server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'varde %'")
        assert selector.tell(first, 1.0)
        selector._journal.change(lambda ledger: server.stop())
        later = threading.Timer(0.3, server.start)
        later.start()
        assert selector.tell(second, 2.0)
        later.join()
        assert selector.tell(third, 3.0) and state(varde.Selector.open(url)) == state(selector)


def test_what_a_crash_took_back_before_it_was_on_the_disk_is_forgotten_by_all(server, url, monkeypatch):
    first, other = varde.Selector(NAMES, 40, store=url), varde.Selector.open(url)
    draw, late = first.ask(2)
    with monkeypatch.context() as patched:
        patched.setattr("varde.selection.postgres.FLUSH", "SELECT 1")
        patched.setattr("varde.selection.postgres.Postgres.beat", lambda log: None)
        server.halt_writers()  # nor does anybody else take it there
        first.tell(draw, 1.0)
        assert other.spent == 1
        server.stop()
    server.start()
    assert other.spent == 0 and [one.id for one in other.pending] == [draw.id, late.id]
    with pytest.raises(varde.StoreError, match="restored to an earlier state"):  # it had been promised
        first.tell(late, 2.0)
    assert other.tell(late, 2.0) and other.tell(draw, 3.0) and other.spent == 2
    first.close()
    other.close()


def test_a_server_that_stays_away_is_an_error_and_nothing_is_lost(wire, wired):
    log = postgres(wired, patience=0.5)
    selector = varde.Selector(NAMES, 400, store=log)
    draw, other = selector.ask(2)
    selector.tell(draw, 1.0)
    wire.open = False
    wire.cut()
    with pytest.raises(varde.StoreError, match=r"cannot be reached for 0.5 s .* earlier results are safe") as caught:
        selector.tell(other, 2.0)
    assert no_secret(caught.value)
    wire.open = True
    assert selector.tell(other, 2.0) and selector.spent == 2  # it is back


def test_a_statement_that_is_cancelled_is_repeated(server, url, name):
    with varde.Selector(NAMES, 40, store=url) as selector, varde.Selector(NAMES, 40, store=url) as other:
        draw = selector.ask()
        token, ended = selector._journal.record.log.token, []
        telling = threading.Thread(target=lambda: ended.append(selector.tell(draw, 1.0)))

        def cancel(ledger):  # while it has the lock, for which the statement waits
            telling.start()
            waiting = f"FROM pg_stat_activity WHERE application_name = '{token}' AND wait_event_type = 'Lock'"
            while not server.sql(f"SELECT pg_cancel_backend(pid) {waiting}"):
                time.sleep(0.01)

        other._journal.change(cancel)
        telling.join()
        assert ended == [True] and other.spent == 1


@pytest.mark.parametrize("when", ["asking", "telling"])
def test_a_server_that_hangs_ends_within_the_patience(server, url, when):
    selector = varde.Selector(NAMES, 40, store=postgres(url, patience=2.0))
    draw = selector.ask()
    token = selector._journal.record.log.token
    (pid,) = server.sql(f"SELECT pid FROM pg_stat_activity WHERE application_name = '{token}'")[0]
    stopped = pid, server.process.pid

    def halt(*_):
        for each in stopped:
            os.kill(each, signal.SIGSTOP)

    def note(ledger):
        halt()  # the transaction is open: it hangs when it is committed
        selector._journal.happen(Note("n", 1))

    try:
        with pytest.raises(varde.StoreError, match="cannot be reached"):
            if when == "telling":
                selector._journal.change(note)
            else:
                halt()
                selector.tell(draw, 1.0)
    finally:
        for each in stopped:
            os.kill(each, signal.SIGCONT)
    assert selector.tell(draw, 1.0) and selector.spent == 1


def test_whoever_holds_the_lock_and_vanishes_does_not_hold_up_the_others(url, monkeypatch):
    monkeypatch.setattr("varde.selection.postgres.HELD", 0.5)
    with varde.Selector(NAMES, 400, store=url) as selector, varde.Selector.open(url) as sleeper:
        # As a machine that is switched off in the middle, and on again.
        sleeper._journal.change(lambda ledger: selector.spent or selector.tell(selector.ask(), 1.0))
        assert sleeper.tell(sleeper.ask(), 1.0) and selector.spent == 2


def test_an_interrupt_in_the_middle_leaves_the_log_and_the_selector_whole(url):
    poked(url, times(20, 500), most=0.1)


def test_a_forked_child_makes_a_connection_of_its_own(url):
    code = """
        import os, sys, varde
        selector = varde.Selector(list("abcd"), 400, store=sys.argv[1])
        selector.tell(selector.ask(), 1.0)
        children = []
        for _ in range(3):
            if (child := os.fork()) == 0:
                for _ in range(10):
                    selector.tell(selector.ask(), 1.0)
                os._exit(0)
            children.append(child)
        for _ in range(10):
            selector.tell(selector.ask(), 1.0)
        assert all(os.waitpid(child, 0)[1] == 0 for child in children)
        assert selector.spent == 41, selector.spent
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code), url], check=True, env=environment())


# -- leases ------------------------------------------------------------------------------------------


def elsewhere(monkeypatch, machine):
    """From here on this process is on another machine, where numbers of processes mean nothing to the others."""
    name = f"{machine}:7:7"
    for module in ("postgres", "journal", "record"):
        monkeypatch.setattr(f"varde.selection.{module}.this_process", lambda: name)


def test_draws_of_a_machine_that_fell_silent_are_handed_out_again(url, monkeypatch):
    elsewhere(monkeypatch, "far")
    far = varde.Selector(NAMES, 12, store=postgres(url, silence=1.2))
    draws = far.ask(12)
    elsewhere(monkeypatch, "near")
    with varde.Selector(NAMES, 12, store=postgres(url, silence=1.2)) as near:
        sql = near._journal.record.log.connection
        sql.execute("UPDATE varde.workers SET until = now() - interval '1 hour' WHERE worker LIKE 'far%'")
        while not sql.execute("SELECT 1 FROM varde.workers WHERE worker LIKE 'far%' AND until > now()").fetchone():
            time.sleep(0.01)
        assert near.ask() is None  # it says that it lives, though it evaluates all the time
        far._journal.record.log.over.set()
        while not (again := near.ask(12)):
            time.sleep(0.01)
        assert {draw.id for draw in again} == {draw.id for draw in draws}
        assert near.tell(again[0], 1.0)
        assert far.tell(again[0].id, 2.0) is False and far.tell(again[1].id, 2.0)  # late: taken where it is the first
        assert near.tell(again[1], 3.0) is False and near.spent == far.spent == 2
    far.close()


def test_a_server_that_was_away_takes_nobody_for_silent(server, url, monkeypatch):
    elsewhere(monkeypatch, "far")
    far = varde.Selector(NAMES, 12, store=url)
    far.ask(12)
    far._journal.record.log.connection.execute("UPDATE varde.workers SET until = now() - interval '1 hour'")
    elsewhere(monkeypatch, "near")
    server.stop()
    server.start()
    with varde.Selector.open(postgres(url, silence=600.0)) as near:
        assert near.ask() is None  # it started less than that ago
    with varde.Selector.open(postgres(url, silence=0.01)) as near:
        assert near.ask() is not None
    far.close()


# -- real processes, real kills ----------------------------------------------------------------------


def test_processes_killed_and_cut_at_random_lose_nothing_and_count_nothing_twice(tmp_path, server, name):
    from tests.attack.database import survive

    kills, cuts, processes, budget = times((3, 3, 4, 200), (8, 6, 8, 400))
    survived = survive(server, name, tmp_path, 1, kills, cuts, restarts=1, processes=processes, budget=budget)
    assert survived.kills == kills and survived.cuts >= cuts and survived.restarts == 1
    assert survived.lost == survived.twice == 0 and survived.stored == budget and survived.acknowledged > budget // 2
