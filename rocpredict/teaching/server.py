"""Local server for the teaching page."""

from __future__ import annotations

import errno
import io
import json
import socket
import sys
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Thread
from time import monotonic
from typing import Any, Self
from urllib.parse import parse_qsl

from rocpredict.base.validation import RocPredictError, check_int

Evaluate = Callable[[Mapping[str, Any]], dict[str, Any]]
_HOST = "127.0.0.1"
_MAX_URL_LENGTH = 4096
_QUEUE_SIZE = 128  # largest number of connections that wait to be accepted
_FIRST_TIMEOUT = 10  # seconds until the first byte of a new connection
_IDLE_TIMEOUT = 120  # seconds that a connection may be idle after a request
_REQUEST_TIMEOUT = 10  # seconds from the first byte of a request to the end of its headers
_REFUSALS = {
    414: f"The address is longer than {_MAX_URL_LENGTH} characters.",
    431: "The header of the request is too long.",
    501: "Only GET requests are supported.",
    505: "Only HTTP/1.1 is supported.",
}
_PLAIN, _HTML, _JSON = "text/plain; charset=utf-8", "text/html; charset=utf-8", "application/json"


class TeachingServer:
    """Server that serves one page on 127.0.0.1; when used as a context manager, it closes on exit.

    Attributes
    ----------
    url : str
    port : int

    Parameters
    ----------
    html : str
        The page.
    evaluate : function
        Function, such as ``PageModel.evaluate``, that computes the results for a state.
    port : int, default=0
        Port of the server; 0 for any free port.

    Raises
    ------
    RocPredictError
        If the port is invalid, in use or not permitted.
    """

    def __init__(self, html: str, evaluate: Evaluate, port: int = 0) -> None:
        number = check_int("port", port)
        if isinstance(port, bool) or not 0 <= number <= 65535:
            raise RocPredictError(
                f"port={port} is not allowed; pass an integer from 0 to 65535 (0 selects any free port)"
            )
        try:
            self._server = _Server(html, evaluate, number)
        except OSError as error:
            reason = {errno.EADDRINUSE: "in use", errno.EACCES: "reserved"}.get(error.errno or 0, f"not free ({error})")
            raise RocPredictError(f"port {port} is {reason}; pass another port, or port=0 for any free port") from None
        self.port: int = self._server.server_address[1]
        self.url = f"http://{_HOST}:{self.port}/"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        self._thread.start()

    def open_browser(self) -> None:
        """Open the page in a browser, if one is available."""
        with suppress(webbrowser.Error):
            webbrowser.open(self.url)

    def wait(self) -> None:
        """Serve until Ctrl-C is pressed or the server is closed."""
        with suppress(KeyboardInterrupt):
            while self._thread.is_alive():
                self._thread.join(0.5)
        self.close()

    def close(self) -> None:
        """Stop serving; a closed server cannot be started again."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()
        self._server.close_connections()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"TeachingServer({self.url!r}, {'serving' if self._thread.is_alive() else 'closed'})"


class _Server(ThreadingHTTPServer):
    """HTTP server with a page, the function that evaluates its states, and the open connections."""

    daemon_threads = True
    request_queue_size = _QUEUE_SIZE

    def __init__(self, html: str, evaluate: Evaluate, port: int) -> None:
        self.html, self.evaluate = html, evaluate
        self._open: set[socket.socket] = set()
        super().__init__((_HOST, port), _Handler)
        self.hosts = {f"{name}:{self.server_port}" for name in (_HOST, "localhost")}
        if self.server_port == 80:
            self.hosts |= {_HOST, "localhost"}

    def server_bind(self) -> None:
        """Bind the server to its address without looking up the host name, because a lookup may take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = _HOST, self.server_address[1]

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection, and store it so that it can be closed."""
        connection, address = super().get_request()
        self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        """Shut down a connection, and remove it from the set of open connections."""
        self._open.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        """Shut down the connections that browsers keep open, so that the threads serving them end."""
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a closed connection or a timeout, and print any other error on one line."""
        error = sys.exception()
        if not isinstance(error, (ConnectionError, TimeoutError, type(None))):
            _log(error)


def _log(error: BaseException) -> None:
    if sys.stderr is not None:  # stderr is None without a terminal on Windows
        sys.stderr.write(f"rocpredict: {type(error).__name__}: {' '.join(str(error).split())}\n")


