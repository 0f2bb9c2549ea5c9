"""The page at `/docs`."""

import json
import urllib.request

import checks
from checks import Skipped, equal

UUID = r"^[0-9a-f-]{36}$"


def unfold(page, endpoint):
    page.evaluate(f"document.getElementById({json.dumps(endpoint)}).open = true")


def field(endpoint, name):
    return f"#{endpoint} [name='{name}']"


def fill(page, endpoint, name, text):
    unfold(page, endpoint)
    page.type(field(endpoint, name), text)


def send(page, endpoint):
    """Sends an endpoint's request, and returns the visible status."""
    unfold(page, endpoint)
    page.apply(
        "(id) => { document.querySelector(`#${id} .status`).textContent = ''; }", endpoint
    )
    page.click(f"#{endpoint} form > button")
    return page.wait(f"document.querySelector('#{endpoint} .status strong')?.textContent")


def curl(page, endpoint):
    return page.text(f"#{endpoint} .curl code")


def body(page, endpoint):
    return page.text(f"#{endpoint} .response [aria-label='Response body']")


def sign_up(site, page):
    """Creates a user with the form; then the page has the secret and a token."""
    fill(page, "createUser", "tb-app-secret", site.secret)
    equal(send(page, "createUser"), "200 OK")


def create_event(page):
    """Creates the example event, and returns its id as text."""
    equal(send(page, "createEvent"), "200 OK")
    id = json.loads(body(page, "createEvent"))["id"]
    equal(body(page, "createEvent"), f'{{\n  "id": {id}\n}}')
    return str(id)


def test_is_usable_on_phones_and_desktops(site):
    site.look("docs", "/docs", least_text=14)


def test_is_usable_with_an_open_endpoint(site):
    def prepare(page):
        for endpoint in ["createEvent", "nearestEvents"]:
            unfold(page, endpoint)
            page.evaluate(f"document.querySelector('#{endpoint} .prose').open = true")
        send(page, "nearestEvents")
        page.evaluate("document.getElementById('nearestEvents').scrollIntoView()")

    site.look("docs-open", "/docs", prepare, least_text=14)


def test_a_response_moves_no_field(site):
    page = site.open("/docs#nearestEvents")
    height = "document.querySelector('#nearestEvents form').offsetHeight"
    before = page.evaluate(height)
    equal(send(page, "nearestEvents"), "200 OK")
    equal(page.evaluate(height), before)


def test_fits_with_everything_open(site):
    for size in [(360, 740), checks.PHONE, checks.DESKTOP]:
        page = site.open("/docs", size)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        equal(checks.wide(page), [])
    names = page.evaluate(
        """[...document.querySelectorAll('.field')]
        .filter((one) => one.querySelector('label').control !== one.querySelector('[name]'))
        .map((one) => one.innerText)"""
    )
    assert names == [], names


def test_lists_every_operation(site):
    document = site.request("GET", "/openapi.json")[1]
    expected = sorted(
        [method.upper(), path]
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in ("get", "post", "put", "patch", "delete")
        # An operation can belong to several systems, and each has its own section.
        for _ in operation["tags"]
    )
    page = site.open("/docs")
    # A form would wait for the end of a stream.
    finite = [one for one in expected if not one[1].endswith("/stream")]
    assert finite != expected
    for selector, operations in ((".endpoint", expected), (".endpoint:has(form button)", finite)):
        listed = page.evaluate(
            f"""[...document.querySelectorAll('{selector}')].map((one) =>
            [one.querySelector('h3 b').textContent, one.querySelector('h3 code').textContent])"""
        )
        assert sorted(listed) == operations, listed


