"""The checks of `Tests/Sync/streams` with a proxy between."""

import os
import shutil
import socket
import subprocess
import tempfile
import time

from stream_site import HEARTBEAT, Site, await_true, expect, ids

NGINX = """
daemon off; error_log stderr; pid {folder}/nginx.pid; worker_processes 1;
events {{ }}
http {{ access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
        fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
        server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://127.0.0.1:{to}; }} }} }}
"""
CADDY = "{{\n admin off\n auto_https off\n}}\nhttp://:{port} {{\n bind 127.0.0.1\n" \
    " reverse_proxy 127.0.0.1:{to}\n}}\n"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def proxied(options, name, command, text):
    """Blocks pass a proxy at once, and clients that go away free their place."""
    if not shutil.which(name):
        return None
    with Site(options, LIMIT_STREAMS="1") as site:
        port, folder = free_port(), tempfile.mkdtemp(prefix="humon-proxy-")
        path = os.path.join(folder, "configuration")
        with open(path, "w") as file:
            file.write(text.format(port=port, to=site.port, folder=folder))
        log = open(os.path.join(folder, "log"), "wb")
        process = subprocess.Popen(
            [part.format(path=path, folder=folder) for part in command], stdout=log, stderr=log,
            env={**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder})
        try:
            def is_listening():
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    return True
                except OSError:
                    return False

            expect(await_true(is_listening, 10) is not None, f"{name} does not start")
            site.port = port
            wire = site.open()
            times = []
            for _ in range(10):
                id = site.create()
                began = time.monotonic()
                expect(wire.read_until(lambda wire: str(id) in ids(wire, "enter"), 5),
                       "a block is held back")
                times.append(time.monotonic() - began)
            wire.read_until(lambda wire: False, 2.5 * HEARTBEAT)
            expect(wire.names()[-1] == "message", "a heartbeat is held back")
            wire.close()
            freed = await_true(lambda: site.status() == 200, 5 * HEARTBEAT)
            expect(freed is not None, "the place is not free")
            last = site.wires[-1]
            site.terminate()
            expect(last.read_until(lambda wire: wire.is_complete, 10), "no end")
            expect(last.blocks[-1].retry, "no retry")
        finally:
            process.terminate()
            process.wait(10)
            log.close()
            shutil.rmtree(folder)
    return f"blocks pass in {max(times) * 1000:.0f} ms at most, the place was free in {freed:.1f} s"


def nginx(options):
    return proxied(options, "nginx", ["nginx", "-p", "{folder}", "-c", "{path}"], NGINX)


def caddy(options):
    return proxied(options, "caddy",
                   ["caddy", "run", "--adapter", "caddyfile", "--config", "{path}"], CADDY)
