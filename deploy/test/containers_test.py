"""The image and the compose files, as far as a machine without a container engine can prove them: what hadolint and
the schema of compose say, the image's root as a root, and the command line of every service with its own settings and
secrets. Run by `make operator` with the Python of `.ci/python`; programs that are missing are skipped."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
MANUAL = ROOT / "docs/operations.md"
BINARY = Path(os.environ.get("BIPE_BIN", ROOT / "target/debug/bipe")).resolve()
TOOLS = Path(sys.executable).parent
IS_ROOT = os.geteuid() == 0
PATH = os.environ["PATH"] + ":/usr/sbin"
POSTGRES = sorted(glob.glob("/usr/lib/postgresql/1[5-8]/bin/pg_basebackup"))
# The user of the image.
USER = 65532
GIVEN = {
    "BIPE_DOMAIN": "bipe.example.com",
    "BIPE_ACME_EMAIL": "ana@example.com",
    "SALES_EMAIL": "vendas@bipe.example.com",
    "STRIPE_PUBLISHABLE_KEY": "pk_live_of_a_test",
    "BIPE_LEGAL_NAME": "Bipe Ltda.",
    "BIPE_LEGAL_TAX_ID": "11.222.333/0001-81",
    "BIPE_LEGAL_ADDRESS": "Rua A, 1, São Paulo",
}
WRITTEN = {
    "SMTP_URL": "smtps://mail.example.com",
    "STRIPE_SECRET_KEY": "sk_live_of_a_test",
    "STRIPE_WEBHOOK_SECRET": "whsec_of_a_test",
}


def run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)


def has(program):
    return shutil.which(program, path=PATH) is not None


def compose(name):
    return YAML(typ="safe").load(DEPLOY / "compose" / f"{name}.yml")


FILES = {name: compose(name) for name in ["basic", "ha"]}
SERVICES = [(f"{name}/{key}", service) for name, file in FILES.items() for key, service in file["services"].items()]


def filled(text, missing=None):
    """`text` with compose's variables; a variable that must be there and is not is noted in `missing`."""

    def value(match):
        name, way, rest = match[1], match[2], match[3]
        if name in GIVEN:
            return GIVEN[name]
        if way == ":-":
            return filled(rest, missing)
        if missing is not None:
            missing.append(name)
        return ""

    return re.sub(r"\$\{(\w+)(?:(:[-?])((?:[^{}]|\$\{[^}]*\})*))?\}", value, str(text))


def settings(service, secrets):
    """The environment of a service, with this machine's paths. A name without a value is taken over where it is set."""
    pairs = service.get("environment", {}).items()
    given = {name: GIVEN.get(name) if value is None else filled(value) for name, value in pairs}
    return {name: value.replace("/run/secrets", str(secrets)) for name, value in given.items() if value is not None}


def image_settings():
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    final = text.split("FROM scratch AS final\n")[1]
    return dict(word.split("=", 1) for word in re.search(r"^ENV (.*)", final, re.M)[1].split())


