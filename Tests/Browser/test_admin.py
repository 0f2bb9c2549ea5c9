"""The admin page at ADMIN_PORT."""

import json
import pathlib
import tempfile

import browser
import checks
from checks import DESKTOP, equal

SETTINGS = {"RATE_LIMIT_REPORT": "1000000/s"}
HAS_ADMIN = True

browser.KEYS.update({"-": ("Minus", 189, "-")})

SMALL = (360, 740)
SCREENS = [
    "overview", "reports", "events", "events/{event}", "users", "users/{user}", "accounts",
    "backups", "settings", "audit",
]
RESTS = """!document.querySelector('[aria-busy=true]') && document.querySelector('#app h1') &&
  document.querySelector('.content')?.innerText.trim() &&
  !document.querySelector('main').innerText.includes('Loading…')"""
SIGNS_IN = "!document.getElementById('gate').hidden && !document.getElementById('sign-in').hidden"
HOSTILE = [
    "<script>document.title='run'</script>", "\"><img src=x onerror=\"alert('run')\">",
    "' onmouseover='alert(1)' autofocus onfocus='alert(1)", "javascript:alert('run')",
    "<svg/onload=alert(1)>", "\u202e\u2066evil\u2069 \u200f txet", "W" * 200,
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} #{alert(1)} <%= alert(1) %>",
    "</textarea></title></style><iframe srcdoc='<script>alert(1)</script>'>",
    "&lt;b&gt; &amp;amp; &#x3c;script&#x3e;", "<base href=https://evil.example/>",
    "<link rel=stylesheet href=//evil.example/a.css>",
]


def filled(site):
    """Adds an admin, users, events and accounts once."""
    if hasattr(site, "password"):
        return
    site.password = site.add_admin("ana")
    site.token = sign_in(site)
    site.tokens = [sign_up(site) for _ in range(4)]
    site.users = [user(site, token) for token in site.tokens]
    site.events = [
        add_event(site, f"Concert {number:03}", lat=37.7 + number / 500)
        for number in range(105)
    ]
    for email in ["ana@example.com", "ben@example.com"]:
        account = {"user": {"email": email, "password": "correct horse"}}
        equal(site.request("POST", "/v1/users", account)[0], 201)
    for event in site.events[:4]:
        report(site, event)


def sign_in(site):
    credentials = {"name": "ana", "password": site.password}
    status, body = admin(site, "POST", "/sessions", credentials)
    equal(status, 200)
    return body


def admin(site, method, path, body=None):
    headers = {"Content_Type": "application/json"}
    if hasattr(site, "token"):
        headers["Authorization"] = f"Bearer {site.token['token']}"
    return site.request(method, f"/admin/v1{path}", body, origin=site.admin, **headers)


def sign_up(site):
    return site.request("POST", "/v1/users", tb_app_secret=site.secret)[1]["auth_token"]


def user(site, token):
    return site.request("GET", "/v1/users/me", tb_auth_token=token)[1]["id"]


def add_event(site, name, by=0, **more):
    event = {"name": name, "lat": 37.77, "lon": -122.42, "started_at": "2027-06-01T18:00:00Z"}
    token = site.tokens[by]
    status, made = site.request("POST", "/v1/events", {**event, **more}, tb_auth_token=token)
    assert status == 200, made
    return made["id"]


def report(site, event, by=1, note="Sells watches", path="events"):
    body = {"reason": "spam", "note": note}
    token = site.tokens[by]
    status, made = site.request("POST", f"/v1/{path}/{event}/reports", body, tb_auth_token=token)
    assert status == 200, made


def stored(site, event):
    return admin(site, "GET", f"/events/{event}")[1]


def open_admin(site, screen="overview", size=DESKTOP, dark=False):
    """Opens a screen with the session of all tests, because sign-ins are limited."""
    filled(site)
    page = site.page
    if not getattr(page, "is_signed_in", False):
        page.open(site.admin + "/", size, dark)
        page.wait(SIGNS_IN)
        page.apply("(token) => sessionStorage.setItem('humon-admin-' + document"
                   ".querySelector('meta[name=installation]').content, JSON.stringify(token))",
                   site.token)
        page.is_signed_in = True
    page.open(f"{site.admin}/#/{screen}", size, dark)
    page.wait(RESTS)
    return page


