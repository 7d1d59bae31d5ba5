"""A headless Firefox, driven by WebDriver BiDi without a separate driver."""

from __future__ import annotations

import json
import re
import subprocess
from itertools import count
from pathlib import Path
from typing import Any, Self

import websocket

_SECONDS = 60
_PREFERENCES = """
user_pref("app.update.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"""


class Firefox:
    """One window of a Firefox with a profile of its own, also a context manager that closes it."""

    def __init__(self, binary: str, profile: Path) -> None:
        (profile / "user.js").write_text(_PREFERENCES)
        log = profile / "log"
        command = [binary, "--headless", "--remote-debugging-port", "0", "--profile", str(profile), "--no-remote"]
        with log.open("wb") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output)
        self._ids = count(1)
        self._socket = websocket.create_connection(
            f"{self._address(log)}/session", timeout=_SECONDS, suppress_origin=True
        )
        self.send("session.new", capabilities={})
        self._context = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def _address(self, log: Path) -> str:
        """Wait until Firefox has written the address of its socket."""
        for _ in range(_SECONDS * 10):
            if match := re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read_text(errors="replace")):
                return match[1]
            try:
                self._process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
            break
        self._process.kill()
        raise RuntimeError(f"Firefox has not started: {log.read_text(errors='replace')[-500:]}")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command, and return its result."""
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (reply := json.loads(self._socket.recv())).get("id") != number:
            pass
        if reply["type"] == "error":
            raise RuntimeError(f"{method}: {reply['message']}")
        return dict(reply["result"])

    def open(self, address: str, width: int, height: int) -> None:
        """Open a page in a window of this size, and wait until it is loaded."""
        self.send("browsingContext.setViewport", context=self._context, viewport={"width": width, "height": height})
        for url in ("about:blank", address):  # a page that is left may write its address meanwhile, which ends the wait
            self.send("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def run(self, expression: str) -> Any:
        """Return the value of an expression, of its promise if it is one, by way of JSON."""
        result = self.send(
            "script.evaluate",
            expression=f"Promise.resolve({expression}).then((value) => JSON.stringify(value ?? null))",
            target={"context": self._context},
            awaitPromise=True,
        )
        if result["type"] == "exception":
            raise RuntimeError(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])

    def drag(self, x: float, y: float, distance: int, *, touch: bool = False) -> None:
        """Press at a point, move to the right in steps, and release."""
        steps = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            *({"type": "pointerMove", "x": round(x + distance * k / 8), "y": round(y)} for k in range(1, 9)),
            {"type": "pointerUp", "button": 0},
        ]
        kind = {"pointerType": "touch" if touch else "mouse"}
        source = {"type": "pointer", "id": "one", "parameters": kind, "actions": steps}
        self.send("input.performActions", context=self._context, actions=[source])

    def close(self) -> None:
        """End Firefox."""
        self._socket.close()
        self._process.terminate()
        self._process.wait(_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
