"""A server of images at https://pictures.test, which counts requests."""

import base64
import contextlib
import http.server
import pathlib
import ssl
import subprocess
import tempfile
import threading

# An image of one red pixel.
RED = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)


@contextlib.contextmanager
def served(site):
    """Serves RED at every path whose name ends with .png, and yields the list of requests."""
    requests = []

    class Pictures(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append((self.headers["Host"], self.path, self.headers["Referer"]))
            body = RED if self.path.endswith(".png") else b""
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "image/png")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    with tempfile.TemporaryDirectory() as folder:
        key, certificate = pathlib.Path(folder, "key"), pathlib.Path(folder, "certificate")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
             "/CN=pictures.test", "-keyout", key, "-out", certificate],
            check=True, capture_output=True,
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        address = ("127.0.0.1", site.browser.pictures)
        with http.server.ThreadingHTTPServer(address, Pictures) as server:
            server.socket = context.wrap_socket(server.socket, server_side=True)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            site.page.call("Security.setIgnoreCertificateErrors", ignore=True)
            try:
                yield requests
            finally:
                server.shutdown()