def go(page, screen):
    page.apply("(hash) => { location.hash = hash }", f"#/{screen}")
    page.wait(f"location.hash.startsWith('#/{screen}')")
    page.wait(RESTS)


def named(text, within="#app"):
    """Returns the expression of the first button or link with this text or label."""
    return (f"[...document.querySelectorAll({json.dumps(within + ' :is(button, a)')})].find((one) =>"
            f" [one.textContent, one.getAttribute('aria-label')].includes({json.dumps(text)}))")


def click(page, text, within="#app"):
    page.wait(named(text, within))
    page.evaluate(f"document.querySelector('[data-here]')?.removeAttribute('data-here');"
                  f"{named(text, within)}.setAttribute('data-here', ''); 0")
    page.click("[data-here]")


def toasted(page, text):
    page.wait(f"document.querySelector('.toast p')?.textContent === {json.dumps(text)}")
    page.wait(RESTS)


def undo(page):
    click(page, "Undo", "#toast")
    toasted(page, "Undone.")


def fill_sign_in(page, password):
    page.wait(SIGNS_IN)
    page.type("#sign-in [name=name]", "ana")
    page.type("#sign-in [name=password]", password)
    page.press("Enter")


def expect_failures(page, *parts):
    """Forgets failed requests that the test has caused, and checks that there are no others."""
    others = [text for text in page.failures if not any(part in text for part in parts)]
    equal(others, [])
    page.failures.clear()


def test_signs_in_and_out(site):
    filled(site)
    page = site.page
    page.open(site.admin + "/", DESKTOP)
    page.wait(SIGNS_IN)
    requests = [url for url in page.requests if url.startswith("http")]
    assert len(requests) <= 6, requests
    checks.check_usability(page)
    fill_sign_in(page, "wrong")
    page.wait("!document.getElementById('gate-problem').hidden")
    equal(page.text("#gate-problem"), "Wrong name or password.")
    expect_failures(page, "/admin/v1/sessions")
    fill_sign_in(page, site.password)
    page.wait(RESTS)
    equal(page.text("#app h1"), "Overview")
    equal(page.evaluate("document.title"), "Overview – Humon admin")
    equal(page.evaluate("document.activeElement.tagName"), "H1")
    click(page, "Sign out")
    page.wait(SIGNS_IN)
    equal(page.text("#gate-notice"), "You are signed out.")
    equal(page.evaluate("sessionStorage.length"), 0)


def test_signs_out_without_the_server(site):
    page = open_admin(site)
    site.close()
    try:
        click(page, "Sign out")
        page.wait(SIGNS_IN)
    finally:
        site.start()
    assert "in this tab only" in page.text("#gate-notice"), page.text("#gate-notice")
    equal(page.evaluate("sessionStorage.length"), 0)
    page.failures.clear()


def test_names_the_command_without_an_admin(site):
    filled(site)
    with other_database(site):
        page = site.page
        page.open(site.admin + "/", SMALL)
        page.wait("!document.getElementById('set-up').hidden")
        assert "humon admin add NAME" in page.text("#set-up"), page.text("#set-up")
        assert page.evaluate("document.getElementById('sign-in').checkVisibility()") is False
        checks.check_usability(page)


def test_is_usable_on_small_and_large_screens(site):
    filled(site)
    problems = []
    for size in [SMALL, DESKTOP]:
        for dark in [False, True]:
            for screen in SCREENS:
                path = screen.format(event=site.events[0], user=site.users[0])
                page = open_admin(site, path, size, dark)
                name = screen.format(event="one", user="one").replace("/", "-")
                view = f"{name}-{size[0]}{'-dark' if dark else ''}"
                site.screenshot(f"admin-{view}")
                try:
                    checks.check_usability(page, only_colors=dark)
                except checks.Failures as failures:
                    problems += [f"{view}: {line}" for line in str(failures).split("\n")]
    if problems:
        raise checks.Failures(problems)


