"""A mail server that fails as it is told. Run by mod.rs: prints its port, then obeys a command a line and answers each with a
line of JSON.

accept  takes mail          later  answers 451 to each mail        cut  takes a mail and hangs up without a word
down    refuses to connect  up     listens again, on the same port list what was taken, oldest first
nobody  answers 550 5.1.1 to each mail
"""

import asyncio
import base64
import email
import email.policy
import json
import socket
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Server:
    def __init__(self, password):
        self.mode = "accept"
        self.password = password
        self.taken = []
        self.open = set()
        self.listening = None
        # Bound for as long as the process lives, so that nobody else gets the port while the server is down.
        self.place = self.bind(0)
        self.port = self.place.getsockname()[1]

    @staticmethod
    def bind(port):
        place = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        place.bind(("127.0.0.1", port))
        return place

    def session(self):
        server = SMTP(
            self,
            hostname="mail.localhost",
            enable_SMTPUTF8=True,
            auth_required=self.password is not None,
            auth_require_tls=False,
            authenticator=self.authenticate,
        )
        self.open.add(server)
        return server

    def authenticate(self, _server, _session, _envelope, _mechanism, data):
        return AuthResult(success=data.password.decode() == self.password)

    async def handle_DATA(self, server, _session, envelope):
        if self.mode == "later":
            return "451 4.3.0 not now, " + envelope.rcpt_tos[0]
        if self.mode == "nobody":
            return "550 5.1.1 unknown: " + envelope.rcpt_tos[0]
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        body = {kind: message.get_body((kind,)) for kind in ("plain", "html")}
        self.taken.append({
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "headers": [[name.lower(), str(value)] for name, value in message.items()],
            "text": body["plain"].get_content(),
            "html": body["html"].get_content(),
            "attached": [
                [part.get_filename(), part.get_content_type(), base64.b64encode(part.get_content()).decode()]
                for part in message.iter_attachments()
            ],
        })
        if self.mode == "cut":
            server.transport.abort()
        return "250 2.0.0 taken"

    async def up(self):
        loop = asyncio.get_running_loop()
        self.listening = await loop.create_server(self.session, sock=self.bind(self.port))

    def down(self):
        self.listening.close()
        for server in self.open:
            if server.transport is not None:
                server.transport.abort()
        self.open.clear()

    async def obey(self, command):
        if command == "list":
            return self.taken
        if command == "up":
            await self.up()
        elif command == "down":
            self.down()
        else:
            self.mode = command
        return "ok"


async def main():
    server = Server(sys.argv[1] if len(sys.argv) > 1 else None)
    await server.up()
    print(server.port, flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(await server.obey(line.strip())), flush=True)


asyncio.run(main())
