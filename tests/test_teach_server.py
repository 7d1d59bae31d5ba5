"""The server of the teaching page under many, slow and foreign requests."""

import socket
import threading
from contextlib import suppress

import pytest

import rocpredict as rp
from rocpredict.teaching import server as teaching_server


@pytest.fixture
def server():
    with rp.TeachingPage(datasets=()).serve() as running:
        yield running


def request(server, *, headers="", path="/model"):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        line.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{headers}Connection: close\r\n\r\n".encode()
        )
        return b"".join(iter(lambda: line.recv(65536), b"")).decode()


def test_a_class_of_students_is_not_turned_away(server, monkeypatch):
    """Connections queue up while the server is busy accepting; none is refused."""
    waiting, lines = threading.Event(), []
    accept = server._server.get_request

    def slow():
        waiting.wait(10)
        return accept()

    monkeypatch.setattr(server._server, "get_request", slow)
    try:
        for _ in range(60):
            line = socket.socket()
            line.settimeout(2)
            lines.append(line)
            line.connect(("127.0.0.1", server.port))
            line.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
        waiting.set()
        assert [line.recv(12) for line in lines] == [b"HTTP/1.1 200"] * len(lines)
    finally:
        waiting.set()
        for line in lines:
            line.close()


@pytest.mark.parametrize("start", ["G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nA: "])
def test_headers_that_never_end_are_cut_off(server, monkeypatch, start):
    """However slowly a request comes, its time is counted from its first byte."""
    clock = [0.0]
    monkeypatch.setattr(teaching_server, "monotonic", lambda: clock[0])
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        line.sendall(start.encode())
        sent = threading.Event()

        def drip():
            while not sent.wait(0.02):
                clock[0] += 1
                try:
                    line.sendall(b"x")
                except OSError:
                    return

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            with suppress(ConnectionError):
                assert line.recv(100) == b""
        finally:
            sent.set()
            dripping.join()
    assert clock[0] < 200


def test_other_sites_are_refused(server):
    for value, code in (("cross-site", 403), ("Cross-Site", 403), ("same-origin", 200), ("none", 200)):
        reply = request(server, headers=f"Sec-Fetch-Site: {value}\r\n")
        assert reply.startswith(f"HTTP/1.1 {code}"), value
    assert request(server).startswith("HTTP/1.1 200")


def test_a_connection_serves_several_requests_in_pieces(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        message = f"GET /model HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
        for _ in range(3):
            for part in (message[:7], message[7:]):
                line.sendall(part)
            reply = b""
            while b"\r\n\r\n" not in reply:
                reply += line.recv(65536)
            head, _, body = reply.partition(b"\r\n\r\n")
            length = int(
                next(part for part in head.split(b"\r\n") if part.lower().startswith(b"content-length")).split()[1]
            )
            while len(body) < length:
                body += line.recv(65536)
            assert head.startswith(b"HTTP/1.1 200")