def test_has_no_serious_findings_of_axe(site):
    page = open_admin(site)
    page.call("Page.setBypassCSP", enabled=True)
    for size in [SMALL, DESKTOP]:
        for screen in SCREENS:
            open_admin(site, screen.format(event=site.events[0], user=site.users[0]), size)
            checks.check_with_axe(page)
    page.call("Page.setBypassCSP", enabled=False)


def test_finds_events_and_selects_them(site):
    filled(site)
    page = open_admin(site, f"events?owner={site.users[0]}")
    rows = "document.querySelectorAll('tbody tr').length"
    equal(page.evaluate(rows), 100)
    click(page, "Next")
    page.wait(f"{rows} === 5")
    click(page, "Back")
    page.wait(f"{rows} === 100")
    page.type("#q", "Concert 042")
    page.press("Enter")
    page.wait(f"{rows} === 1")
    page.wait("document.querySelectorAll('.layer > button.pin').length === 1")
    assert "q=Concert+042" in page.evaluate("location.hash")
    page.click(".layer > button.pin")
    page.wait("document.querySelector('tr.current') && document.querySelector('.ring')")
    equal(page.evaluate("document.activeElement.textContent"), "Concert 042")
    go(page, "events?q=Concert")
    page.wait(f"{rows} > 1")
    page.evaluate("document.querySelector('tbody tr:nth-child(3) a').focus()")
    page.wait("document.querySelector('tbody tr:nth-child(3)').classList.contains('current')")
    page.wait("document.querySelector('.ring')")
    page.click("#here")
    page.wait("location.hash.includes('bbox=')")
    page.wait(RESTS)
    before = page.evaluate(rows)
    for _ in range(3):
        page.evaluate("document.querySelector('[aria-label=\"Zoom in\"]').click()")
    page.wait(f"{rows} < {before}")


def test_filters_by_typed_words_and_moves_the_map_back(site):
    page = open_admin(site, "events")
    page.type("#q", "Concert 04")
    page.evaluate("hidden.value = 'no', hidden.dispatchEvent(new Event('change')), 0")
    page.wait("location.hash.includes('hidden=no')")
    page.wait(RESTS)
    assert "q=Concert+04" in page.evaluate("location.hash"), page.evaluate("location.hash")

    def zoom_in(west):
        """Zooms the map in the box of the query, whose western edge this is."""
        page.wait(f"location.hash.includes('bbox={west}')")
        page.wait(RESTS)
        page.evaluate("document.querySelector('[aria-label=\"Zoom in\"]').click()")
        page.wait(f"!location.hash.includes('bbox={west}')")
        text = page.evaluate("new URLSearchParams(location.hash.split('?')[1]).get('bbox')")
        return [float(value) for value in text.split(",")]

    go(page, "events?bbox=-122.6,37.6,-122.2,38")
    go(page, "events?bbox=10,50,11,51")
    box = zoom_in("10,")
    assert 9 < box[0] < box[2] < 12, box
    page.evaluate("history.back()")
    box = zoom_in("-122.6,")
    assert -123 < box[0] < box[2] < -122, box


def test_says_that_there_are_more_reports(site):
    filled(site)
    page = open_admin(site, "overview")
    reports = {"items": [{"id": 9, "at": "2026-11-28T03:00:00Z", "reason": "spam"}], "next": "9"}
    page.stub("/admin/v1/reports?", 200, {"Content-Type": "application/json"}, json.dumps(reports))
    go(page, f"events/{site.events[0]}")
    assert "Only the newest 200 reports are shown." in page.text(".content")
    page.stubs.clear()


