"""The page at `/`."""

import json
import re

import checks
from checks import Skipped, equal

CLUSTERS = "/v1/events/clusters"
JSON = {"Content-Type": "application/json; charset=utf-8"}
PLACES = [(40.4, -3.7, 1), (51.5, -0.1, 2000), (37.8, -122.4, 30), (-33.9, 151.2, 4)]


def serve_clusters(page, places):
    """Stubs the response to the page's request for clusters."""
    clusters = [
        {"count": count, "lat": latitude, "lon": longitude, "event": {"id": 1}}
        for latitude, longitude, count in places
    ]
    page.stub(CLUSTERS, 200, JSON, json.dumps({"clusters": clusters}))


def test_is_usable_on_phones_and_desktops(site):
    serve_clusters(site.page, PLACES)
    site.look(
        "welcome", "/", lambda page: page.wait("document.querySelector('.event')"), least_text=14
    )


def test_fits_narrow_phones(site):
    serve_clusters(site.page, [])
    equal(checks.wide(site.open("/", (360, 740))), [])


def test_shows_the_events_on_the_map(site):
    page = site.page
    serve_clusters(page, PLACES)
    site.open("/")
    page.wait("document.querySelectorAll('.event').length === 4")
    equal(page.text("#count"), "2,035 events on this server")
    label = page.evaluate("document.querySelector('#world svg').getAttribute('aria-label')")
    equal(label, "Map of the world with 2,035 events")
    # Each dot has the position of its place, and a size for its number of events.
    dots = page.evaluate(
        """[...document.querySelectorAll('.event')].map((one) =>
        ['cx', 'cy', 'r'].map((name) => Number(one.getAttribute(name)).toFixed(1)))"""
    )
    equal(dots, [["87.7", "22.4", "0.9"], ["89.5", "15.7", "1.9"], ["28.3", "24.0", "1.4"],
                 ["165.1", "67.8", "1.1"]])


def test_shows_an_empty_map_of_an_empty_server(site):
    serve_clusters(site.page, [])
    page = site.open("/", checks.PHONE)
    page.wait("document.getElementById('count').textContent")
    equal(page.text("#count"), "No events yet. The commands below create the first one.")


def test_remains_a_page_where_the_events_are_missing(site):
    page = site.page
    page.stub(CLUSTERS, 422, JSON, '{"message":"Validation Failed"}')
    site.open("/")
    page.wait_until(lambda: page.failures, "the browser notes the 422")
    page.failures.clear()
    equal(page.text("#count"), "")
    equal(page.evaluate("document.querySelectorAll('.event').length"), 0)
    assert page.evaluate("document.querySelector('.land').checkVisibility()")


def test_asks_the_server_for_the_events(site):
    if not site.serves(CLUSTERS):
        raise Skipped("the server has no clusters")
    token = site.request("POST", "/v1/users", tb_app_secret=site.secret)[1]["auth_token"]
    for latitude, longitude in [(0, 0), (90, 0), (-89.9, 12), (-16.5, 180), (-16.5, -180)]:
        event = {"name": "a", "lat": latitude, "lon": longitude, "started_at": "2030-01-01"}
        created = site.request("POST", "/v1/events", event, tb_auth_token=token)[1]
    page = site.open("/")
    page.wait("document.getElementById('count').textContent")
    # Ids begin at 1, and no test deletes an event.
    equal(page.text("#count"), f"{created['id']} events on this server")


def test_the_commands_return_what_the_page_says(site):
    serve_clusters(site.page, [])
    page = site.open("/")
    steps = page.evaluate(
        """[...document.querySelectorAll('.steps li')].map((one) =>
        [one.querySelector('.curl').textContent, one.querySelector('.answer').textContent])"""
    )
    equal(len(steps), 3)
    token = None
    for command, shown in steps:
        command = command.replace("SECRET", site.secret).replace("TOKEN", token or "")
        answer = site.run_shell(command.replace("curl", "curl -s", 1))
        token = json.loads(answer)["auth_token"] if token is None else token
        equal(general(answer), general(shown))


def general(text):
    """Returns JSON without tokens and ids, which differ between servers."""
    text = re.sub(r'"[0-9a-f]{8}-[0-9a-f-]{27}"', '"…"', json.dumps(json.loads(text)))
    return re.sub(r'"id": \d+', '"id": …', text)


def test_works_without_script(site):
    page = site.page
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    page.open(site.origin + "/", checks.PHONE)
    site.screenshot("welcome-without-script")
    assert "Humon is running" in page.text("h1")
    assert page.evaluate("document.querySelector('.land').checkVisibility()")
    equal(page.evaluate("document.querySelectorAll('.steps .answer').length"), 3)


def test_links_to_the_other_pages(site):
    serve_clusters(site.page, [])
    for path in ["/map", "/docs", "/openapi.json"]:
        page = site.open("/", checks.PHONE)
        links = page.apply("(path) => document.querySelectorAll(`a[href='${path}']`).length", path)
        # The picture of the map is a third link to the map, if there is one.
        equal(links, {"/map": 3 if site.serves("/map") else 0}.get(path, 2))
    page.click("main a[href='/docs']")
    page.wait("location.pathname === '/docs' && document.querySelector('.endpoint')")
