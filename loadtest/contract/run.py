"""Holds a server of its own against its contract: schemathesis calls every operation as nobody and in five roles.

usage: run.py BIPE [short|full]. Called by `make contract` (full) and `make contract-short` (short: a fixed seed and,
for each role, the part of the contract that is about it). Invariant: ends with status 0 only if every role made calls
and no check failed.
"""

import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import requests

HERE = pathlib.Path(__file__).resolve().parent
PASSWORD = "Senha123!"
SEED = 20261122
PHASES = "examples,coverage,fuzzing,stateful"
# A few calls of what another role is asked in all phases: they are about who is refused.
FEW = "examples,fuzzing"
# The operations of a role in the short form, and the phases.
ROLES = {
    "nobody": (r"^/api/(auth|config|companies/invite|subscriptions/plans|payments/webhooks)", PHASES),
    "person": (r"^/api/(auth|notifications)", PHASES),
    "operator": (r"^/api/(companies|subscriptions/company)", FEW),
    "finance": (r"^/api/(subscriptions/company|payments)", FEW),
    "company_admin": (r"^/api/(companies|subscriptions/company|payments)", PHASES),
    "platform_admin": (r"^/api/admin", PHASES),
}
# Which of them run at once. Who may end what others need comes after them.
TURNS = [["nobody", "person"], ["operator", "finance"], ["company_admin"], ["platform_admin"]]


class Server:
    """`bipe serve` with a database, a sandbox and a data directory of its own."""

    def __init__(self, bipe):
        self.data = tempfile.mkdtemp(prefix="bipe-contract-")
        os.chmod(self.data, 0o755)
        self.log = open(pathlib.Path(self.data) / "server.log", "w+")
        # Without the environment, and from the data directory for want of a `.env`: either may name a database that
        # must not be filled.
        settings = {
            "PATH": os.environ["PATH"],
            "BIPE_ADMIN_EMAIL": "platform_admin@example.com",
            "BIPE_ADMIN_PASSWORD": PASSWORD,
            # Nothing is asked of the world outside.
            "BIPE_CEP_URL": "",
            "RUST_LOG": os.environ.get("RUST_LOG", "warn"),
        }
        self.process = subprocess.Popen(
            [bipe, "serve", "--bind", "127.0.0.1:0", "--data-dir", f"{self.data}/server", "--rate-limits", "relaxed"],
            cwd=self.data, env=settings, stdout=self.log, stderr=subprocess.STDOUT,
        )
        try:
            self.url = self.listening()
        except BaseException:
            self.stop()
            raise

    def listening(self):
        while True:
            found = re.search(r"^listening on (\S+)", self.read_log(), re.MULTILINE)
            if found:
                return found.group(1)
            if self.process.poll() is not None:
                sys.exit(self.read_log())
            time.sleep(0.1)

    def read_log(self):
        return pathlib.Path(self.log.name).read_text(errors="replace")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        self.log.close()
        subprocess.run([HERE.parent.parent / ".ci/clean-data", f"{self.data}/server"], stdout=subprocess.DEVNULL, check=True)
        shutil.rmtree(self.data)


