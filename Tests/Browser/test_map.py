"""The map of events at `/map`."""

import contextlib
import datetime
import http.client
import http.server
import json
import re
import threading

import browser
import checks

SETTINGS = {"SYSTEMS": "humon"}

browser.KEYS.update({"+": ("Equal", 187, "+"), "-": ("Minus", 189, "-")})

HOSTILE = '<img src=x onerror="document.title=1"> & \u202e"quoted"'
CITY = "#map=12/37.77/-122.42"
CENTRE = "37.77,-122.42"
READY = "document.querySelectorAll('.row').length > 0 && document.getElementById('busy').hidden"
# Waits until the card stops moving.
RESTS = """new Promise((resolve) => {
  const place = () => JSON.stringify(document.querySelector('.card').getBoundingClientRect());
  let last;
  const look = () => {
    const now = place();
    if (now === last) resolve(true);
    last = now;
    setTimeout(look, 50);
  };
  look();
})"""
NAMES = "[...document.querySelectorAll('.row .name')].map((name) => name.textContent)"


def hours(count):
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    return (now + datetime.timedelta(hours=count)).isoformat()


def events():
    """The events of all tests: north of the centre, with growing distances and start times."""
    near = [(f"Walk {number:02}", 37.77 + number / 1000, -122.42, 240 + number, 2)
            for number in range(45)]
    return near + [
        (HOSTILE, 37.769, -122.42, 300, 2),
        ("Exhibition", 37.768, -122.43, -3, 6),
        ("Yesterday's concert", 37.767, -122.44, -40, 2),
        ("Book fair in Lisbon", 38.72, -9.14, 400, 3),
        ("Dive in Suva", -18.14, 178.44, 400, 3),
        ("Dive in Taveuni", -16.85, -179.97, 400, 3),
    ]


def filled(site):
    """Adds the events once, or skips the tests if the server has no clusters."""
    if not site.serves("/v1/events/clusters"):
        raise checks.Skipped("the server has no clusters")
    if getattr(site, "is_filled", False):
        return
    site.is_filled = True
    _, user = site.request("POST", "/v1/users", tb_app_secret=site.secret)
    for name, lat, lon, start, length in events():
        status, body = site.request(
            "POST", "/v1/events",
            {
                "name": name, "lat": lat, "lon": lon, "address": "12 Rosa Parks Lane",
                "started_at": hours(start), "ended_at": hours(start + length),
            },
            tb_auth_token=user["auth_token"],
        )
        assert status == 200, body


def open_map(site, fragment=CITY, **more):
    filled(site)
    page = site.open("/map" + fragment, **more)
    page.wait(READY)
    return page


def fragment(page):
    return page.evaluate("Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")


def change(page, act):
    """Runs an action that moves the map, and waits until everything is loaded."""
    before = fragment(page).get("map")
    act()
    page.wait(f"new URLSearchParams(location.hash.slice(1)).get('map') !== {json.dumps(before)}")
    page.wait("document.getElementById('busy').hidden")


def look_open(page):
    page.wait(READY)
    page.click(".row .name")
    page.wait("document.querySelector('.card')")


def test_is_usable_on_phones_and_desktops(site):
    filled(site)
    place = f"/map#map=14/37.768/-122.42&at={CENTRE}&when=any"
    site.look("map", place, lambda page: page.wait(READY))
    site.look("map-card", place, look_open)
    if site.screenshots:
        site.look("map-world", "/map", lambda page: page.wait(READY))


def test_loads_little_and_nothing_twice(site):
    page = open_map(site)
    sizes = page.evaluate(
        """[...performance.getEntriesByType('navigation'),
            ...performance.getEntriesByType('resource')]
           .map((entry) => [entry.name, entry.transferSize])"""
    )
    assert sum(size for _, size in sizes) <= 400_000, sizes
    assert len({name for name, _ in sizes}) == len(sizes), sizes


def test_shows_clusters_and_pins_of_what_is_visible(site):
    page = open_map(site)
    summary = page.text("#status")
    assert summary == "47 events coming up here.", summary
    counts = page.evaluate(
        """[...document.querySelectorAll('.cluster')].map((one) => parseInt(one.textContent))
           .concat([...document.querySelectorAll('.layer > button.pin')].map(() => 1))"""
    )
    assert f"{sum(counts)} events" in summary, (counts, summary)
    assert page.evaluate("document.querySelector('.list').tagName") == "OL"


def test_measures_from_where_the_device_is(site):
    filled(site)
    site.page.stand_at(37.7745, -122.42)
    page = site.open("/map")
    page.wait(READY)
    change(page, lambda: page.click("#locate"))
    page.wait("document.querySelector('.way')")
    assert fragment(page)["at"] == "37.7745,-122.42", fragment(page)
    names = page.evaluate(NAMES)
    assert sorted(names[:2]) == ["Walk 04", "Walk 05"], names
    assert page.text(".row .way").split()[-1] in ("N", "S"), page.text(".row .way")