def test_signs_up_and_tries_endpoints(site):
    page = site.open("/docs", checks.PHONE)
    sign_up(site, page)
    token = page.evaluate(f"document.querySelector(\"{field('createEvent', 'tb-auth-token')}\").value")
    assert page.apply(f"(token) => /{UUID}/.test(token)", token), token
    assert body(page, "createUser").startswith(f'{{\n  "auth_token": "{token}",\n  "id": ')

    id = create_event(page)
    fill(page, "showEvent", "id", id)
    equal(send(page, "showEvent"), "200 OK")
    assert body(page, "showEvent").startswith('{\n  "address": "85 2nd St",\n  "ended_at": '), \
        body(page, "showEvent")
    shown = page.evaluate(
        """[...document.querySelectorAll('#showEvent .response [class]')].slice(0, 6)
        .map((one) => `${one.className} ${one.textContent}`)"""
    )
    equal(shown, ['key "address"', 'string "85 2nd St"', 'key "ended_at"',
                  'string "2030-06-01T19:00:00.000Z"', 'key "id"', f"number {id}"])
    headings = page.evaluate(
        """[...document.querySelectorAll('#showEvent .response h4')].map((one) => one.textContent)"""
    )
    assert headings == ["Response body", "Response headers"], headings
    assert "x-request-id: " in page.text("#showEvent .response [aria-label='Response headers']")

    equal(send(page, "createAccount"), "201 Created")
    equal(send(page, "createTask"), "200 OK")
    assert '"title": "Buy milk"' in body(page, "createTask")
    equal(send(page, "addSharedTasks"), "200 OK")
    assert "<string>Buy milk</string>" in body(page, "addSharedTasks")
    equal(send(page, "createCheckin"), "200 OK")
    equal(page.text("#createCheckin .response p"), "The response has no body.")
    stored = page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length")
    assert stored == 0, "something is stored outside the page"


def test_shows_errors_and_markup_as_text(site):
    page = site.open("/docs")
    sign_up(site, page)
    id = create_event(page)
    fill(page, "updateEvent", "id", id)
    fill(page, "updateEvent", "body", '{"name":"<img src=x onerror=alert(1)>"}')
    equal(send(page, "updateEvent"), "200 OK")
    fill(page, "showEvent", "id", id)
    send(page, "showEvent")
    assert '"name": "<img src=x onerror=alert(1)>"' in body(page, "showEvent")
    equal(page.evaluate("document.images.length"), 0)

    fill(page, "showEvent", "id", "77")
    equal(send(page, "showEvent"), "404 Not Found")
    equal(body(page, "showEvent"), '{\n  "message": "Not Found"\n}')
    page.wait_until(lambda: page.failures, "the browser notes the 404")
    assert len(page.failures) == 1 and "/v1/events/77" in page.failures.pop()


def test_the_curl_line_sends_what_the_form_holds(site):
    page = site.open("/docs")
    for endpoint, expected in [
        ("createUser", "curl -g -X POST -H 'tb-app-secret: SECRET' '{}/v1/users'"),
        ("showEvent", "curl -g '{}/v1/events/2'"),
        ("deleteEvent", "curl -g -X DELETE -H 'tb-auth-token: TOKEN' '{}/v1/events/2'"),
        ("listTasks", "curl -g -H 'Authorization: Bearer TOKEN' '{}/v1/tasks'"),
        ("nearestEvents",
         "curl -g '{}/v1/events/nearests?lat=37.79&lon=-122.4&radius=5&limit=10'"),
    ]:
        unfold(page, endpoint)
        assert curl(page, endpoint) == expected.replace("{}", site.origin), curl(page, endpoint)

    sign_up(site, page)
    hostile = "It's \"$HOME\" `id` \\ % & = + ü 😀 $(id) !! ~"
    fill(page, "createEvent", "body", json.dumps(
        {"name": hostile, "lat": 1, "lon": 2, "started_at": "2030-01-01T00:00:00Z"},
        ensure_ascii=False, indent=1,
    ))
    created = json.loads(site.run_shell(curl(page, "createEvent").replace("curl", "curl -s", 1)))
    assert site.request("GET", f"/v1/events/{created['id']}")[1]["name"] == hostile

    page.apply(
        """() => {
          const type = document.querySelector('#createEvent [name=type]');
          type.value = 'application/x-www-form-urlencoded';
          type.dispatchEvent(new Event('input', {bubbles: true}));
        }"""
    )
    fill(page, "createEvent", "body", "@name=a&lat=1&lon=2&started_at=2030-01-01&name=b")
    line = curl(page, "createEvent")
    assert "--data-raw '@name=a&" in line and "Content-Type" not in line, line
    created = json.loads(site.run_shell(line.replace("curl", "curl -s", 1)))
    assert site.request("GET", f"/v1/events/{created['id']}")[1]["name"] == "b"