def test_moves_a_place_by_click_and_by_enter(site):
    filled(site)
    event = add_event(site, "Movable")
    page = open_admin(site, f"events/{event}")
    x, y = page.center("canvas")
    page.click_at(x + 60, y - 40)
    page.wait("document.querySelector('[name=lon]').value !== '-122.42'")
    lat, lon = (float(page.evaluate(f"document.querySelector('[name={name}]').value"))
                for name in ["lat", "lon"])
    assert lat > 37.77 and lon > -122.42, (lat, lon)
    click(page, "Save")
    toasted(page, "Saved.")
    equal([stored(site, event)[key] for key in ["lat", "lon"]], [lat, lon])
    page.evaluate("document.querySelector('canvas').focus()")
    page.press("ArrowRight")
    page.press("Enter")
    page.wait(f"Number(document.querySelector('[name=lon]').value) > {lon}")
    page.click("[name=name]")
    page.press("Enter")
    toasted(page, "Saved.")
    assert stored(site, event)["lon"] > lon
    undo(page)
    equal(stored(site, event)["lon"], lon)


def hold(page, part):
    """Holds requests whose URL contains this part until `release` is called."""
    page.apply("""(part) => {
      const send = window.fetch;
      const open = new Promise((resolve) => { window.release = resolve; });
      window.held = 0;
      window.fetch = async (url, ...rest) => {
        if (url.includes(part)) {
          window.held += 1;
          await open;
        }
        return send(url, ...rest);
      };
    }""", part)


def release(page):
    equal(page.evaluate("window.held"), 1)
    page.evaluate("release(), 0")


def test_keeps_what_is_typed_while_it_saves(site):
    filled(site)
    event = add_event(site, "Slow", address="Pier 1")
    page = open_admin(site, f"events/{event}")
    page.type("[name=name]", "Saved first")
    page.type("[name=address]", "Pier 2")
    hold(page, f"/events/{event}")
    click(page, "Save")
    page.wait("window.held === 1")
    page.type("[name=address]", "Pier 1")
    page.type("[name=description]", "Typed meanwhile")
    release(page)
    toasted(page, "Saved.")
    equal([stored(site, event)[key] for key in ["name", "address"]], ["Saved first", "Pier 2"])
    equal(page.evaluate("['name', 'address', 'description'].map((name) =>"
                        " document.querySelector('.form').elements[name].value)"),
          ["Saved first", "Pier 1", "Typed meanwhile"])
    assert page.evaluate("document.querySelector('.form .notice').checkVisibility()")
    click(page, "Save")
    toasted(page, "Saved.")
    assert not page.evaluate("document.querySelector('.form .notice').checkVisibility()")
    equal([stored(site, event)[key] for key in ["address", "description"]],
          ["Pier 1", "Typed meanwhile"])


def test_keeps_a_draft_for_each_event(site):
    filled(site)
    first, second = (add_event(site, name) for name in ["First", "Second"])
    page = open_admin(site, f"events/{first}")
    page.type("[name=name]", "First draft")
    go(page, f"events/{second}")
    page.type("[name=name]", "Second draft")
    click(page, "Save")
    toasted(page, "Saved.")
    page.type("[name=name]", "Discarded")
    click(page, "Discard changes")
    page.wait("document.querySelector('[name=name]').value === 'Second draft'")
    go(page, f"events/{first}")
    equal(page.evaluate("document.querySelector('[name=name]').value"), "First draft")
    click(page, "Save")
    toasted(page, "Saved.")
    equal([stored(site, event)["name"] for event in [first, second]],
          ["First draft", "Second draft"])


