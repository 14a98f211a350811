"""The unit, installed into a folder by `make install` and started as systemd would: with the unit's own environment,
files of secrets, and a socket that hears what the process tells. Run by `make operator`; BIPE_PROGRAMS names the
programs that are there."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("BIPE_BIN", ROOT / "target/debug/bipe")).resolve()
PROGRAMS = os.environ.get("BIPE_PROGRAMS", "").split()
HAS_SYSTEMD = "systemd-analyze" in PROGRAMS
PREFIX = "/opt/bipe"
# The exposure that `systemd-analyze security` may find, times ten.
THRESHOLD = 15
# What a shutdown takes behind the drain delay: docs/operations.md, "Shutdown".
SHUTDOWN_SECONDS = 12 + 20
TIMEOUT = 60

SECRETS = {
    "BIPE_SECRET": "Zm9yIHRoZSB0ZXN0IG9mIHRoZSB1bml0OiAwMTIzNDU2Nzg5YWJjZGVm",
    "SMTP_URL": "smtp://127.0.0.1:9",
    "STRIPE_SECRET_KEY": "sk_live_of_a_test",
    "STRIPE_WEBHOOK_SECRET": "whsec_of_a_test",
}


def run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)


class Unit:
    """The lines of a unit that was installed below a folder."""

    def __init__(self, path):
        pairs = re.findall(r"^(\w+)=(.*)$", path.read_text(), re.M)
        self.lines = pairs

    def all(self, key):
        return [value for name, value in self.lines if name == key]

    def one(self, key):
        (value,) = self.all(key)
        return value


class Service(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = Path(tempfile.mkdtemp(prefix="bipe-service-"))
        cls.home.chmod(0o755)
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        cls.dest = cls.home / "dest"
        cls.install()
        cls.unit_file = cls.dest / PREFIX[1:] / "lib/systemd/system/bipe.service"
        cls.unit = Unit(cls.unit_file)

    @classmethod
    def install(cls):
        words = [f"DESTDIR={cls.dest}", f"PREFIX={PREFIX}", f"BINARY={BINARY}"]
        # As an operator's shell may have it (docs/operations.md, "As a service").
        done = run("make", "--no-print-directory", "-C", ROOT, "install", *words, umask=0o077)
        assert done.returncode == 0, done.stderr

    def below(self, path):
        """A path of the unit, below the folder."""
        return self.dest / path.replace("%S", "/var/lib").lstrip("/")

    def test_the_files_stand_where_systemd_looks(self):
        lib = self.dest / PREFIX[1:] / "lib"
        self.assertEqual(self.unit.one("ExecStart"), f"{PREFIX}/bin/bipe serve")
        self.assertTrue(os.access(self.dest / PREFIX[1:] / "bin/bipe", os.X_OK))
        for name in ["sysusers.d/bipe.conf", "tmpfiles.d/bipe.conf", "systemd/system/bipe.service"]:
            self.assertEqual((lib / name).stat().st_mode & 0o777, 0o644, name)
        self.assertTrue(self.below("/etc/bipe/bipe.env").is_file())

    def test_a_second_install_keeps_the_operators_settings(self):
        settings = self.below("/etc/bipe/bipe.env")
        before = settings.read_text()
        settings.write_text(before + "MIN_AGE=21\n")
        self.install()
        self.assertIn("MIN_AGE=21", settings.read_text())
        settings.write_text(before)

    def test_the_time_to_stop_is_longer_than_a_shutdown(self):
        drain = int(self.typed_by_hand()["BIPE_DRAIN_DELAY"])
        self.assertGreater(int(self.unit.one("TimeoutStopSec")), drain + SHUTDOWN_SECONDS)

    def typed_by_hand(self):
        """The settings of a command behind the line of docs/operations.md."""
        line = f"set -a; . {self.below('/etc/bipe/bipe.env')}; BIPE_ENV=production env"
        return dict(line.split("=", 1) for line in run("sh", "-c", line, env={}).stdout.splitlines())

    def test_a_command_that_is_typed_by_hand_has_the_settings_of_the_service(self):
        typed = self.typed_by_hand()
        for line in self.unit.all("Environment"):
            name, value = line.replace("%S", "/var/lib").split("=", 1)
            self.assertEqual(typed.get(name), value, name)
        self.assertEqual(typed["BIPE_DATA_DIR"], self.unit.one("WorkingDirectory").replace("%S", "/var/lib"))

    @unittest.skipUnless(HAS_SYSTEMD, "no systemd-analyze")
    def test_systemd_takes_the_unit_and_finds_it_hardened(self):
        # The command is looked for on this machine: the unit is checked with the path of the installed binary.
        checked = self.home / "bipe.service"
        checked.write_text(self.unit_file.read_text().replace(PREFIX, str(self.dest / PREFIX[1:])))
        verified = run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", checked)
        self.assertEqual((verified.returncode, verified.stdout), (0, ""), verified.stderr)
        self.assertNotIn("bipe.service", verified.stderr)
        words = ["--offline=true", f"--threshold={THRESHOLD}", "--no-pager"]
        rated = run("systemd-analyze", "security", *words, self.unit_file)
        self.assertEqual(rated.returncode, 0, rated.stdout + rated.stderr)
        # docs/security.md, "Passwords": a thread that hashes gives way.
        self.assertIn("setpriority is allowed", rated.stdout)

    def test_a_crash_leaves_no_dump_of_the_memory(self):
        # docs/security.md, "Secrets and keys".
        self.assertEqual(self.unit.one("LimitCORE"), "0")

    @unittest.skipUnless(HAS_SYSTEMD and os.geteuid() == 0, "needs systemd and root")
    def test_the_user_and_the_folders_are_made(self):
        lib = self.dest / PREFIX[1:] / "lib"
        made = run("systemd-sysusers", f"--root={self.dest}", lib / "sysusers.d/bipe.conf")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("\nbipe:x:", "\n" + self.below("/etc/passwd").read_text())
        made = run("systemd-tmpfiles", "--create", f"--root={self.dest}", lib / "tmpfiles.d/bipe.conf")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(self.below("/etc/bipe/credentials").stat().st_mode & 0o777, 0o700)

    def database(self):
        """A server with a database of its own, as its owner and as the role that owns nothing."""
        data = self.home / "data"
        data.mkdir()
        data.chmod(0o755)
        environment = {"PATH": os.environ["PATH"], "BIPE_DATA_DIR": str(data), "BIPE_BIND": "127.0.0.1:0"}
        words = {"cwd": data, "env": environment | {"RUST_LOG": "error"}, "stdout": subprocess.PIPE, "text": True}
        server = subprocess.Popen([BINARY, "serve"], **words)
        self.addCleanup(stop, server)
        self.assertTrue(any(line.startswith("listening") for line in server.stdout), "no database")
        return [f"host='{data}/postgres/socket' user='{user}' dbname='bipe'" for user in ("bipe_owner", "bipe_app")]

    def environment(self, owner, login, notify):
        """What systemd would set, from the unit, its file and its secrets."""
        state = self.below(self.unit.one("WorkingDirectory"))
        state.mkdir(parents=True)
        found = dict(line.split("=", 1) for line in self.unit.all("Environment"))
        for path in self.unit.all("EnvironmentFile"):
            lines = [line.split("=", 1) for line in self.below(path).read_text().splitlines() if line[:1].isupper()]
            found |= {name: value.strip('"') for name, value in lines}
        found["BIPE_DATA_DIR"] = str(self.below(found["BIPE_DATA_DIR"]))
        # What an operator writes into the file, and nothing that would leave this machine.
        found |= {"BIPE_BIND": f"127.0.0.1:{free_port()}", "STRIPE_PUBLISHABLE_KEY": "pk_live_of_a_test"}
        found |= {"STRIPE_API_BASE": "http://127.0.0.1:9/", "BIPE_CEP_URL": "", "DATABASE_MIGRATION_URL": owner}
        folder = self.home / "credentials"
        folder.mkdir()
        for line in self.unit.all("LoadCredential"):
            name = line.split(":", 1)[0]
            (folder / name).write_text({**SECRETS, "DATABASE_URL": login}[name] + "\n")
        found |= {"CREDENTIALS_DIRECTORY": str(folder), "NOTIFY_SOCKET": str(notify), "WATCHDOG_USEC": "4000000"}
        return state, found

    def test_the_installed_binary_tells_systemd_that_it_is_ready_alive_and_stopping(self):
        notify = self.home / "notify"
        heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(heard.close)
        heard.bind(str(notify))
        heard.settimeout(TIMEOUT)
        state, environment = self.environment(*self.database(), notify)
        binary = self.dest / PREFIX[1:] / "bin/bipe"
        command = [binary, *self.unit.one("ExecStart").split()[1:]]
        words = {"cwd": state, "env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        server = subprocess.Popen(command, text=True, **words)
        self.addCleanup(stop, server)
        messages = [tell(heard, server)]
        self.assertEqual(messages[0], "READY=1")
        # It answers from the moment on at which it says so.
        healthy = run(binary, "healthcheck", env=environment, cwd=state)
        self.assertEqual((healthy.returncode, healthy.stdout, healthy.stderr), (0, "", ""))
        while messages.count("WATCHDOG=1") < 3:
            messages.append(tell(heard, server))
        server.send_signal(signal.SIGTERM)
        began = time.monotonic()
        while messages[-1] != "STOPPING=1":
            messages.append(tell(heard, server))
        unready = run(binary, "healthcheck", env=environment, cwd=state)
        self.assertEqual(unready.returncode, 1)
        self.assertRegex(unready.stderr, r"\Anot ready: HTTP/1\.\d 503 [^\n]*\n\Z")
        log = server.communicate(timeout=int(self.unit.one("TimeoutStopSec")))[1]
        self.assertEqual(server.returncode, 0, log)
        self.assertGreaterEqual(time.monotonic() - began, 6, "the drain delay of the unit")
        self.assertEqual(set(messages), {"READY=1", "WATCHDOG=1", "STOPPING=1"})
        for secret in SECRETS.values():
            self.assertNotIn(secret, log)
        gone = run(binary, "healthcheck", env=environment, cwd=state)
        self.assertEqual((gone.returncode, gone.stderr.count("\n")), (1, 1), gone.stderr)


def tell(heard, server):
    """The next message of the process."""
    try:
        return heard.recv(4096).decode().strip()
    except TimeoutError:
        server.kill()
        raise AssertionError(f"nothing was told: {server.stderr.read()}") from None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stop(server):
    if server.poll() is None:
        server.terminate()
        server.wait(TIMEOUT)
    for stream in (server.stdout, server.stderr):
        if stream:
            stream.close()


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
