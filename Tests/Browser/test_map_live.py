"""The map at `/map` while events change."""

import contextlib
import http.client
import socketserver
import threading
import urllib.parse

from checks import equal
from test_map import NAMES, READY, fragment, hours

SETTINGS = {"SYSTEMS": "humon"}
PLACE = "#map=14/52.52/13.405"
STATUS = "document.getElementById('status').textContent"
# The streams that the page has opened; `stream.readyState` is 1 while one is open, and 2 when it is closed.
STREAMS = """
window.streams = [];
window.readies = 0;
window.EventSource = class extends EventSource {
  constructor(...request) {
    super(...request);
    streams.push(this);
    this.addEventListener('ready', () => { readies += 1; });
  }
};
"""
OPEN = "streams.filter(({readyState}) => readyState < 2).length"
# Shortens waits of at least so many milliseconds.
HASTE = """
{
  const wait = window.setTimeout;
  window.setTimeout = (act, delay) => wait(act, delay >= LEAST ? delay / 50 : delay);
}
"""
# Between the time in which a stream begins, and all longer waits.
LONG = 5500
# Notes the animations of markers.
ANIMATIONS = """
window.animations = [];
document.addEventListener('animationstart', ({ animationName, target }) => {
  if (animationName === 'arrive') animations.push(target.parentElement.ariaLabel);
});
"""
HIDE = """(isHidden) => {
  Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


class Host:
    """A user with events, which each test has at a place of its own."""

    def __init__(self, site):
        self.site = site
        _, user = site.request("POST", "/v1/users", tb_app_secret=site.secret)
        self.token = user["auth_token"]

    def send(self, method, path, body=None):
        status, answer = self.site.request(method, path, body, tb_auth_token=self.token)
        assert status in (200, 204), answer
        return answer

    def add(self, name, lat, lon=13.405, **more):
        event = {"name": name, "lat": lat, "lon": lon, "address": "12 Rosa Parks Lane",
                 "started_at": hours(100), "ended_at": hours(102), **more}
        return self.send("POST", "/v1/events", event)["id"]

    def edit(self, number, **values):
        self.send("PATCH", f"/v1/events/{number}", values)

    def delete(self, number):
        self.send("DELETE", f"/v1/events/{number}")


def open_map(site, lat, zoom=14, more="", moves=False, ready=True, origin=None, haste=LONG,
             size=(1280, 800)):
    """Opens the map at a place with events, and waits for its stream."""
    page = site.page
    for script in [STREAMS, ANIMATIONS, HASTE.replace("LEAST", str(haste))]:
        page.call("Page.addScriptToEvaluateOnNewDocument", source=script)
    address = f"{origin or site.origin}/map#map={zoom}/{lat}/13.405{more}"
    page.open(address, size)
    if moves:
        page.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-reduced-motion", "value": "no-preference"}])
    page.wait(READY)
    if ready:
        page.wait("readies === 1")
    return page


def pins(page):
    return sorted(page.evaluate(
        "[...document.querySelectorAll('button.pin')].map((pin) => pin.ariaLabel)"))


def rest(page):
    """Waits longer than a change needs to be shown."""
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 1500))")


def streams(page):
    return [url for url in page.requests if "/v1/changes/stream" in url]


def test_shows_new_edited_and_deleted_events(site):
    host = Host(site)
    host.add("Chess", 10)
    page = open_map(site, 10)
    place, loads = fragment(page), len(page.requests)
    page.evaluate("window.chess = document.querySelector('.row'); chess.querySelector('a').focus()")
    jazz = host.add("Late jazz", 10.006, started_at=hours(50))
    page.wait(f"{NAMES}.length === 2")
    equal(page.evaluate(NAMES), ["Late jazz", "Chess"])
    equal(page.evaluate(STATUS), "2 events coming up here. New: “\u2068Late jazz\u2069”.")
    equal(pins(page), ["Chess", "Late jazz"])
    # An unchanged row is the same element, and has kept the focus.
    assert page.evaluate("chess.isConnected && chess.contains(document.activeElement)")
    assert page.evaluate("document.activeElement.className") == "calendar"

    page.evaluate("document.querySelector('.row .calendar').focus()")
    host.edit(jazz, name="Early jazz", lat=10.008)
    page.wait(f"{NAMES}.includes('Early jazz')")
    page.wait("[...document.querySelectorAll('.pin')].some((pin) => pin.title === 'Early jazz')")
    equal(page.evaluate("document.activeElement.closest('.row').dataset.id"), str(jazz))
    equal(page.evaluate("document.activeElement.className"), "calendar")
    equal(page.evaluate(STATUS), "2 events coming up here. New: “\u2068Late jazz\u2069”.")

    host.delete(jazz)
    page.wait(f"{NAMES}.length === 1")
    equal(page.evaluate(STATUS), "1 event coming up here.")
    equal(pins(page), ["Chess"])
    equal(page.evaluate("document.activeElement.id"), "results")
    equal(fragment(page), place)
    equal(len(streams(page)), 1)
    assert all("/v1/events" in url for url in page.requests[loads:]), page.requests[loads:]


def test_shows_changes_on_the_card(site):
    host = Host(site)
    chess = host.add("Chess", 11, description="Bring a board.\n" * 20)
    page = open_map(site, 11)
    page.evaluate("document.querySelector('.row .name').click()")
    page.wait("document.querySelector('.description')")
    page.click(".card .description + button")
    page.evaluate("document.querySelector('.card .calendar').focus()")
    # The map has made room for the card.
    page.wait("!location.hash.startsWith('#map=14/11.00000/')")
    place = fragment(page)
    host.edit(chess, name="Blitz")
    page.wait("document.querySelector('.card h2').textContent === 'Blitz'")
    page.wait(f"{NAMES}[0] === 'Blitz'")
    assert page.evaluate("document.querySelector('.card .calendar') === document.activeElement")
    assert page.evaluate("document.querySelector('.description').classList.contains('whole')")
    assert page.evaluate("document.querySelector('.row').classList.contains('current')")
    host.delete(chess)
    page.wait(f"{NAMES}.length === 0")
    page.wait("document.querySelector('.card .gone')")
    equal(page.text(".card .gone"), "No longer in this list")
    equal(fragment(page), place)


def test_keeps_the_length_of_the_list(site):
    host = Host(site)
    for number in range(35):
        host.add(f"Walk {number:02}", 26 + number / 10000)
    page = open_map(site, 26)
    page.click("#more")
    page.wait(f"{NAMES}.length === 35")
    host.add("Late jazz", 26, started_at=hours(50))
    host.add("Early jazz", 26, started_at=hours(40))
    page.wait(f"{NAMES}.length === 37")
    equal(page.evaluate(NAMES)[:3], ["Early jazz", "Late jazz", "Walk 00"])
    assert page.evaluate(STATUS).startswith("37 events"), page.evaluate(STATUS)


def test_announces_several_events_at_once(site):
    host = Host(site)
    host.add("Chess", 27)
    page = open_map(site, 27)
    # The longest delay between a change and the load.
    page.evaluate("Math.random = () => 1")
    for name in ["Go", "Checkers"]:
        host.add(name, 27.006)
    page.wait(f"{STATUS} === '3 events coming up here. 2 new events.'")


def test_fits_long_names_on_a_phone(site):
    host = Host(site)
    host.add("Chess", 28)
    page = open_map(site, 28, size=(360, 640))
    host.add("\u202e" + "W" * 100, 28.006)
    page.wait(f"{NAMES}.length === 2")
    page.wait(f"{STATUS}.includes('WWW')")
    assert page.evaluate("document.getElementById('results').scrollWidth <= innerWidth")


def animations(site, lat, moves):
    """Returns the names of the new pins that are animated."""
    host = Host(site)
    host.add("Chess", lat)
    page = open_map(site, lat, moves=moves)
    host.add("Late jazz", lat + 0.006)
    page.wait(f"{NAMES}.length === 2")
    page.wait("document.querySelector('.pin.new')")
    page.evaluate("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")
    return page.evaluate("animations")


def test_animates_new_pins(site):
    equal(animations(site, 12, True), ["Late jazz"])


def test_animates_nothing_with_reduced_motion(site):
    equal(animations(site, 13, False), [])


def test_keeps_the_focus_on_the_map(site):
    host = Host(site)
    host.add("Chess", 14)
    page = open_map(site, 14)
    page.evaluate("document.querySelector('.pin').focus()")
    # The pin becomes a cluster.
    host.add("Late jazz", 14)
    page.wait("document.querySelector('.cluster')")
    assert page.evaluate("document.activeElement === document.querySelector('.cluster')")


def test_follows_the_region_that_is_visible(site):
    host = Host(site)
    host.add("Chess", 15)
    host.add("Checkers", 16)
    page = open_map(site, 15)
    before = fragment(page)["map"]
    page.evaluate("location.hash = '#map=14/16/13.405'")
    page.wait(f"{NAMES}[0] === 'Checkers'")
    page.wait("readies === 2")
    equal(page.evaluate(OPEN), 1)
    loads = len(page.requests)
    host.add("Elsewhere", 15)
    host.add("Go", 16.006)
    page.wait(f"{NAMES}.length === 2")
    equal(sorted(page.evaluate(NAMES)), ["Checkers", "Go"])
    # One change, thus one load.
    equal(len(page.requests), loads + 2)
    assert fragment(page)["map"] != before


def test_follows_the_filters(site):
    host = Host(site)
    host.add("Chess", 17, category="games")
    page = open_map(site, 17, more="&category=games&q=che")
    query = dict(urllib.parse.parse_qsl(streams(page)[0].partition("?")[2]))
    assert set(query) == {"bbox", "category", "q", "status", "since"}, query
    host.add("Cheese", 17.006, category="food")
    host.add("Checkers", 17.006, category="games")
    page.wait(f"{NAMES}.length === 2")
    equal(sorted(page.evaluate(NAMES)), ["Checkers", "Chess"])
    page.click("[data-category=games]")
    page.wait(f"{NAMES}.length === 3")
    page.wait("readies === 2")
    equal(page.evaluate(OPEN), 1)
    # A change that the time window leaves out is not shown.
    host.add("Chemistry", 17, started_at=hours(-50), ended_at=hours(-48))
    host.add("Chekhov", 17)
    page.wait(f"{NAMES}.length === 4")
    assert "Chemistry" not in page.evaluate(NAMES)
    # Another time window needs no other stream.
    page.click("[data-when=any]")
    page.wait(f"{NAMES}.length === 5")
    rest(page)
    equal(len(streams(page)), 2)


def test_shows_what_changed_before_the_stream(site):
    host = Host(site)
    host.add("Chess", 18)
    page = open_map(site, 18, ready=False)
    # The map opens the stream when it has rested.
    equal(page.evaluate("streams.length"), 0)
    host.add("Late jazz", 18.006)
    page.wait(f"{NAMES}.length === 2")
    equal(page.evaluate("streams.length"), 1)


def test_follows_only_while_the_page_is_visible(site):
    host = Host(site)
    host.add("Chess", 19)
    page = open_map(site, 19)
    page.apply(HIDE, True)
    equal(page.evaluate(OPEN), 0)
    loads = len(page.requests)
    host.add("Late jazz", 19.006)
    rest(page)
    equal(page.evaluate(NAMES), ["Chess"])
    equal(page.requests[loads:], [])
    page.apply(HIDE, False)
    page.wait(f"{NAMES}.length === 2")
    page.wait("readies === 2")
    equal(page.evaluate(OPEN), 1)


def test_opens_another_stream_in_another_network(site):
    Host(site).add("Chess", 25)
    page = open_map(site, 25)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    page.wait("readies === 2")
    equal(page.evaluate(OPEN), 1)


def test_loads_large_regions_again(site):
    host = Host(site)
    host.add("Chess", -40)
    page = open_map(site, -40, zoom=6, ready=False)
    host.add("Late jazz", -41)
    page.wait(f"{NAMES}.length === 2")
    assert not any("/v1/changes" in url for url in page.requests), page.requests


def test_works_without_the_feed(site):
    host = Host(site)
    host.add("Chess", 24)
    site.page.stub("/v1/changes?", 503, {"Content-Type": "application/json"}, "{}")
    page = open_map(site, 24, ready=False)
    assert page.evaluate("document.getElementById('problem').hidden")
    host.add("Late jazz", 24.006)
    page.wait(f"{NAMES}.length === 2")
    equal(streams(page), [])
    # The browser notes the 503s.
    assert page.failures
    page.failures.clear()


def test_loads_again_after_a_reset_and_polls_after_the_end(site):
    host = Host(site)
    host.add("Chess", 20)
    page = open_map(site, 20)
    page.evaluate("""streams[0].dispatchEvent(new MessageEvent('reset', {data: '{"cursor":"0"}'}))""")
    page.wait("readies === 2")
    equal(page.evaluate(OPEN), 1)
    host.add("Late jazz", 20.006)
    page.wait(f"{NAMES}.length === 2")
    page.evaluate("""streams[1].dispatchEvent(new MessageEvent('end', {data: '{}'}))""")
    equal(page.evaluate(OPEN), 0)
    host.add("Go", 20.008)
    page.wait(f"{NAMES}.length === 3")
    equal(page.evaluate("streams.length"), 2)


@contextlib.contextmanager
def proxy(site, streams):
    """Serves the site through a proxy, and yields its address.

    `streams` is what it does with streams: "buffers" them, "rejects" them with 503, or "cuts" the
    first one when it is ready.
    """
    cut = []

    class Proxy(socketserver.StreamRequestHandler):
        def handle(self):
            line = self.rfile.readline().decode()
            if not line:
                return
            method, path, _ = line.split()
            while self.rfile.readline().strip():
                pass
            if "/changes/stream" in path and streams == "rejects":
                self.wfile.write(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            upstream = http.client.HTTPConnection("127.0.0.1", site.port)
            upstream.request(method, path)
            response = upstream.getresponse()
            if "/changes/stream" in path and streams == "cuts":
                self.relay(response)
                return
            # It reads the whole response before it sends a byte.
            try:
                body = response.read()
            except OSError:
                return
            fields = "".join(f"{name}: {value}\r\n" for name, value in response.getheaders()
                             if name.lower() not in ("transfer-encoding", "connection", "content-length"))
            self.wfile.write(f"HTTP/1.1 {response.status} OK\r\n{fields}Content-Length: {len(body)}\r\n"
                             "Connection: close\r\n\r\n".encode() + body)

        def relay(self, response):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                             b"Connection: close\r\n\r\n")
            while line := response.readline():
                self.wfile.write(line)
                if not cut and b'data: {"cursor"' in line:
                    self.wfile.write(b"\n")
                    cut.append(True)
                    return

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address, daemon_threads, block_on_close = True, True, False

        def handle_error(self, *_):
            pass

    with Server(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def test_polls_behind_a_proxy_that_buffers(site):
    host = Host(site)
    host.add("Chess", 21)
    with proxy(site, "buffers") as origin:
        page = open_map(site, 21, ready=False, origin=origin, haste=5000)
        page.wait("streams.length === 1 && streams[0].readyState === 2")
        jazz = host.add("Late jazz", 21.006)
        page.wait(f"{NAMES}.length === 2")
        equal(page.evaluate(STATUS), "2 events coming up here. New: “\u2068Late jazz\u2069”.")
        host.delete(jazz)
        page.wait(f"{NAMES}.length === 1")
        # Another region begins with polling.
        page.evaluate("performance.clearResourceTimings(); location.hash = '#map=13/21/13.405'")
        # Polls of the old region end when the new one is prepared.
        page.wait("""(() => {
          const names = performance.getEntriesByType('resource').map(({name}) => name);
          const first = names.findIndex((name) => name.includes('since=now'));
          return first >= 0 && names.findLastIndex((name) => /changes.*since=[^n]/.test(name)) > first;
        })()""")
        host.add("Go", 21.006)
        page.wait(f"{NAMES}.length === 2")
        equal(page.evaluate("streams.length"), 1)
        page.requests[:] = [url.replace(origin, site.origin) for url in page.requests]


def test_connects_again_after_a_lost_connection(site):
    host = Host(site)
    host.add("Chess", 23)
    with proxy(site, "cuts") as origin:
        page = open_map(site, 23, origin=origin)
        host.add("Late jazz", 23.006)
        page.wait(f"{NAMES}.length === 2")
        page.wait("readies === 2")
        equal(page.evaluate("streams.length"), 1)
        page.requests[:] = [url.replace(origin, site.origin) for url in page.requests]


def test_polls_when_there_are_too_many_streams(site):
    host = Host(site)
    host.add("Chess", 22)
    with proxy(site, "rejects") as origin:
        page = open_map(site, 22, ready=False, origin=origin)
        page.wait("streams.length === 1 && streams[0].readyState === 2")
        host.add("Late jazz", 22.006)
        page.wait(f"{NAMES}.length === 2")
        equal(page.evaluate("streams.length"), 1)
        page.requests[:] = [url.replace(origin, site.origin) for url in page.requests]
        # The browser notes the 503.
        equal(len(page.failures), 1)
        page.failures.clear()