def test_edits_an_event(site):
    filled(site)
    event = add_event(site, "Editable", data={"price": 5, "big": 12345678901234567})
    page = open_admin(site, f"events/{event}")
    click(page, "Save")
    page.wait("document.querySelector('.form').textContent.includes('Nothing has changed.')")
    page.type("[name=name]", "")
    page.type("[name=url]", "ftp://a")
    click(page, "Save")
    page.wait("document.querySelector('.form .problem li')")
    expect_failures(page, f"/admin/v1/events/{event}")
    equal(page.evaluate("[...document.querySelectorAll('.form .problem li')]"
                        ".map((one) => one.textContent)"),
          ["Name can't be blank", "Url must be an absolute http or https URL"])
    values = {"name": "Edited", "url": "https://a.example/", "tags": "jazz, late",
              "description": "Two sets.", "data": '{"big": 12345678901234569}'}
    for name, value in values.items():
        page.type(f"[name={name}]", value)
    page.click("[name=all_day]")
    click(page, "Save")
    toasted(page, "Saved.")
    event_now = stored(site, event)
    equal([event_now[key] for key in ["name", "url", "tags", "all_day", "data"]],
          ["Edited", "https://a.example/", ["jazz", "late"], True, {"big": 12345678901234569}])
    equal(page.text(".content .lead bdi"), "Edited")
    equal(page.evaluate("[...document.querySelectorAll('.facts a')].at(-1).href"),
          "https://a.example/")


def test_keeps_changes_when_the_event_has_changed_meanwhile(site):
    filled(site)
    event = add_event(site, "Contested")
    page = open_admin(site, f"events/{event}")
    page.type("[name=address]", "Pier 7")
    equal(admin(site, "PATCH", f"/events/{event}", {"name": "Changed"})[0], 200)
    click(page, "Save")
    page.wait("document.querySelector('.form .problem')?.textContent.includes('has changed')")
    expect_failures(page, "412")
    click(page, "Load it again")
    page.wait("document.querySelector('[name=name]').value === 'Changed'")
    equal(page.evaluate("document.querySelector('[name=address]').value"), "Pier 7")
    click(page, "Save")
    toasted(page, "Saved.")
    equal([stored(site, event)[key] for key in ["name", "address"]], ["Changed", "Pier 7"])


def test_hides_deletes_and_undoes(site):
    filled(site)
    event = add_event(site, "Hideable")
    page = open_admin(site, f"events/{event}")
    click(page, "Hide")
    toasted(page, "Hidden.")
    equal(stored(site, event)["hidden"], "admin")
    undo(page)
    assert "hidden" not in stored(site, event)
    click(page, "Hide")
    toasted(page, "Hidden.")
    equal(admin(site, "POST", f"/events/{event}/show", {})[0], 200)
    click(page, "Undo", "#toast")
    page.wait("document.querySelector('.toast .problem')")
    equal(page.text(".toast .problem"), "The record has changed since. Nothing was undone.")
    expect_failures(page, "409")
    go(page, "events")
    go(page, f"events/{event}")
    click(page, "Delete")
    page.wait("document.querySelector('dialog[open]')")
    assert "within 90 days" in page.text("dialog"), page.text("dialog")
    click(page, "Cancel", "dialog")
    page.wait("!document.querySelector('dialog')")
    equal(page.evaluate("document.activeElement.textContent"), "Delete")
    click(page, "Delete")
    click(page, "Delete", "dialog")
    toasted(page, f"Event {event} is deleted.")
    equal(page.text("#app h1"), "Events")
    equal(admin(site, "GET", f"/events/{event}")[0], 404)
    undo(page)
    equal(stored(site, event)["name"], "Hideable")


def test_hides_and_undoes_with_the_keyboard_alone(site):
    filled(site)
    event = add_event(site, "By keyboard")
    page = open_admin(site, f"events/{event}")

    def tab_to(text):
        for _ in range(200):
            page.press("Tab")
            if page.evaluate("document.activeElement.textContent") == text:
                return
        raise AssertionError(f"Tab does not reach {text}")

    tab_to("Hide")
    page.press("Enter")
    toasted(page, "Hidden.")
    equal(stored(site, event)["hidden"], "admin")
    page.press("Tab")
    equal(page.evaluate("document.activeElement.textContent"), "Undo")
    page.press(" ")
    toasted(page, "Undone.")
    assert "hidden" not in stored(site, event)
    page.press("Tab")
    page.press("Enter")
    page.wait("!document.querySelector('.toast')")
    equal(page.evaluate("document.activeElement.tagName"), "H1")