def test_my_events_need_the_token_of_the_page(site):
    page = site.open("/docs")
    if not page.evaluate("document.getElementById('searchEvents') !== null"):
        raise Skipped("the server has no search")
    unfold(page, "searchEvents")
    # The token is optional, so the command has no placeholder for it.
    assert "TOKEN" not in curl(page, "searchEvents")
    sign_up(site, page)
    id = create_event(page)
    page.evaluate("document.querySelector('#searchEvents .more').open = true")
    for name in ["lat", "lon", "radius", "when", "q", "category", "tag"]:
        fill(page, "searchEvents", name, "")
    fill(page, "searchEvents", "owner", "me")
    equal(send(page, "searchEvents"), "200 OK")
    equal([event["id"] for event in json.loads(body(page, "searchEvents"))["events"]], [int(id)])
    line = curl(page, "searchEvents").replace("curl", "curl -s", 1)
    equal(json.loads(site.run_shell(line)), json.loads(body(page, "searchEvents")))


def test_the_curl_line_equals_the_request_of_the_page(site):
    page = site.open("/docs")
    sign_up(site, page)
    create_event(page)
    for name, value in [("lat", "37.79"), ("lon", "-122.40"), ("radius", "5.0"), ("limit", "")]:
        fill(page, "nearestEvents", name, value)
    equal(send(page, "nearestEvents"), "200 OK")
    line = curl(page, "nearestEvents")
    assert line.endswith("/nearests?lat=37.79&lon=-122.40&radius=5.0'"), line
    answer = json.loads(site.run_shell(line.replace("curl", "curl -s", 1)))
    equal(answer, json.loads(body(page, "nearestEvents")))
    assert len(answer) > 0


def test_search_filters_endpoints(site):
    page = site.open("/docs")
    shown = "[...document.querySelectorAll('.endpoint:not([hidden])')].map((one) => one.id)"
    total = len(page.evaluate(shown))
    page.press("/")
    page.type("#search", "NEAREST get")
    equal(page.evaluate(shown), ["nearestEvents", "nearestEventsAlias"])
    equal(page.text("#found"), f"2 of {total}")
    sections = page.evaluate("document.querySelectorAll('#endpoints > section:not([hidden])').length")
    equal(sections, 1)
    page.press("Enter")
    assert page.evaluate("document.getElementById('nearestEvents').open")
    equal(page.evaluate("document.activeElement.closest('.endpoint').id"), "nearestEvents")
    page.wait("location.hash === '#nearestEvents'")
    page.type("#search", "radius")
    assert "nearestEvents" in page.evaluate(shown)
    page.type("#search", "no such endpoint")
    equal(page.text("#found"), "No endpoint matches.")
    page.type("#search", "")
    assert len(page.evaluate(shown)) == total and page.text("#found") == ""


def test_a_link_opens_an_endpoint(site):
    page = site.open("/docs#createEvent", checks.PHONE, dark=True)
    page.wait("document.getElementById('createEvent').open")
    top = page.evaluate("document.getElementById('createEvent').getBoundingClientRect().top")
    bar = page.evaluate("document.querySelector('.finder').getBoundingClientRect().bottom")
    assert bar <= top < 300, (bar, top)


def test_the_copy_button_copies_the_command(site):
    page = site.open("/docs#showEvent")
    page.call("Browser.grantPermissions", permissions=["clipboardReadWrite",
                                                       "clipboardSanitizedWrite"])
    page.click("#showEvent .copy")
    page.wait("document.querySelector('#showEvent .copy').textContent === 'Copied'")
    equal(page.evaluate("navigator.clipboard.readText()"), f"curl -g '{site.origin}/v1/events/2'")


def test_documents_everything_without_script(site):
    page = site.page
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    page.open(site.origin + "/docs", checks.PHONE)
    site.screenshot("docs-without-script")
    text = page.evaluate("document.querySelector('#nearestEvents').textContent")
    for part in ["radius", "The largest distance in km.", "curl -g 'http", "The events, nearest first"]:
        assert part in text, part
    hidden = page.evaluate(
        """[...document.querySelectorAll('#nearestEvents input, #nearestEvents button, #search')]
        .filter((one) => one.checkVisibility()).length"""
    )
    assert hidden == 0


def test_is_small(site):
    with urllib.request.urlopen(site.origin + "/docs") as response:
        size = len(response.read())
    assert size <= 150_000, f"{size} bytes with its style and script"