class _RequestReader(io.RawIOBase):
    """Reader of a connection with a time limit for each request."""

    def __init__(self, connection: socket.socket, timeout: float) -> None:
        self._connection, self._idle_timeout = connection, timeout
        self._deadline: float | None = None

    def end_request(self) -> None:
        """Reset the time limit before the next request."""
        self._idle_timeout, self._deadline = _IDLE_TIMEOUT, None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the available bytes; raise TimeoutError if the time limit of the request has passed."""
        remaining = self._idle_timeout if self._deadline is None else self._deadline - monotonic()
        if remaining <= 0:
            raise TimeoutError("the request headers are incomplete")
        self._connection.settimeout(remaining)
        n_bytes = self._connection.recv_into(buffer)
        if self._deadline is None:
            self._deadline = monotonic() + _REQUEST_TIMEOUT
        self._connection.settimeout(_IDLE_TIMEOUT)  # time limit of the reply
        return n_bytes


class _Handler(BaseHTTPRequestHandler):
    """Handler of GET requests for the page and the model; it rejects other requests without reading their body."""

    protocol_version = default_request_version = "HTTP/1.1"
    timeout = _FIRST_TIMEOUT
    wbufsize = -1  # headers and content are sent together, which avoids a delay of 40 ms
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        """Set up a reader with time limits."""
        super().setup()
        self.rfile.close()
        self._reader = _RequestReader(self.connection, self.timeout)
        self.rfile = io.BufferedReader(self._reader)

    def handle_one_request(self) -> None:
        """Handle a request, and allow a longer idle time before the next request."""
        super().handle_one_request()
        self._reader.end_request()

    def do_GET(self) -> None:
        """Send the page, or the results for a state."""
        trouble = self._request_error()
        if trouble is not None:
            self._refuse(*trouble)
            return
        path, _, query = self.path.partition("?")
        if path == "/":
            self._reply(200, _HTML, self.server.html)
        elif path == "/model":
            self._handle_model(query)
        else:
            self._reply(404, _PLAIN, "Not found; the page is at / and the model at /model.")

    def _handle_model(self, query: str) -> None:
        try:
            state = dict(parse_qsl(query, keep_blank_values=True, max_num_fields=40))
        except ValueError as error:
            self._reply(400, _PLAIN, str(error))
            return
        try:
            reply = json.dumps(self.server.evaluate(state), separators=(",", ":"), allow_nan=False)
        except RocPredictError as error:
            self._reply(400, _PLAIN, str(error))
        except Exception as error:  # the server keeps running, and the terminal shows the error
            _log(error)
            self._reply(500, _PLAIN, "Internal error in Python; see the terminal of the server.")
        else:
            self._reply(200, _JSON, reply)

    def _request_error(self) -> tuple[int, str] | None:
        hosts, lengths = self.headers.get_all("Host", []), self.headers.get_all("Content-Length", ["0"])
        if len(hosts) != 1 or hosts[0].strip().lower() not in self.server.hosts:
            return 403, "This page is available on this machine only; open it as 127.0.0.1."
        if self.headers.get("Sec-Fetch-Site", "").strip().lower() == "cross-site":
            return 403, "This page cannot be requested by other sites; open its address directly."
        if "Transfer-Encoding" in self.headers or [length.strip() for length in lengths] != ["0"]:
            return 413, "A request to this page must have no body."
        if len(self.path) > _MAX_URL_LENGTH:
            return 414, _REFUSALS[414]
        if not self.path.startswith("/"):
            return 400, "Request / or /model, without a host."
        return None

    def _method_not_allowed(self) -> None:
        self._refuse(405, "Only GET requests are supported.")

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_TRACE = do_CONNECT = _method_not_allowed  # noqa: N815

    def handle_expect_100(self) -> bool:
        """Reject a request that announces a body, before the body is sent."""
        self._refuse(413, "A request to this page must have no body.")
        return False

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Reject a malformed request, with a message that does not repeat any part of the request."""
        del message, explain
        self._refuse(code, _REFUSALS.get(code, "The request is malformed."))

    def _refuse(self, code: int, sentence: str) -> None:
        self.close_connection = True
        self._reply(code, _PLAIN, sentence)

    def _reply(self, code: int, kind: str, text: str) -> None:
        content = text.encode("utf-8", "replace")
        self.send_response(code)
        headers = {"Content-Type": kind, "Content-Length": len(content), "Cache-Control": "no-store"}
        headers |= {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
        headers |= {"Allow": "GET"} if code == 405 else {}
        headers |= {"Connection": "close"} if self.close_connection else {}
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        if getattr(self, "command", None) != "HEAD":
            self.wfile.write(content)

    def version_string(self) -> str:
        """Return the server name without versions."""
        return "rocpredict"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing."""