def test_resolves_reports(site):
    filled(site)
    names = {action: add_event(site, f"To {action}") for action in ["Hide", "Dismiss", "Delete"]}
    for event in names.values():
        report(site, event, by=1)
        report(site, event, by=2, note=None)
    page = open_admin(site, "reports")
    open_ones = "document.querySelectorAll('.report').length"
    count = page.evaluate(open_ones)
    label = f"Show all reports about event {names['Hide']}"
    click(page, label)
    page.wait("document.querySelectorAll('.history li').length === 2")
    click(page, f"Hide: event {names['Hide']}")
    toasted(page, "Hidden.")
    equal(page.evaluate(open_ones), count - 1)
    equal(stored(site, names["Hide"])["hidden"], "admin")
    undo(page)
    equal(page.evaluate(open_ones), count)
    assert "hidden" not in stored(site, names["Hide"])
    click(page, f"Dismiss: event {names['Dismiss']}")
    toasted(page, "Dismissed.")
    click(page, f"Delete event {names['Delete']}")
    click(page, "Delete", "dialog")
    toasted(page, "Deleted.")
    equal(admin(site, "GET", f"/events/{names['Delete']}")[0], 404)
    equal(page.evaluate(open_ones), count - 2)


def test_bans_and_unbans(site):
    filled(site)
    culprit = sign_up(site)
    site.tokens.append(culprit)
    event = add_event(site, "By a culprit", by=-1)
    report(site, event)
    page = open_admin(site, "reports")
    click(page, f"Ban owner: event {event}")
    toasted(page, "Banned.")
    equal(stored(site, event)["hidden"], "ban")
    number = user(site, culprit)
    go(page, "users?banned=yes")
    click(page, f"User {number}")
    page.wait(f"document.querySelector('#app h1').textContent === 'User {number}'")
    page.wait(RESTS)
    assert "Banned" in page.text(".content"), page.text(".content")
    click(page, f"Unban user {number}")
    toasted(page, "Unbanned.")
    assert "hidden" not in stored(site, event)
    undo(page)
    equal(stored(site, event)["hidden"], "ban")
    go(page, f"events/{event}")
    click(page, "Show")
    page.wait("document.querySelector('.content .problem')")
    assert f"User {number} is banned." in page.text(".content .problem")
    expect_failures(page, "409")
    go(page, f"users/{number}")
    click(page, "Revoke sign-in")
    click(page, "Revoke", "dialog")
    toasted(page, f"The sign-in of user {number} is revoked.")
    click(page, "Delete")
    click(page, "Delete", "dialog")
    toasted(page, f"User {number} is deleted.")
    equal(admin(site, "GET", f"/events/{event}")[0], 404)


def test_resets_passwords(site):
    page = open_admin(site, "accounts")
    page.type("#email", "ben@")
    page.press("Enter")
    page.wait("document.querySelectorAll('tbody tr').length === 1")
    page.click("tbody button")
    hold(page, "/reset-password")
    click(page, "Reset password", "dialog")
    page.wait("window.held === 1")
    for _ in range(2):
        page.press("Escape")
    click(page, "Cancel", "dialog")
    page.wait("document.querySelector('dialog')?.open")
    release(page)
    page.wait("document.getElementById('new-password')")
    page.wait(RESTS)
    for _ in range(2):
        page.press("Escape")
    page.wait("document.querySelector('dialog')?.open")
    password = page.evaluate("document.getElementById('new-password').value")
    checks.check_usability(page, only_colors=True)
    click(page, "Done", "dialog")
    page.wait("!document.querySelector('dialog')")
    equal(page.evaluate("document.activeElement.tagName"), "H1")
    account = {"user": {"email": "ben@example.com", "password": password}}
    assert site.request("POST", "/v1/users/sign_in", account)[0] in (200, 201)
    assert password not in page.evaluate("document.documentElement.outerHTML")


