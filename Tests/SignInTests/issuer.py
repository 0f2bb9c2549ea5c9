"""An issuer's server for tests: its keys by HTTPS, and every way in which that can fail.

issuer.py FOLDER prints three ports: of a valid certificate, of one with another name, and of an expired
one. FOLDER gets ca.pem and `requests`, with a line for each request. /keys is FOLDER/keys.json."""
import http.server, pathlib, ssl, subprocess, sys, threading

folder = pathlib.Path(sys.argv[1])
released = threading.Event()


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def certificate(name, host, days):
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={host}")
    (folder / f"{name}.ext").write_text(f"subjectAltName=DNS:{host}")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-out", f"{name}.pem", "-days", str(days), "-extfile", f"{name}.ext")
    return folder / f"{name}.pem", folder / f"{name}.key"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(folder / "requests", "a", encoding="utf-8") as file:
            file.write(self.path + "\n")
        match self.path:
            case "/keys": self.answer(200, (folder / "keys.json").read_bytes())
            case "/empty": self.answer(200, b'{"keys":[]}')
            case "/text": self.answer(200, b"<html>")
            case "/redirect": self.answer(302, b"", {"Location": "/keys"})
            case "/http": self.answer(302, b"", {"Location": "http://localhost/"})
            case "/error": self.answer(500, b"")
            case "/partial": self.answer(206, (folder / "keys.json").read_bytes())
            case "/stalled": released.wait()
            case "/huge":
                self.send_response(200)
                self.end_headers()
                try:
                    for _ in range(1600):
                        self.wfile.write(b" " * 65536)
                except OSError:
                    pass
            case _: self.answer(404, b"")

    def answer(self, status, body, headers={}):
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Tests", "-days", "2")
ports = []
for files in [certificate("valid", "localhost", 2), certificate("other", "other.example", 2), certificate("expired", "localhost", -1)]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ports.append(server.server_port)
print(*ports, flush=True)
sys.stdin.read()  # until the test closes it