class Containers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = Path(tempfile.mkdtemp(prefix="bipe-containers-"))
        cls.home.chmod(0o755)
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        cls.secrets = cls.home / "secrets"
        # As an operator makes it who writes the other secrets first.
        cls.secrets.mkdir()
        cls.secrets.chmod(0o755)
        cls.said = run(DEPLOY / "compose/prepare", "ha", cls.secrets)
        cls.mode = cls.secrets.stat().st_mode & 0o777
        for name, text in WRITTEN.items():
            (cls.secrets / name).write_text(text + "\n")
        pair = [(cls.secrets / f"nats.{end}").read_text() for end in ("pem", "key")]
        (cls.secrets / "proxy.pem").write_text("".join(pair))
        # For the users of this machine's programs.
        cls.secrets.chmod(0o755)

    def test_the_secrets_are_made_once_and_the_others_are_asked_for(self):
        self.assertEqual(self.said.returncode, 1)
        for name in [*WRITTEN, "proxy.pem"]:
            self.assertIn(f"{self.secrets}/{name}", self.said.stderr)
        before = {path.name: path.read_bytes() for path in self.secrets.iterdir()}
        again = run(DEPLOY / "compose/prepare", "ha", self.secrets)
        self.secrets.chmod(0o755)
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertEqual({path.name: path.read_bytes() for path in self.secrets.iterdir()}, before)
        ignored = run("git", "check-ignore", "deploy/compose/secrets/BIPE_SECRET", cwd=ROOT)
        self.assertEqual(ignored.returncode, 0, "the secrets could be committed")
        self.assertEqual(self.mode, 0o700, "everybody could read the secrets")

    def test_nothing_is_made_without_openssl_or_for_an_unknown_kind(self):
        bare = self.home / "bare"
        bare.mkdir()
        for program in ["cat", "chmod", "dirname", "mkdir", "rm"]:
            (bare / program).symlink_to(shutil.which(program))
        folder = self.home / "unmade"
        said = run(DEPLOY / "compose/prepare", "ha", folder, env={"PATH": str(bare)})
        self.assertEqual((said.returncode, said.stderr), (1, "prepare needs openssl: apt install openssl\n"))
        said = run(DEPLOY / "compose/prepare", "HA", folder)
        self.assertEqual((said.returncode, said.stderr), (2, "usage: ./prepare [basic|ha] [FOLDER]\n"))
        self.assertFalse(folder.exists())

    def test_an_openssl_that_fails_is_heard_and_leaves_no_empty_secret(self):
        programs, folder = self.home / "failing", self.home / "half"
        programs.mkdir()
        for failing in ["rand", "req"]:
            fails = f'[ "$1" != {failing} ] || {{ echo "no {failing}" >&2; exit 1; }}'
            (programs / "openssl").write_text(f"#!/bin/sh\n{fails}\necho word\n")
            (programs / "openssl").chmod(0o755)
            said = run(DEPLOY / "compose/prepare", "ha", folder, env={"PATH": f"{programs}:{PATH}"})
            self.assertEqual((said.returncode, said.stderr), (1, f"no {failing}\n"))
            self.assertEqual([path for path in folder.iterdir() if not path.read_text().strip()], [])

    def test_the_files_fit_the_schema_of_compose(self):
        files = [DEPLOY / "compose" / f"{name}.yml" for name in FILES]
        checked = run(TOOLS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", *files)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_the_file_holds_without_the_first_primary(self):
        # What docs/operations.md, "As containers", lets the operator delete.
        lines = r"^  database1:\n(?:    .*\n)+|^ .*database1: \{.*\n"
        file = self.home / "ha.yml"
        file.write_text(re.sub(lines, "", (DEPLOY / "compose/ha.yml").read_text(), flags=re.M))
        checked = run(TOOLS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", file)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        services = YAML(typ="safe").load(file)["services"]
        waited_for = {name for service in services.values() for name in service.get("depends_on", {})}
        self.assertEqual((waited_for - set(services), len(services)), (set(), len(FILES["ha"]["services"]) - 1))

    def test_a_variable_that_is_missing_is_named(self):
        for name, service in SERVICES:
            missing = []
            for value in service.get("environment", {}).values():
                filled(value, missing)
            self.assertEqual(missing, [], name)
        missing = []
        self.assertEqual(filled("${A:?give it}-${B:-b ${BIPE_DOMAIN}}", missing), "-b bipe.example.com")
        self.assertEqual(missing, ["A"])

    def test_services_are_pinned_confined_and_hold_no_secret(self):
        for name, service in SERVICES:
            image = service["image"]
            self.assertTrue(image == "bipe" or re.search(r":\d+\.\d+", image), f"{name}: {image}")
            self.assertIn("no-new-privileges:true", service["security_opt"], name)
            self.assertEqual(set(service["logging"]["options"]), {"max-size", "max-file"}, name)
            is_database = image.startswith("postgres")
            self.assertEqual(service.get("read_only", False), not is_database, name)
            self.assertEqual(service.get("cap_drop", []), [] if is_database else ["ALL"], name)
            # docs/security.md, "Secrets and keys": a crash leaves no dump of the memory.
            self.assertEqual(service.get("ulimits", {}), {"core": 0} if image == "bipe" else {}, name)
            for key, value in service.get("environment", {}).items():
                is_secret = re.search("PASSWORD|SECRET|TOKEN", key) and not key.endswith("_FILE")
                self.assertFalse(is_secret, f"{name}: {key}={value}")

    def test_no_database_logs_statements_or_values(self):
        for name, service in SERVICES:
            if service["image"].startswith("postgres"):
                for setting in ["log_error_verbosity=terse", "log_min_error_statement=panic"]:
                    self.assertIn(setting, service["command"], name)

    def test_every_secret_is_named_made_and_used(self):
        for name, file in FILES.items():
            used = {secret for service in file["services"].values() for secret in service.get("secrets", [])}
            self.assertEqual(used, set(file["secrets"]), name)
            for secret in file["secrets"].values():
                self.assertTrue((self.secrets / Path(secret["file"]).name).is_file(), secret)

    def test_only_the_own_network_is_a_trusted_proxy_and_a_stop_has_time(self):
        for name, file in FILES.items():
            (network,) = file["networks"].values()
            for key, service in file["services"].items():
                if service["image"] != "bipe":
                    continue
                given = service["environment"]
                self.assertEqual(given["BIPE_TRUSTED_PROXIES"], network["ipam"]["config"][0]["subnet"], name)
                grace = int(service["stop_grace_period"].removesuffix("s"))
                # docs/operations.md, "Shutdown": 12 s for the browsers, 20 s for running requests.
                self.assertGreater(grace, given["BIPE_DRAIN_DELAY"] + 32, key)

    def test_the_image_is_pinned_and_compiles_without_a_network(self):
        file = DEPLOY / "Dockerfile"
        linted = run(TOOLS / "hadolint", file)
        self.assertEqual((linted.returncode, linted.stdout), (0, ""), linted.stderr)
        text = file.read_text()
        for image in re.findall(r"^FROM (\S+) AS", text, re.M):
            self.assertRegex(image, r"^scratch$|:\d+\.\d+\.\d+", image)
        for command in re.findall(r"^RUN (.*)$", text, re.M):
            fetches = command.startswith(("npm ci ", "cargo fetch "))
            self.assertTrue(fetches or command.startswith("--network=none "), command)
        final = text.split("FROM scratch AS final\n")[1]
        self.assertIn(f"\nUSER {USER}:{USER}\n", final)
        self.assertIn('CMD ["/usr/bin/bipe", "healthcheck"]\n', final)
        # A migration has as long as under systemd.
        minutes = re.search(r"^TimeoutStartSec=(\d+)min$", (DEPLOY / "systemd/bipe.service").read_text(), re.M)[1]
        self.assertEqual(re.findall(r"--start-period=(\w+)", text), [f"{minutes}m"] * 2)
        # What git ignores in the folders that are copied is of this machine.
        ignored = [line.lstrip("/") for line in (ROOT / ".gitignore").read_text().splitlines()]
        left_out = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
        copied = [path for path in ignored if path.startswith(("web/", "loadtest/"))]
        self.assertTrue(copied and set(copied) <= set(left_out), copied)
        wanted = re.search(r'^rust-version = "([\d.]+)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]
        self.assertIn(f"\nFROM rust:{wanted}.", text, "the image compiles with the oldest Rust that is promised")

    @unittest.skipUnless(IS_ROOT, "needs root")
    def test_the_images_root_is_enough_for_the_binary(self):
        root = self.home / "root"
        made = run(DEPLOY / "image-root", BINARY, root)
        self.assertEqual(made.returncode, 0, made.stderr)
        no_binary = run(DEPLOY / "image-root", __file__, self.home / "no-root")
        self.assertNotEqual(no_binary.returncode, 0, "its libraries cannot be known")
        names = {path.name for path in root.rglob("*") if path.is_file()}
        self.assertTrue({"bipe", "passwd", "group", "nsswitch.conf"} < names, names)
        self.assertFalse({"sh", "bash", "busybox"} & names, names)
        inside = [shutil.which("chroot", path=PATH), f"--userspec={USER}:{USER}", root, "/usr/bin/bipe"]
        version = run(*inside, "--version", env={})
        self.assertEqual((version.returncode, version.stderr), (0, ""))
        healthy = run(*inside, "healthcheck", env={"BIPE_BIND": "0.0.0.0:9"})
        self.assertEqual((healthy.returncode, healthy.stderr.count("\n")), (1, 1), healthy.stderr)
        # Nothing is set: it says what it needs, each in a line.
        checked = run(*inside, "config", "check", env=image_settings())
        self.assertIn("production needs BIPE_SECRET", checked.stderr)

    def test_bipe_takes_the_settings_of_every_node(self):
        for name, service in SERVICES:
            if service["image"] != "bipe":
                continue
            file = FILES[name.split("/")[0]]
            folder = self.home / name.replace("/", "-")
            folder.mkdir()
            for secret in service["secrets"]:
                source = self.secrets / Path(file["secrets"][secret]["file"]).name
                shutil.copy(source, folder / secret)
            given = image_settings() | settings(service, folder) | {"CREDENTIALS_DIRECTORY": str(folder)}
            checked = run(BINARY, "config", "check", env=given, cwd=folder)
            # Nor does it warn of a setting that compose does not pass on.
            self.assertEqual((checked.returncode, checked.stderr), (0, ""), name)
            (folder / "BIPE_SECRET").unlink()
            checked = run(BINARY, "config", "check", env=given, cwd=folder)
            self.assertIn("production needs BIPE_SECRET", checked.stderr)

    def test_the_manual_has_the_commands_of_an_operator_for_containers(self):
        page = MANUAL.read_text().replace("\\\n", " ")
        here = page.split("\n## As containers\n")[1].split("\n## ")[0]
        for command in ["admin create", "doctor", "alerts", "backup", "backup verify", "restore", "upgrade check"]:
            self.assertRegex(here, rf"(?m)^[^#`\n]* bipe {command}( |$)", command)
            asked = run(BINARY, *command.split(), "--help", cwd=self.home)
            self.assertIn(f"Usage: bipe {command} ", asked.stdout, asked.stderr)
        # Those in which no node may run, or not yet.
        for command in ["restore", "upgrade check"]:
            self.assertRegex(here, rf"docker compose run [^\n]* bipe {command}", command)
        # The rows are people's data.
        for line in page.splitlines():
            self.assertTrue("umask 077" in line or not re.search(r"backup --to - +>", line), line)

    def test_the_manual_leaves_a_pod_the_time_to_stop_and_its_user_the_files(self):
        section = MANUAL.read_text().split("\n### On Kubernetes\n")[1].split("\n## ")[0]
        pod = YAML(typ="safe").load(section.split("```yaml\n")[1].split("```")[0])["spec"]["template"]["spec"]
        # docs/operations.md, "Shutdown"; 6 s is the delay without a setting.
        self.assertGreater(pod["terminationGracePeriodSeconds"], 6 + 32)
        self.assertEqual(pod["securityContext"]["fsGroup"], USER)
        (container,) = pod["containers"]
        mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
        image = image_settings()
        self.assertEqual(mounts, {image["BIPE_DATA_DIR"], image["CREDENTIALS_DIRECTORY"]})
        self.assertEqual(container["livenessProbe"]["httpGet"]["path"], "/health")

    @unittest.skipUnless(has("caddy"), "no caddy")
    def test_caddy_takes_its_settings(self):
        service = FILES["basic"]["services"]["proxy"]
        words = [str(word).replace("/etc/caddy", str(DEPLOY)) for word in service["command"]]
        self.assertEqual(words[:2], ["caddy", "run"])
        given = settings(service, self.secrets) | {"PATH": PATH, "HOME": str(self.home)}
        checked = run("caddy", "validate", *words[2:], env=given)
        self.assertEqual(checked.returncode, 0, checked.stderr)

    @unittest.skipUnless(has("haproxy"), "no haproxy")
    def test_haproxy_takes_its_settings(self):
        service = FILES["ha"]["services"]["proxy"]
        words = [str(word).replace("/usr/local/etc/haproxy", str(DEPLOY)) for word in service["command"]]
        given = settings(service, self.secrets) | {"PATH": PATH}
        # Its nodes are names of compose's network, which have no address here, nor while no node has started.
        checked = run(*words, "-c", env=given)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        # Otherwise it would ask for them at its start alone.
        self.assertIn("BIPE_PROXY_RESOLVER", given)

    @unittest.skipUnless(has("nats-server"), "no nats-server")
    def test_nats_takes_its_settings(self):
        text = (self.secrets / "nats.conf").read_text().replace("/run/secrets", str(self.secrets))
        file = self.home / "nats.conf"
        file.write_text(text)
        (program, *words) = FILES["ha"]["services"]["nats"]["command"]
        words = [word.replace("/run/secrets/nats.conf", str(file)) for word in words]
        checked = run(program, *words, "-t", env={"PATH": PATH})
        self.assertEqual(checked.returncode, 0, checked.stderr)

    @unittest.skipUnless(IS_ROOT and POSTGRES, "needs root and PostgreSQL")
    def test_the_pair_of_databases_replicates_by_tls_also_after_an_absence_and_bipes_role_is_restricted(self):
        pair = Pair(self)
        primary = pair.start("database1", "primary")
        pair.start("database2", "standby")
        pair.until_it_streams(primary)
        # Everybody on the machine can read a command line, for as long as the copy takes.
        node, init = [(DEPLOY / f"compose/database-{name}.sh").read_text() for name in ["node", "init"]]
        self.assertNotRegex(node, r"\$from[^\n]*password|from=[^\n]*password")
        self.assertNotRegex(init, r"\bask [^\n]*password")
        role = "SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = 'bipe'"
        self.assertEqual(pair.ask(primary, role), "f|f|t")
        word = (self.secrets / "database_password").read_text().strip()
        hosts = "host=database1,database2 hostaddr=127.0.0.1,127.0.0.1 target_session_attrs=read-write"
        way = f"sslmode=verify-full sslrootcert={self.secrets}/authority.pem dbname=bipe user=bipe"
        login = f"{hosts} port={pair.ports['database2']},{pair.ports['database1']} {way} password={word}"
        asked = run(pair.bin / "psql", login, "-XAtc", "SELECT pg_is_in_recovery(), current_user")
        self.assertEqual(asked.stdout.strip(), "f|bipe", asked.stderr)
        # The standby is away. Each time the primary begins another log file, and itself needs those before no more.
        stop(pair.servers["database2"])
        for _ in range(4):
            pair.ask(primary, "SELECT pg_switch_wal() FROM pg_logical_emit_message(false, 'bipe', 'away')")
            pair.ask(primary, "CHECKPOINT")
        pair.start("database2", "standby")
        pair.until_it_streams(primary)
        self.assertEqual(pair.ask(primary, "SHOW max_slot_wal_keep_size"), "4GB")
        # In an empty folder it is copied anew.
        stop(pair.servers["database2"])
        shutil.rmtree(pair.home / "database2/data")
        pair.start("database2", "standby")
        pair.until_it_streams(primary)
        # And where a copy was cut short, as by a machine that went down.
        stop(pair.servers["database2"])
        data = pair.home / "database2/data"
        for name in ["standby.signal", "global/pg_control"]:
            (data / name).unlink()
        (data / "backup_label").touch()
        pair.start("database2", "standby")
        pair.until_it_streams(primary)


class Pair:
    """The two database services with the command lines of `ha.yml`, on this machine's PostgreSQL. A script stands for
    the entry point of the image."""

    def __init__(self, test):
        self.test = test
        self.bin = Path(POSTGRES[-1]).parent
        self.home = test.home / "pair"
        self.home.mkdir()
        self.home.chmod(0o755)
        self.ports = {}
        self.servers = {}
        self.entry = self.home / "entrypoint"
        self.entry.write_text(
            "#!/bin/bash\nset -eu\nas() { setpriv --reuid=postgres --regid=postgres --init-groups \"$@\"; }\n"
            'if [ ! -s "$PGDATA/PG_VERSION" ]; then\n'
            '  install -d -o postgres -m 700 "$PGDATA"\n'
            '  as initdb -D "$PGDATA" -U postgres $POSTGRES_INITDB_ARGS --pwfile="$POSTGRES_PASSWORD_FILE" >/dev/null\n'
            '  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"\n'
            '  as pg_ctl -D "$PGDATA" -o "-c listen_addresses= -k $PGHOST -p $PGPORT" -w start >/dev/null\n'
            '  as bash "$INIT"\n'
            '  as pg_ctl -D "$PGDATA" -m fast -w stop >/dev/null\nfi\n'
            'exec setpriv --reuid=postgres --regid=postgres --init-groups "$@" -k "$PGHOST" -p "$PGPORT"\n'
        )
        self.entry.chmod(0o755)

    def start(self, name, role):
        service = FILES["ha"]["services"][name]
        home = self.home / name
        (home / "tls").mkdir(parents=True, exist_ok=True)
        shutil.chown(home, "postgres")
        (home / "tls").chmod(0o755)
        port = self.ports.setdefault(name, free_port())
        self.test.assertEqual(service["environment"]["BIPE_DATABASE_ROLE"], role)
        given = settings(service, self.test.secrets) | {
            "PATH": f"{self.bin}:{PATH}",
            "PGDATA": str(home / "data"),
            "PGHOST": str(home),
            "PGPORT": str(port),
            "PGPASSWORD": (self.test.secrets / "database_admin_password").read_text().strip(),
            "PGHOSTADDR": "",
            "BIPE_SECRETS": str(self.test.secrets),
            "BIPE_TLS": str(home / "tls"),
            "BIPE_PRIMARY_PORT": str(self.ports["database1"]),
            "BIPE_ENTRYPOINT": str(self.entry),
            "INIT": str(DEPLOY / "compose/database-init.sh"),
        }
        if role == "standby":
            # The name of the primary is the certificate's; its address is this machine's.
            given["PGHOSTADDR"] = "127.0.0.1"
        else:
            del given["PGHOSTADDR"]
        words = [word.replace("/run/secrets", str(self.test.secrets)) for word in service["command"]]
        words = [word.replace("/run/tls", str(home / "tls")) for word in words]
        log = open(home / "log", "a")
        self.test.addCleanup(log.close)
        command = ["/bin/bash", str(DEPLOY / "compose/database-node.sh"), *words, "-c", "listen_addresses=127.0.0.1"]
        server = subprocess.Popen(command, env=given, cwd=home, stdout=log, stderr=log)
        self.test.addCleanup(stop, server)
        self.servers[name] = server
        # While the first database is made, the server listens on its socket alone.
        ready = [self.bin / "pg_isready", "-h", "127.0.0.1", "-p", port]
        until(lambda: run(*ready).returncode == 0, lambda: f"{name} starts: {(home / 'log').read_text()}")
        return given

    def ask(self, given, statement):
        words = ["-h", given["PGHOST"], "-p", given["PGPORT"], "-U", "postgres", "-d", "postgres", "-XAtc", statement]
        return run(self.bin / "psql", *words, env=given).stdout.strip()

    def until_it_streams(self, primary):
        state = "SELECT state, ssl FROM pg_stat_replication JOIN pg_stat_ssl USING (pid)"
        log = self.home / "database2/log"
        until(lambda: self.ask(primary, state) == "streaming|t", lambda: f"the standby streams: {log.read_text()}")


def until(holds, what):
    end = time.monotonic() + 60
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"never: {what() if callable(what) else what}")
        time.sleep(0.1)


def free_port():
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stop(server):
    if server.poll() is None:
        # SIGINT: PostgreSQL's fast shutdown.
        server.send_signal(2)
        server.wait(60)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