def test_backs_up_and_downloads(site):
    page = open_admin(site, "backups")
    rows = "document.querySelectorAll('tbody tr').length"
    count = page.evaluate(rows)
    click(page, "Back up now")
    page.wait(f"{rows} === {count + 1} && document.querySelector('.badge.good')")
    name, content = page.download("tbody button")
    assert name.endswith(".sqlite3"), name
    assert content.startswith(b"SQLite format 3\0"), content[:20]
    equal(page.evaluate("document.querySelector('tbody code').textContent"), name)
    backups = {"items": [{"name": name, "bytes": 1, "started_at": "2026-11-28T03:00:00Z",
                          "sealed": True}], "running": True}
    stub = ["/admin/v1/backups", 200, {"Content-Type": "application/json"}, json.dumps(backups)]
    page.stub(*stub)
    go(page, "overview")
    go(page, "backups")
    page.evaluate("document.querySelector('tbody button').focus()")
    backups |= {"running": False, "fault": "The disk is full."}
    page.stubs[:] = [[*stub[:3], json.dumps(backups)]]
    page.wait("document.querySelector('.content > .problem')")
    equal(page.text(".content > .problem"), "The last backup failed: The disk is full.")
    assert page.evaluate("document.activeElement.matches('tbody button')"), "the focus is lost"
    page.stubs.clear()
    with other_database(site, content):
        status, event = site.request("GET", f"/v1/events/{site.events[0]}")
        equal((status, event["name"]), (200, "Concert 000"))


def test_says_what_failed_and_recovers(site):
    page = open_admin(site)
    body = '{"message":"Too many requests. Try again in 7 s."}'
    page.stub("/admin/v1/users", 429, {"Content-Type": "application/json"}, body)
    page.evaluate("location.hash = '#/users'")
    page.wait("document.querySelector('.content .problem')")
    equal(page.text(".content .problem p"), "Too many requests. Try again in 7 s.")
    page.stubs.clear()
    expect_failures(page, "429")
    click(page, "Try again")
    page.wait("document.querySelectorAll('tbody tr').length > 0")
    go(page, "events/999999")
    equal(page.text(".content .problem p"), "This record does not exist.")
    expect_failures(page, "404")
    page.evaluate("location.hash = '#/nonsense/<b>'")
    page.wait("document.querySelector('#app h1').textContent === 'Overview'")
    page.wait(RESTS)


def test_lists_settings_and_the_audit(site):
    page = open_admin(site, "settings")
    page.type("#search", "report")
    page.wait("[...document.querySelectorAll('tbody code')].some("
              "(one) => one.textContent === 'RATE_LIMIT_REPORT')")
    equal(page.evaluate("document.querySelector('tbody code').textContent"), "RATE_LIMIT_REPORT")
    assert site.secret not in page.evaluate("document.documentElement.outerHTML")
    event = add_event(site, "Audited")
    equal(admin(site, "POST", f"/events/{event}/hide", {})[0], 200)
    go(page, "audit")
    equal(page.text("tbody td:nth-child(2)"), "ana")
    assert "hidden: none → admin" in page.text("tbody tr"), page.text("tbody tr")
    click(page, f"Undo hide of {event}")
    toasted(page, "Undone.")
    assert "hidden" not in stored(site, event)


def test_keeps_a_draft_when_the_session_ends(site):
    filled(site)
    event = add_event(site, "Half edited")
    page = site.page
    page.open(f"{site.admin}/#/events/{event}", SMALL)
    fill_sign_in(page, site.password)
    page.wait(RESTS)
    page.type("[name=name]", "Written before the end")
    token = page.evaluate("JSON.parse(sessionStorage.getItem(Object.keys(sessionStorage)"
                          ".find((key) => /^humon-admin-[0-9a-f]{8}$/.test(key)))).token")
    status, _ = site.request("DELETE", "/admin/v1/sessions/current", origin=site.admin,
                             Authorization=f"Bearer {token}", Content_Type="application/json")
    equal(status, 204)
    click(page, "Save")
    page.wait(SIGNS_IN)
    equal(page.text("#gate-notice"), "Your session has ended. Sign in again.")
    equal(page.evaluate("document.getElementById('app').textContent"), "")
    expect_failures(page, "401")
    fill_sign_in(page, site.password)
    page.wait(RESTS)
    equal(page.evaluate("location.hash"), f"#/events/{event}")
    equal(page.evaluate("document.querySelector('[name=name]').value"), "Written before the end")
    assert page.evaluate("document.querySelector('.form .notice').checkVisibility()")
    click(page, "Save")
    toasted(page, "Saved.")
    equal(stored(site, event)["name"], "Written before the end")


