"""Recovery to an instant as docs/operations.md has it ("To an instant"): WAL archiving and pg_basebackup of PostgreSQL,
then `bipe restore --recovered`, then a node. Run by `make operator`; without PostgreSQL's programs it says so."""

import glob
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "docs/operations.md"
BINARY = Path(os.environ.get("BIPE_BIN", ROOT / "target/debug/bipe")).resolve()
PROGRAMS = [Path(path).parent for path in sorted(glob.glob("/usr/lib/postgresql/1[5-8]/bin/pg_basebackup"))]
# PostgreSQL refuses to run as root.
USER = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
TIMEOUT = 60
MOMENT = 0.05
PASSWORD = "Segura#123"
ANA, BIA = ("ana@example.com", "11144477735"), ("bia@example.com", "52998224725")


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def settings_of_the_manual(heading):
    """The lines of the first block of that name in the section of the manual."""
    section = MANUAL.read_text().split("### To an instant\n")[1].split("\n## ")[0]
    return re.search(rf"```ini\n# {heading}\n(.*?)```", section, re.S)[1].splitlines()


class Cluster:
    """A server of PostgreSQL on a socket in its own folder."""

    def __init__(self, home, name, settings):
        self.data, self.socket = home / name, home / f"{name}-socket"
        self.settings = [*settings, "listen_addresses=''", f"unix_socket_directories='{self.socket}'", "fsync=off"]
        self.socket.mkdir()
        own(self.socket)
        self.process = None

    def program(self, name, *words):
        return run(PROGRAMS[-1] / name, *words, cwd="/", **USER)

    def create(self):
        self.program("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")

    def start(self, state="SELECT NOT pg_is_in_recovery()"):
        """Runs until it is stopped; returns when it is in that state."""
        words = [word for line in self.settings for word in ("-c", line.replace(" = ", "=").replace("'", ""))]
        log = self.data.with_suffix(".log").open("a")
        command = [PROGRAMS[-1] / "postgres", "-D", self.data, *words]
        self.process = subprocess.Popen(command, cwd="/", stdout=log, stderr=log, **USER)
        log.close()
        until(lambda: self.answers(state), lambda: self.data.with_suffix(".log").read_text())

    def answers(self, sql):
        words = ["-h", self.socket, "-U", "postgres", "-Atc", sql]
        asked = subprocess.run(["psql", *map(str, words)], capture_output=True, text=True, cwd="/", **USER)
        return asked.stdout.strip() == "t"

    def ask(self, sql, database="bipe"):
        words = ["-h", self.socket, "-U", "postgres", "-d", database, "-v", "ON_ERROR_STOP=1", "-Atc", sql]
        return self.program("psql", *words).strip()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(2)
            self.process.wait(TIMEOUT)

    def url(self):
        return f"host='{self.socket}' user='bipe' dbname='bipe'"


class Node:
    """`bipe serve` on a cluster."""

    def __init__(self, environment):
        words = {"env": environment | {"BIPE_BIND": "127.0.0.1:0", "RUST_LOG": "error"}, "text": True}
        self.process = subprocess.Popen(
            [BINARY, "serve"], cwd=environment["BIPE_DATA_DIR"], stdout=subprocess.PIPE, **words
        )
        lines = (line for line in self.process.stdout if line.startswith("listening on "))
        self.url = next(lines, "").removeprefix("listening on ").strip()
        assert self.url, "no start"

    def call(self, method, path, body=None, token=None):
        headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as refused:
            return refused.code, json.loads(refused.read())

    def sign_up(self, email, document):
        consents = {f"consent_{name}_terms": True for name in ("legal", "privacy", "lgpd")}
        person = {"userName": "Ana Souza", "userEmail": email, "userDocument": document, "userPhone": "(11) 98765-4321"}
        secret = {"userBirthDate": "1990-04-12", "password": PASSWORD, "password_confirmation": PASSWORD}
        assert self.call("POST", "/api/auth/register", person | secret | consents)[0] == 201
        self.call("POST", "/dev/jobs/run", {})
        text = self.call("GET", f"/dev/mailbox.json?to={email}")[1]["messages"][0]["text"]
        code = {"userEmail": email, "verificationCode": re.search(r"^\d{6}$", text, re.M)[0]}
        assert self.call("POST", "/api/auth/verify-email", code)[0] == 200
        return self.sign_in(email)[1]["data"]["tokens"]["accessToken"]

    def sign_in(self, email):
        return self.call("POST", "/api/auth/login", {"userEmail": email, "password": PASSWORD})

    def companies(self, token):
        found = self.call("GET", "/api/companies", token=token)[1]["data"]["companies"]
        return [company["companyName"] for company in found]

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(TIMEOUT)
        self.process.stdout.close()


