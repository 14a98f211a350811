"""What schemathesis cannot know of Bipe: how to sign in, and which ids exist. Loaded by `run.py`.

Three of four made-up ids of companies and plans in a call become ones that exist, so that calls reach what stands
behind the 404. An id decides by itself whether it is replaced: the same seed makes the same calls. An id that the
server gave out stays: a later call of a chain asks for the row that an earlier one made.
"""

import json
import os
import uuid

import requests
import schemathesis

IDS = json.loads(os.environ["BIPE_IDS"])
EMAIL = os.environ["BIPE_EMAIL"]

if EMAIL:

    @schemathesis.auth(refresh_interval=600)
    class SignedIn:
        def get(self, case, context):
            body = {"userEmail": EMAIL, "password": os.environ["BIPE_PASSWORD"]}
            answer = requests.post(f"{os.environ['BIPE_URL']}/api/auth/login", json=body, timeout=30)
            return answer.json()["data"]["tokens"]["accessToken"]

        def set(self, case, data, context):
            case.headers["Authorization"] = f"Bearer {data}"


def known(value, kind):
    """The id that exists, for three of four that are made up; the server gives out ids of version 7 alone."""
    try:
        chosen = uuid.UUID(value)
    except (AttributeError, TypeError, ValueError):
        return value
    return value if chosen.version == 7 or chosen.int % 4 == 0 else IDS[kind]


@schemathesis.hook
def filter_case(context, case):
    """Leaves out empty filters of a list: they are the same as absent ones, which no schema of a filter can say."""
    return "" not in (case.query or {}).values()


@schemathesis.hook
def before_call(context, case, kwargs):
    path = case.operation.path
    # What takes the company away would take it from everybody who comes later.
    ends_the_company = case.method == "DELETE" and path == "/api/companies/{id}"
    places = case.path_parameters or {}
    for name, starts, kind in (
        ("id", "/api/companies/", "company"),
        ("id", "/api/subscriptions/company/", "company"),
        ("companyId", "/api/payments/", "company"),
        ("id", "/api/admin/plans/", "plan"),
        ("id", "/api/subscriptions/plans/", "plan"),
    ):
        if path.startswith(starts) and name in places and not ends_the_company:
            places[name] = known(places[name], kind)
    # Its id also comes out of other answers.
    if ends_the_company and str(places.get("id")).lower() == IDS["company"]:
        places["id"] = str(uuid.UUID(int=0))
    body = case.body if isinstance(case.body, dict) else {}
    for holder in (body, body.get("metadata")):
        if isinstance(holder, dict):
            for name, kind in (("companyId", "company"), ("planId", "plan")):
                if name in holder:
                    holder[name] = known(holder[name], kind)
