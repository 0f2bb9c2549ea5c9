"""The map at `/map` with the tiles of another server."""

import base64
import http.server
import threading

import browser
import checks

PORT = browser.free_port()
TILES = f"http://127.0.0.1:{PORT}"
SETTINGS = {"MAP_TILES": TILES + "/{z}/{x}/{y}.png", "MAP_TILES_CREDIT": "© A & <B>"}
ALLOWED = (TILES + "/",)

# An image of one red pixel.
RED = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)


class Tiles(http.server.BaseHTTPRequestHandler):
    """Serves the same image for every tile, and records the paths."""

    paths, referrers = [], set()

    def do_GET(self):
        self.paths.append(self.path)
        self.referrers.add(self.headers["Referer"])
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(RED)))
        self.end_headers()
        self.wfile.write(RED)

    def log_message(self, *arguments):
        pass


def test_shows_tiles_and_their_source(site):
    if not site.serves("/v1/events/clusters"):
        raise checks.Skipped("the server has no clusters")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Tiles)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        page = site.open("/map#map=10/40.4/-3.7")
        # The canvas contains pixels of another origin, so scripts can't read it.
        page.wait(
            """(() => {
              const context = document.getElementById('canvas').getContext('2d');
              try { context.getImageData(0, 0, 1, 1); return false; } catch { return true; }
            })()"""
        )
        assert page.text("#credit") == "© A & <B>", page.text("#credit")
        page.wait(
            """performance.getEntriesByType('resource')
               .some((entry) => entry.name.endsWith('/10/501/386.png'))"""
        )
        assert len(Tiles.paths) == len(set(Tiles.paths)), "each is loaded once"
        assert Tiles.referrers == {site.origin + "/"}, Tiles.referrers
    finally:
        server.shutdown()
        server.server_close()