class Recovery(unittest.TestCase):
    def setUp(self):
        self.home = Path(tempfile.mkdtemp(prefix="bipe-recovery-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.home.chmod(0o755)
        self.archive, self.bipe = self.home / "archive", self.home / "bipe"
        for folder in (self.archive, self.bipe):
            folder.mkdir()
        own(self.home)
        own(self.archive)

    def settings(self, heading, at=None):
        """Those of the manual, with this test's folder and instant."""
        lines = [line.replace("/archive", str(self.archive)) for line in settings_of_the_manual(heading)]
        return [re.sub(r"(recovery_target_time =) .*", rf"\1 '{at}'", line) for line in lines]

    def cluster(self, name, settings):
        cluster = Cluster(self.home, name, settings)
        self.addCleanup(cluster.stop)
        return cluster

    def environment(self, cluster):
        return {"PATH": os.environ["PATH"], "BIPE_DATA_DIR": str(self.bipe), "DATABASE_URL": cluster.url()}

    def node(self, cluster):
        node = Node(self.environment(cluster))
        self.addCleanup(node.stop)
        return node

    def primary(self):
        cluster = self.cluster("primary", self.settings("archiving"))
        cluster.create()
        cluster.start()
        cluster.ask("CREATE ROLE bipe LOGIN CREATEROLE", "postgres")
        cluster.ask("CREATE DATABASE bipe OWNER bipe", "postgres")
        return cluster

    def base_backup(self, cluster, target):
        words = ["-D", target, "-h", cluster.socket, "-U", "postgres", "-X", "none", "-c", "fast", "--no-sync"]
        cluster.program("pg_basebackup", *words)

    def recovered(self, cluster, *words):
        command = [BINARY, "restore", "--recovered", *words]
        # PostgreSQL notices a moment later that a node has gone.
        nodes = "SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'bipe'"
        until(lambda: cluster.answers(nodes), lambda: "a node is connected")
        return run(*command, env=self.environment(cluster), cwd=self.bipe)

    def recover(self, name, settings):
        """A base backup that runs, when the log was replayed until the instant."""
        cluster = self.cluster(name, [*self.settings("archiving"), *settings])
        (cluster.data / "recovery.signal").touch()
        own(cluster.data / "recovery.signal")
        cluster.start()
        return cluster

    def test_a_deletion_is_undone_and_nothing_else_comes_back(self):
        primary = self.primary()
        node = self.node(primary)
        self.base_backup(primary, self.home / "restored")
        # All of this is in the archive alone.
        ana, bia = node.sign_up(*ANA), node.sign_up(*BIA)
        self.assertEqual(node.call("POST", "/api/companies", {"companyName": "Antes"}, ana)[0], 201)
        at = primary.ask("SELECT clock_timestamp()")
        erased = node.call("DELETE", "/api/auth/me", {"password": PASSWORD}, bia)
        self.assertEqual(erased[0], 204, erased)
        self.assertEqual(node.call("POST", "/api/companies", {"companyName": "Depois"}, ana)[0], 201)
        primary.ask("DELETE FROM members")
        self.assertEqual(node.companies(ana), [])
        node.stop()
        before = epochs(primary)
        primary.stop()
        log = self.home / "erasures.log"
        (self.bipe / "erasures.log").rename(log)

        run("cp", "-a", self.home / "restored", self.home / "again")
        restored = self.recover("restored", self.settings("recovery", at=at))
        said = self.recovered(restored, "--erasures", log)
        self.assertRegex(said, r"\Aa new history has begun; 1 erased people were erased again;")
        after = epochs(restored)
        known = before.keys() & after.keys()
        self.assertTrue(known)
        for channel in known:
            self.assertNotEqual(before[channel], after[channel], channel)
        node = self.node(restored)
        status, signed_in = node.sign_in(ANA[0])
        self.assertEqual(status, 200)
        self.assertEqual(node.companies(signed_in["data"]["tokens"]["accessToken"]), ["Antes"])
        self.assertEqual(node.sign_in(BIA[0])[0], 401)
        self.assertEqual(restored.ask(f"SELECT count(*) FROM users WHERE email = '{BIA[0]}'"), "0")
        # A second attempt from the log of the lost database, which the first one has left by a timeline of its own.
        node.stop()
        restored.stop()
        lost = ["recovery_target_timeline = 0x00000001"]
        again = self.recover("again", [*self.settings("recovery", at=at), *lost])
        self.assertEqual(again.ask("SELECT current_timeline() || ' ' || count(*) FROM companies"), "3 1")

    def test_a_copy_of_the_files_that_looks_like_the_lost_database_begins_a_new_history(self):
        primary = self.primary()
        self.node(primary).stop()
        before = primary.ask("SELECT current_history()")
        primary.stop()
        primary.start()
        self.node(primary).stop()
        self.assertEqual(primary.ask("SELECT current_history()"), before, "a node alone sees no difference")
        self.assertRegex(self.recovered(primary), r"\Aa new history has begun; 0 erased")
        after = primary.ask("SELECT current_history()")
        self.assertNotEqual(after, before)
        self.node(primary).stop()
        self.assertEqual(primary.ask("SELECT current_history()"), after, "and keeps it")

    def test_a_database_in_recovery_is_left_alone(self):
        primary = self.primary()
        self.node(primary).stop()
        primary.stop()
        (primary.data / "standby.signal").touch()
        own(primary.data / "standby.signal")
        primary.start("SELECT pg_is_in_recovery()")
        refused = subprocess.run(
            [BINARY, "restore", "--recovered"],
            env=self.environment(primary), cwd=self.bipe, capture_output=True, text=True,
        )
        self.assertEqual(refused.returncode, 1)
        self.assertIn("still in recovery", refused.stderr)


def epochs(cluster):
    """Of each channel, as browsers get them."""
    rows = cluster.ask("SELECT channel || ' ' || epoch_in_history(epoch, current_history()) FROM channel_heads")
    return dict(row.rsplit(" ", 1) for row in rows.splitlines())


def own(path):
    if USER:
        user = pwd.getpwnam("postgres")
        os.chown(path, user.pw_uid, user.pw_gid)


def until(holds, told):
    end = time.monotonic() + TIMEOUT
    while not holds():
        assert time.monotonic() < end, told()
        time.sleep(MOMENT)


if __name__ == "__main__":
    if not PROGRAMS:
        print("the test of recovery to an instant: skipped for want of PostgreSQL's own programs", file=sys.stderr)
        sys.exit()
    sys.exit(unittest.main(verbosity=1))
