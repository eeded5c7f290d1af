"""A server on this machine that answers as a test says, byte by byte, also with what no honest server sends."""

import socket
import ssl
import threading


class Request:
    def __init__(self, head, body):
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.target = lines[0].split(" ")[:2]
        self.headers = {name.strip().lower(): value.strip()
                        for name, _, value in (line.partition(":") for line in lines[1:]) if value}
        self.body = body

    @property
    def path(self):
        return self.target.partition("?")[0]

    @property
    def query(self):
        return dict(pair.partition("=")[::2] for pair in self.target.partition("?")[2].split("&"))


def answer(body=b"", status="200 OK", length=None, **headers):
    """The bytes of an answer; names of headers are written with _."""
    if isinstance(body, str):
        body = body.encode()
    lines = [f"HTTP/1.1 {status}", "Connection: close", f"Content-Length: {len(body) if length is None else length}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


class Server:
    """Each answer is what `reply(request, number)` gives: bytes, or something that is called with the connection.
    Requests are kept in order. One connection, one request."""

    def __init__(self, reply, certificate=None):
        self.reply = reply
        self.requests = []
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate)
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.socket.close()

    def url(self, path="/list.csv"):
        return f"{'https' if self.context else 'http'}://127.0.0.1:{self.port}{path}"

    def serve(self):
        while not self.stopped.is_set():
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.handle, args=(connection,), daemon=True).start()

    def handle(self, connection):
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            request = self.read(connection)
            if request is None:
                return
            with self.lock:
                self.requests.append(request)
                number = len(self.requests)
            reply = self.reply(request, number)
            if callable(reply):
                reply(connection)
            else:
                connection.sendall(reply)
        except OSError:
            pass  # the other side has enough
        finally:
            self.close(connection)

    @staticmethod
    def read(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return None
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        request = Request(head, body)
        missing = int(request.headers.get("content-length", 0)) - len(body)
        while missing > 0:
            piece = connection.recv(missing)
            if not piece:
                break
            request.body += piece
            missing -= len(piece)
        return request

    @staticmethod
    def close(connection):
        try:
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(0.2)
            while connection.recv(65536):  # what is unread would turn the end into a reset
                pass
        except OSError:
            pass
        connection.close()

    def wait(self, seconds=60):
        """Sends nothing, until the test ends."""
        self.stopped.wait(seconds)