class other_database:
    """Serves another database at the same ports for a while: an empty one, or the content of a file.

    `prepare` is called before the server starts.
    """

    def __init__(self, site, content=None, prepare=lambda: None):
        self.site, self.content, self.prepare = site, content, prepare

    def __enter__(self):
        self.url = self.site.environment["DATABASE_URL"]
        self.folder = tempfile.TemporaryDirectory()
        self.site.close()
        path = pathlib.Path(self.folder.name, "other.sqlite3")
        if self.content:
            path.write_bytes(self.content)
        self.site.environment["DATABASE_URL"] = f"sqlite:{path}"
        self.site.humon("migrate")
        self.prepare()
        self.site.start()

    def __exit__(self, *_):
        self.site.close()
        self.site.environment["DATABASE_URL"] = self.url
        self.site.start()
        self.folder.cleanup()


def test_never_sends_a_token_to_another_server(site):
    page = open_admin(site)
    assert page.authorized, "the requests have no token"
    site.close()
    page.evaluate("location.hash = '#/users'")
    page.wait("document.querySelector('.content .problem')?.textContent.includes('be reached')")
    site.start()
    with other_database(site, prepare=lambda: site.add_admin("ben")):
        page.authorized.clear()
        loads = page.loads
        page.click(".content .problem button")
        page.wait_until(lambda: page.loads > loads, "the page of the other server is loaded")
        page.wait(SIGNS_IN)
        equal(page.authorized, [])
        page.open(site.admin + "/#/users", DESKTOP)
        page.wait(SIGNS_IN)
        equal(page.authorized, [])
    # The first server still has the session.
    page.open(site.admin + "/#/users", DESKTOP)
    page.wait(RESTS)
    equal(page.text("#app h1"), "Users")
    page.failures.clear()


def test_hostile_texts_run_nothing(site):
    filled(site)
    last = None
    for number in range(250):
        text = HOSTILE[number % len(HOSTILE)]
        other = HOSTILE[number * 5 % len(HOSTILE)]
        if number % 5 == 0:
            site.tokens.append(sign_up(site))
        last = add_event(
            site, f"{text} {number}", by=-1, address=other, description=text, tags=[other[:50]],
            data={other: text}, series_id=text[:100], url="https://a.example/?" + "A" * 500,
            lat=37.7 + number / 1000,
        )
        report(site, last, note=f"{other} {number}")
        if number % 5 == 0:
            report(site, user(site, site.tokens[-1]), path="users", note=text)
    edit = {"name": HOSTILE[0], "description": HOSTILE[1]}
    equal(admin(site, "PATCH", f"/events/{last}", edit)[0], 200)
    page = open_admin(site)
    known = len(page.requests)
    screens = ["events?q=run", f"events/{last}", f"events/{last - 3}", f"events/{last - 6}",
               "reports", "users", f"users/{user(site, site.tokens[-1])}", "audit"]
    for size in [SMALL, DESKTOP]:
        for screen in screens:
            open_admin(site, screen, size)
            site.screenshot(f"admin-hostile-{screen.replace('/', '-')}-{size[0]}")
            equal(checks.wide(page), [])
            equal(page.evaluate("document.images.length + document.scripts.length "
                                "+ document.querySelectorAll('iframe, base').length"), 1)
            assert page.evaluate("document.title").endswith(" – Humon admin")
            links = page.evaluate("[...document.querySelectorAll('#app a')].map((one) =>"
                                  " one.protocol)")
            assert set(links) <= {"http:", "https:"}, links
    inside = (site.admin, "about:", "data:")
    equal([url for url in page.requests[known:] if not url.startswith(inside)], [])
