"""What a business's own backend does for its app: it has the key, makes a recipient's tokens, and sends messages.

    business.py token anna      prints a token
    business.py send anna "Title" "Text"
    business.py story anna      sends a few messages, and goes on with one now and then
    business.py news anna       one now and then

The service and the key are taken from INBOX_URL and INBOX_KEY: the key never comes near the app. A token is good for
INBOX_TOKEN_SECONDS, or ten minutes.
"""

import itertools
import json
import os
import sys
import time
import urllib.request

STORY = [
    ("order", "Your order is on its way", "Parcel 4711 left Zurich at 08:12.\nIt arrives tomorrow before noon."),
    ("message", "Mara wrote to you", "Shall we meet at the north entrance? 🎟"),
    ("security", "A new device signed in", "Firefox on Linux, Bern. If that was not you, change your password."),
    ("offer", "Two tickets for one", "On Friday, in every hall. Only while there are any left."),
    ("order", "Delivered", "Parcel 4711 is with your neighbour, Grüße!"),
]
ACTIONS = [
    {"id": "track", "label": "Track it", "kind": "custom"},
    {"id": "hide", "label": "Not now", "kind": "dismiss"},
]
SECONDS_BETWEEN = 20


def call(path: str, body: dict) -> dict:
    request = urllib.request.Request(
        f"{os.environ['INBOX_URL']}/v1/operator/{path}",
        json.dumps(body).encode(),
        {"X-Api-Key": os.environ["INBOX_KEY"], "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def send(recipient: str, kind: str, title: str, body: str) -> None:
    call("messages", {"recipient": recipient, "kind": kind, "title": title, "body": body, "actions": ACTIONS})


def story(recipient: str) -> None:
    for kind, title, body in STORY:
        send(recipient, kind, title, body)
    news(recipient)


def news(recipient: str) -> None:
    for number in itertools.count(1):
        time.sleep(SECONDS_BETWEEN)
        send(recipient, "message", f"News, number {number}", "This arrived while you were looking.")


def main(words: list[str]) -> None:
    match words:
        case ["token", recipient]:
            seconds = float(os.environ.get("INBOX_TOKEN_SECONDS", "600"))
            print(call("tokens", {"recipient": recipient, "expiresIn": seconds})["token"])
        case ["send", recipient, title, body]:
            send(recipient, "message", title, body)
        case ["story", recipient]:
            story(recipient)
        case ["news", recipient]:
            news(recipient)
        case _:
            sys.exit(__doc__)


main(sys.argv[1:])