class Client:
    """Calls whose success is taken for granted."""

    def __init__(self, url):
        self.url = url

    def call(self, method, path, body=None, token=None):
        headers = {"authorization": f"Bearer {token}"} if token else {}
        answer = requests.request(method, self.url + path, json=body, headers=headers, timeout=30)
        if not answer.ok:
            sys.exit(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json().get("data") if answer.content and path.startswith("/api") else answer.json()

    def sign_up(self, name):
        email = f"{name}@example.com"
        self.call("POST", "/api/auth/register", {
            "userName": name, "userEmail": email, "userDocument": f"{secrets.randbelow(10**11):011}",
            "userPhone": "(11) 98765-4321", "userBirthDate": "1990-04-12", "password": PASSWORD,
            "password_confirmation": PASSWORD, "consent_legal_terms": True, "consent_privacy_terms": True,
            "consent_lgpd_terms": True,
        })
        code, late = None, time.monotonic() + 30
        while code is None:
            if time.monotonic() > late:
                sys.exit(f"no code came to {email}")
            time.sleep(0.05)
            mail = requests.get(f"{self.url}/dev/mailbox.json", params={"to": email}, timeout=30).json()["messages"]
            texts = (re.search(r"^\d{6}$", message["text"], re.MULTILINE) for message in mail)
            code = next((found.group() for found in texts if found), None)
        self.call("POST", "/api/auth/verify-email", {"userEmail": email, "verificationCode": code})
        return self.sign_in(email)

    def sign_in(self, email):
        body = {"userEmail": email, "password": PASSWORD}
        return self.call("POST", "/api/auth/login", body)["tokens"]["accessToken"]


def people(server):
    """One person a role, in a company with room for them; answers the ids that calls may name."""
    client = Client(server.url)
    for name in ("person", "operator", "finance"):
        client.sign_up(name)
    admin = client.sign_up("company_admin")
    company = client.call("POST", "/api/companies", {"companyName": "Ponto do Contrato"}, admin)["company"]["id"]
    root = client.sign_in("platform_admin@example.com")
    plans = client.call("GET", "/api/subscriptions/plans")["plans"]
    free = next(plan for plan in plans if plan["isFree"])
    room = {**{key: free[key] for key in (
        "displayName", "description", "features", "isFree", "isPopular", "monthlyPrice", "quarterlyPrice", "yearlyPrice",
        "hierarchy")}, "limits": {**free["limits"], "maxUsers": -1}}
    client.call("PUT", f"/api/admin/plans/{free['id']}", room, root)
    for role in ("operator", "finance"):
        client.call("POST", f"/api/companies/{company}/invite", {"userEmail": f"{role}@example.com", "role": role}, admin)
    paid = next(plan for plan in plans if plan["monthlyPrice"] > 0)
    return {"company": company, "plan": paid["id"]}


def check(server, role, ids, form):
    """Runs schemathesis in that role; answers whether every check held."""
    operations, phases = ROLES[role] if form == "short" else ("^/api/", PHASES)
    examples = "3" if form == "short" else "60"
    command = [
        str(pathlib.Path(sys.executable).parent / "st"), "--config-file", str(HERE / "schemathesis.toml"),
        "run", f"{server.url}/api/openapi.json", "--checks", "all", "--mode", "all",
        "--phases", phases, "--max-examples", examples,
        "--include-path-regex", operations, "--workers", "1", "--continue-on-failure", "--no-color",
    ]
    if form == "short":
        command += ["--seed", str(SEED)]
    settings = {
        **os.environ, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE), "BIPE_URL": server.url,
        "BIPE_IDS": json.dumps(ids), "BIPE_EMAIL": "" if role == "nobody" else f"{role}@example.com",
        "BIPE_PASSWORD": PASSWORD, "PYTHONDONTWRITEBYTECODE": "1",
    }
    began = time.monotonic()
    ran = subprocess.run(command, cwd=server.data, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    cases = int((re.findall(r"(\d+) generated", ran.stdout) or ["0"])[-1])
    held = ran.returncode == 0 and cases > 0
    print(f"{role}: {cases} cases in {time.monotonic() - began:.0f} s, {'held' if held else 'FAILED'}", flush=True)
    print(f"figures: cases={cases}", flush=True)
    if not held:
        print(ran.stdout, flush=True)
    return held


def main():
    # As on Ctrl-C, the server is stopped and its data are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    bipe, form = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2] if len(sys.argv) > 2 else "full"
    server = Server(bipe)
    try:
        ids = people(server)
        with ThreadPoolExecutor() as pool:
            held = [held for turn in TURNS for held in pool.map(lambda role: check(server, role, ids, form), turn)]
    finally:
        server.stop()
    sys.exit(0 if all(held) else 1)


main()