def test_measures_from_a_click(site):
    page = open_map(site)
    area = page.evaluate(
        "(({x, y, width, height}) => [x + width / 4, y + height / 4])"
        "(document.getElementById('area').getBoundingClientRect())"
    )
    page.click_at(*area)
    page.wait("document.querySelector('.way')")
    assert page.evaluate("document.querySelector('.layer .point').checkVisibility()")
    assert "at" in fragment(page)
    page.click("#sort")
    page.wait("document.querySelector('.name')?.textContent === 'Exhibition'")
    assert fragment(page)["sort"] == "started_at"


def test_finds_cities_countries_and_coordinates(site):
    page = open_map(site, "")
    for text, expected in [("lisbon", "38.72"), ("FIJI", "-17."), ("37.77, -122.42", "37.77")]:
        page.type("#where", text)
        change(page, lambda: page.press("Enter"))
        page.wait(f"location.hash.includes('/{expected}')")
    page.type("#where", "Atlantis")
    page.press("Enter")
    missing = "“Atlantis” was not found."
    page.wait(f"document.getElementById('status').textContent.startsWith({json.dumps(missing)})")


def test_pans_and_zooms_with_pointer_wheel_and_keys(site):
    page = open_map(site)
    x, y = page.evaluate(
        "(({x, y, width, height}) => [x + width / 2, y + height * 0.8])"
        "(document.getElementById('area').getBoundingClientRect())"
    )
    change(page, lambda: page.drag((x, y), (x - 200, y)))
    assert float(fragment(page)["map"].split("/")[2]) > -122.41, fragment(page)
    assert "at" not in fragment(page), "a drag is not a click"
    change(page, lambda: page.wheel(x, y, -240))
    assert float(fragment(page)["map"].split("/")[0]) > 12, fragment(page)
    page.evaluate("document.getElementById('canvas').focus()")
    for key, index, sign in [("-", 0, -1), ("+", 0, 1), ("ArrowUp", 1, 1), ("ArrowRight", 2, 1)]:
        before = float(fragment(page)["map"].split("/")[index])
        change(page, lambda: page.press(key))
        after = float(fragment(page)["map"].split("/")[index])
        assert (after - before) * sign > 0, (key, before, after)


def test_shows_both_sides_of_the_antimeridian(site):
    page = open_map(site, "#map=6/-17.5/179.5")
    assert sorted(page.evaluate(NAMES)) == ["Dive in Suva", "Dive in Taveuni"]
    places = page.evaluate(
        """[...document.querySelectorAll('.layer > button.pin')]
           .map((pin) => pin.getBoundingClientRect().x)"""
    )
    assert len(places) == 2 and abs(places[0] - places[1]) < 400, places


def test_narrows_the_time_and_goes_back(site):
    page = open_map(site)
    page.click("[data-when=now]")
    page.wait(f"{NAMES}.join() === 'Exhibition'")
    assert fragment(page)["when"] == "now"
    assert page.text("#status") == "1 event here now."
    page.click("[data-when=any]")
    page.wait("document.getElementById('status').textContent === '48 events here at any time.'")
    page.evaluate("history.back()")
    page.wait(f"{NAMES}.join() === 'Exhibition'")
    pressed = page.evaluate("document.querySelector('[aria-pressed=true]').textContent")
    assert pressed == "Now", pressed
    page.evaluate("history.forward()")
    page.wait("document.getElementById('status').textContent === '48 events here at any time.'")


def test_says_when_there_is_nothing_and_finds_the_nearest(site):
    filled(site)
    page = site.open("/map#map=12/38.2/-9.1")
    page.wait("!document.getElementById('empty').hidden")
    assert page.text("#status") == "No events coming up here."
    page.click("#nearest")
    page.wait("document.querySelector('.card h2')?.textContent === 'Book fair in Lisbon'")
    page.wait(f"{NAMES}.join() === 'Book fair in Lisbon'")


def test_loads_more_without_losing_the_place(site):
    page = open_map(site, f"{CITY}&at={CENTRE}")
    assert len(page.evaluate(NAMES)) == 30
    page.click("#more")
    page.wait("document.querySelectorAll('.row').length > 30")
    names = page.evaluate(NAMES)
    assert len(names) == len(set(names)), names
    assert page.evaluate("document.activeElement.textContent") == names[30]


def test_can_be_shared_and_reloaded(site):
    page = open_map(site, f"{CITY}&at={CENTRE}&when=any&sort=started_at")
    page.click(".row:nth-child(2) .name")
    page.wait("document.querySelector('.card')")
    page.wait("location.hash.includes('event=')")
    shown = [page.evaluate(NAMES), page.text(".card h2")]
    url = page.evaluate("location.pathname + location.hash")
    site.open(url)
    page.wait(READY)
    page.wait("document.querySelector('.card')")
    assert [page.evaluate(NAMES), page.text(".card h2")] == shown
    assert page.evaluate("location.pathname + location.hash") == url


def test_opens_the_event_of_a_link_in_a_feed(site):
    filled(site)
    _, feed = site.request("GET", "/v1/events.atom?bbox=-10,38,-9,39")
    (url,) = re.findall('<link rel="alternate" href="([^"]*)"/>', feed)
    assert url.startswith(site.origin + "/map#event="), url
    page = site.open(url.removeprefix(site.origin))
    page.wait("document.querySelector('.card h2')?.textContent === 'Book fair in Lisbon'")
    page.wait(f"{NAMES}.join() === 'Book fair in Lisbon'")
    page.wait("location.hash.startsWith('#map=13/38.7')")


def test_adds_an_event_to_a_calendar(site):
    page = open_map(site, f"{CITY}&at={CENTRE}&when=now")
    page.click(".row .name")
    page.wait("document.querySelector('.card')")
    card = page.text(".card")
    assert "Exhibition" in card and "12 Rosa Parks Lane" in card and "now" in card.lower(), card
    page.wait(RESTS)
    name, content = page.download(".card .calendar")
    assert name.endswith(".ics"), name
    assert content.startswith(b"BEGIN:VCALENDAR\r\n") and b"SUMMARY:Exhibition\r\n" in content


def test_opens_and_closes_cards_with_the_keyboard(site):
    page = open_map(site, "#map=17/37.768/-122.43")
    page.evaluate("document.querySelector('.layer > button.pin').focus()")
    page.press("Enter")
    page.wait("document.activeElement.closest('.card')")
    assert page.text(".card h2") == "Exhibition"
    page.press("Escape")
    page.wait("!document.querySelector('.card')")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Exhibition"
    assert "event" not in fragment(page)


def test_shows_hostile_texts_as_text(site):
    page = open_map(site, "#map=19/37.769/-122.42")
    page.click(".row .name")
    page.wait("document.querySelector('.card')")
    assert page.evaluate("document.querySelector('.card h2').textContent") == HOSTILE
    assert page.evaluate("document.images.length") == 0
    assert page.evaluate("document.title") == "Events on the map – Humon"


def test_a_taller_sheet_has_the_same_list(site):
    page = open_map(site, size=checks.PHONE)
    names, requests = page.evaluate(NAMES), len(page.requests)
    height = "document.querySelector('.panel').getBoundingClientRect().height"
    low = page.evaluate(height)
    page.click("#handle")
    page.wait(f"{height} > {low + 200}")
    assert page.evaluate("document.getElementById('handle').ariaExpanded") == "true"
    page.click("[data-when=now]")
    page.wait(f"{NAMES}.join() === 'Exhibition'")
    page.evaluate("history.back()")
    page.wait(f"{NAMES}.length === {len(names)}")
    assert page.evaluate(NAMES) == names
    # Two requests for each time window, and none for the sheet.
    assert len(page.requests) == requests + 4, page.requests[requests:]


def test_says_what_failed_and_recovers(site):
    page = open_map(site)
    body = '{"message":"Too many searches are running. Try again in a moment."}'
    page.stub("/v1/events/clusters", 503, {"Content-Type": "application/json"}, body)
    page.click("[data-when=any]")
    page.wait("!document.getElementById('problem').hidden")
    assert "The server is busy." in page.text("#problem"), page.text("#problem")
    page.stubs[:] = [(
        "/v1/events/clusters", 422, {"Content-Type": "application/json"},
        json.dumps({
            "message": "Validation Failed",
            "errors": ["Query is too broad: add a radius, a bbox or a time window"],
        }),
    )]
    page.click("#retry")
    page.wait("document.getElementById('problem').textContent.includes('too many events')")
    page.stubs.clear()
    page.click("#retry")
    page.wait("document.getElementById('problem').hidden")
    page.failures.clear()


@contextlib.contextmanager
def proxied(site):
    """Serves the site below /humon and nothing else, and returns the address of the proxy."""

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if not self.path.startswith("/humon/"):
                return self.send_error(404)
            server = http.client.HTTPConnection("127.0.0.1", site.port)
            server.request("GET", self.path.removeprefix("/humon"), headers={
                **self.headers, "X-Forwarded-Prefix": "/humon",
            })
            response = server.getresponse()
            self.send_response_only(response.status)
            for name, value in response.getheaders():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(response.read())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{proxy.server_port}"
        proxy.shutdown()


def test_works_below_a_path_of_a_proxy(site):
    filled(site)
    page = site.page
    with proxied(site) as origin:
        site.allowed = (origin + "/humon/",)
        page.open(origin + "/humon/", checks.DESKTOP)
        page.wait("document.querySelectorAll('#world .event').length > 0")
        page.click("main a.button[href='/humon/map']")
        page.wait(READY)
        page.wait("document.querySelector('[data-suffix]').href")
        links = page.evaluate(
            """[document.querySelector('.row .calendar'), document.querySelector('[data-suffix]')]
            .map((link) => link.getAttribute('href').replace(/[0-9]+[.]ics|[?].*/, ''))"""
        )
        assert links == ["/humon/v1/events/", "/humon/v1/events.ics"], links
        page.open(origin + "/humon/docs", checks.DESKTOP)
        assert page.text(".origin") == origin + "/humon"
        command = page.evaluate("document.querySelector('#showEvent .curl code').textContent")
        assert f"'{origin}/humon/v1/events/" in command, command
        page.evaluate("document.querySelector('#showEvent').open = true")
        page.click("#showEvent button.scripted")
        page.wait("document.querySelector('#showEvent .status').textContent.startsWith('200')")
