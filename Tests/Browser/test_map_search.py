"""The search and the cards of the map at `/map`."""

import json
import pathlib
import sqlite3
import urllib.parse

import browser
import checks
import pictures
from test_map import NAMES, READY, RESTS, fragment, hours

SETTINGS = {"SYSTEMS": "humon"}
NARROW = (360, 640)
PLACE = "#map=14/52.52/13.405"
CHIPS = "[...document.querySelectorAll('#categories button')].map((chip) => chip.textContent)"
STATUS = "document.getElementById('status').textContent"
# Waits until a move of the map has loaded the list anew.
QUIET = """performance.now()
  - Math.max(...performance.getEntriesByType('resource').map((entry) => entry.responseEnd)) > 600"""
LONG = "Two sets.\nBring a friend, it's free.\n" + "More about it.\n" * 12

browser.KEYS.update({"z": ("KeyZ", 90, "z")})


def events():
    music = {"category": "live-music", "tags": ["jazz", "late night"]}
    return [
        {"name": "Late jazz", **music, "description": LONG, "url": "https://jazz.example.com/late",
         "image_url": "https://pictures.test/late.png", "data": {"price": 5}},
        {"name": "Jazz brunch", "category": "food", "status": "cancelled"},
        {"name": "Quartet", **music, "status": "postponed", "description": "Short."},
        {"name": "Chess", "category": "games", "image_url": "https://other.example/a.png"},
        {"name": "Flea market", "category": "food", "all_day": True,
         "started_at": "2040-06-02", "ended_at": "2040-06-03"},
        {"name": "Meeting"},
        {"name": "Missing picture", "image_url": "https://a.pictures.test/missing"},
    ]


def filled(site):
    """Adds the events once."""
    if getattr(site, "ids", None):
        return
    site.ids = {}
    _, user = site.request("POST", "/v1/users", tb_app_secret=site.secret)
    for index, event in enumerate(events()):
        status, body = site.request(
            "POST", "/v1/events",
            {"lat": 52.518 + index / 1000, "lon": 13.405, "address": "12 Rosa Parks Lane",
             "started_at": hours(100 + index), "ended_at": hours(102 + index), **event},
            tb_auth_token=user["auth_token"],
        )
        assert status == 200, body
        site.ids[event["name"]] = body["id"]


def open_map(site, more="", **options):
    filled(site)
    page = site.open("/map" + PLACE + more, **options)
    page.wait(READY)
    return page


def open_card(page, name):
    page.apply(
        """(name) => [...document.querySelectorAll('.row .name')]
           .find((button) => button.textContent === name).click()""", name)
    page.wait(f"document.querySelector('.card h2')?.textContent === {json.dumps(name)}")
    page.wait("document.getElementById('busy').hidden")


def test_finds_words_while_they_are_typed(site):
    page = open_map(site)
    page.evaluate("document.getElementById('canvas').focus()")
    page.press("/")
    assert page.evaluate("document.activeElement.id") == "words"
    before = len(page.requests)
    for text in ["j", "ja", "jaz"]:
        page.type("#words", text)
    page.wait(f"{STATUS} === '3 events match “jaz” here.'")
    searches = [url for url in page.requests[before:] if "/v1/events" in url]
    assert len(searches) == 2, searches
    queries = [dict(urllib.parse.parse_qsl(url.partition("?")[2])) for url in searches]
    assert all(query["q"] == "jaz" and query["status"] == "any" for query in queries), queries
    (fields,) = [query["fields"].split(",") for query in queries if "fields" in query]
    assert not {"description", "data"} & set(fields), fields
    assert sorted(page.evaluate(NAMES)) == ["Jazz brunch", "Late jazz", "Quartet"]
    assert fragment(page)["q"] == "jaz"
    page.type("#words", "jazz brun")
    page.wait(f"{STATUS} === '1 event matches “jazz brun” here.'")
    assert page.evaluate(NAMES) == ["Jazz brunch"]
    # A slash in the field is a character.
    page.press("/")
    assert page.evaluate("document.getElementById('words').value") == "jazz brun/"
    page.type("#words", "nothing")
    page.wait(f"{STATUS} === 'No events match “nothing” here.'")
    page.evaluate("history.back()")
    page.wait(f"{NAMES}.length === 7")
    assert page.evaluate("document.getElementById('words').value") == ""
    assert "q" not in fragment(page)
    page.evaluate("history.forward()")
    page.wait(f"{STATUS} === 'No events match “nothing” here.'")
    assert page.evaluate("document.getElementById('words').value") == "nothing"


def test_chooses_a_category_and_goes_back(site):
    page = open_map(site)
    assert page.evaluate(CHIPS) == ["food", "live music", "games"], page.evaluate(CHIPS)
    page.click("[data-category=live-music]")
    page.wait(f"{NAMES}.length === 2")
    assert fragment(page)["category"] == "live-music"
    pressed = page.evaluate("document.querySelector('#categories [aria-pressed=true]').textContent")
    assert pressed == "live music"
    assert page.evaluate(CHIPS) == ["food", "live music", "games"], page.evaluate(CHIPS)
    page.type("#words", "late")
    page.wait(f"{STATUS} === '2 events match “late” here.'")
    links = page.evaluate("[...document.querySelectorAll('[data-suffix]')].map((link) => link.href)")
    for link in links:
        query = dict(urllib.parse.parse_qsl(link.partition("?")[2]))
        assert query["q"] == "late" and query["category"] == "live-music", link
        status, _ = site.request("GET", link.removeprefix(site.origin))
        assert status == 200, link
    page.evaluate("history.back()")
    page.wait(f"{STATUS}.startsWith('2 events coming')")
    page.click("[data-category=live-music]")
    page.wait(f"{NAMES}.length === 7")
    assert "category" not in fragment(page)
    page.evaluate("history.back()")
    page.wait(f"{NAMES}.length === 2")


def test_opens_a_link_to_a_search(site):
    page = open_map(site, "&q=market%20&category=food")
    assert page.evaluate(NAMES) == ["Flea market"]
    assert page.evaluate("document.getElementById('words').value") == "market "
    assert page.evaluate(CHIPS) == ["food"]
    for hash in ["&q=%20", "&category=No", "&q=" + "a" * 100]:
        page = site.open("/map" + PLACE + hash)
        page.wait("document.getElementById('busy').hidden")
        assert page.evaluate("document.getElementById('words').value") in ("", "a" * 60)


def test_marks_what_does_not_take_place(site):
    page = open_map(site)
    rows = page.evaluate(
        """[...document.querySelectorAll('.row')].filter((row) => row.querySelector('.badge.off'))
           .map((row) => row.querySelector('.name').textContent
             + ': ' + row.querySelector('.badge.off').textContent)"""
    )
    assert rows == ["Jazz brunch: Cancelled", "Quartet: Postponed"], rows
    struck = page.evaluate(
        """[...document.querySelectorAll('.name bdi')]
           .filter((name) => getComputedStyle(name).textDecorationLine === 'line-through')
           .map((name) => name.textContent)"""
    )
    assert struck == ["Jazz brunch", "Quartet"], struck
    open_card(page, "Jazz brunch")
    page.wait("document.querySelector('.card .badge.off')?.textContent === 'Cancelled'")
    assert "line-through" in page.evaluate(
        "getComputedStyle(document.querySelector('.card h2 bdi')).textDecorationLine")


def test_shows_all_attributes_on_the_card(site):
    page = open_map(site)
    open_card(page, "Late jazz")
    page.wait("document.querySelector('.description')")
    assert page.evaluate("document.querySelector('.description').textContent") == LONG
    height = "document.querySelector('.description').clientHeight"
    line = "parseFloat(getComputedStyle(document.querySelector('.description')).lineHeight)"
    assert page.evaluate(f"Math.round({height} / {line})") == 6
    tags = page.evaluate("[...document.querySelectorAll('.tags li')].map((tag) => tag.textContent)")
    assert tags == ["jazz", "late night"], tags
    link = page.evaluate(
        """(() => { const a = document.querySelector('.website');
           return [a.textContent, a.href, a.rel, a.target]; })()"""
    )
    assert link == ["Website jazz.example.com", "https://jazz.example.com/late",
                    "noopener noreferrer nofollow ugc", "_blank"], link
    button = ".card .description + button"
    page.click(button)
    page.wait(f"Math.round({height} / {line}) > 6")
    assert page.text(button) == "Show less"
    open_card(page, "Quartet")
    page.wait("document.querySelector('.description')?.textContent === 'Short.'")
    assert page.evaluate(f"document.querySelector('{button}').hidden")


def test_shows_days_without_times(site):
    page = open_map(site)
    page.call("Emulation.setTimezoneOverride", timezoneId="America/Los_Angeles")
    page = site.open("/map" + PLACE)
    page.wait(READY)
    when = page.evaluate(
        """[...document.querySelectorAll('.row')]
           .find((row) => row.querySelector('.name').textContent === 'Flea market')
           .querySelector('.when').textContent"""
    )
    first, last = when.split(" – ")
    assert "Sat" in first and "Sun" in last and when.count("2040") == 2 and ":" not in when, when


def test_loads_no_images_without_the_setting(site):
    filled(site)
    with pictures.served(site) as requests:
        page = open_map(site)
        for name in ["Late jazz", "Chess"]:
            open_card(page, name)
            page.wait(RESTS)
            assert page.evaluate("document.images.length") == 0
        assert requests == [], requests


def test_shows_hostile_values_as_text(site):
    filled(site)
    numbers = store_hostile_events(site)
    page = site.open("/map#map=12/-33.9/18.4&when=any")
    page.wait(READY)
    found = page.apply(
        """async (numbers) => {
          const problems = [];
          for (const number of numbers) {
            for (let wait = 0; wait < 400; wait += 1) {
              // The page may write its own state at the same moment.
              if (wait % 40 === 0) location.hash = `map=12/-33.9/18.4&when=any&event=${number}`;
              if (document.querySelector('.card')?.dataset.id === String(number)) break;
              await new Promise((resolve) => setTimeout(resolve, 10));
            }
            const card = document.querySelector('.card');
            if (card?.dataset.id !== String(number)) problems.push(`${number} is not shown`);
            else if (card.querySelector('script, iframe, img, style, object, form')) {
              problems.push(`${number} has elements`);
            } else {
              for (const link of card.querySelectorAll('a')) {
                if (!['http:', 'https:'].includes(link.protocol)) problems.push(link.href);
              }
            }
          }
          return problems;
        }""",
        numbers,
    )
    assert found == [], found[:5]
    assert page.evaluate("document.title") == "Events on the map – Humon"
    assert page.evaluate("typeof window.hit") == "undefined"


def store_hostile_events(site):
    """Stores events as another program could, and returns their ids."""
    codes = ["window.hit = 1", "document.title = 1", "alert(1)"]
    shapes = [
        "<img src=x onerror=\"{}\">", "<script>{}</script>", "\"><svg onload=\"{}\">",
        "javascript:{}", "JaVaScRiPt:{}", "java\tscript:{}", " javascript:{}", "data:text/html,<script>{}</script>",
        "' onclick='{}", "\" autofocus onfocus=\"{}", "</bdi></p><script>{}</script>", "${{{}}}",
        "{{{{{}}}}}", "<iframe srcdoc=\"<script>{}</script>\">", "<a href=\"javascript:{}\">a</a>",
        "<style>*{{background:url(javascript:{})}}</style>", "&lt;script&gt;{}&lt;/script&gt;",
        "\u202e{}", "<!--{}-->", "]]>{}", "https://a.example/\"onclick={}", "//a.example/{}",
        "vbscript:{}", "<math><mi//xlink:href=\"data:x,<script>{}</script>\">",
    ]
    texts = [shape.format(code) + tail for tail in ["", "\n", "<", "\"", "'", " a", "\\"]
             for code in codes for shape in shapes][:500]
    database = sqlite3.connect(pathlib.Path(site.folder, "humon.sqlite3"), timeout=30)
    (owner,) = database.execute("SELECT min(id) FROM users").fetchone()
    numbers = []
    with database:
        for index, text in enumerate(texts):
            short = text[:40].replace(",", "")
            cursor = database.execute(
                "INSERT INTO events (owner_id, name, address, latitude, longitude, started_at,"
                " created_at, updated_at, description, url, image_url, category, tags, status,"
                " series_id, data) VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?)",
                (owner, text, text, -33.9 + index / 1e5, 18.4, 4e12, text, text, text, short,
                 short, text[:20], text[:100], json.dumps({text: text})),
            )
            numbers.append(cursor.lastrowid)
    database.close()
    return numbers


def test_is_usable_with_a_search(site):
    filled(site)

    def look(page):
        page.wait(READY)
        page.wait("document.querySelectorAll('#categories button').length > 0")

    def look_card(page):
        look(page)
        open_card(page, "Late jazz")
        page.wait("document.querySelector('.tags')")
        page.wait(RESTS)
        page.wait(QUIET)

    site.look("map-search", f"/map{PLACE}&q=jaz", look)
    site.look("map-details", f"/map{PLACE}", look_card)
    for prepare in [look, look_card]:
        page = site.open("/map" + PLACE, size=NARROW)
        prepare(page)
        site.screenshot("map-narrow")
        checks.check_usability(page)


def test_is_used_with_the_keyboard(site):
    page = open_map(site)
    page.press("/")
    page.type("#words", "late")
    page.press("Enter")
    page.wait(f"{STATUS} === '2 events match “late” here.'")
    page.evaluate("document.querySelector('[data-category=live-music]').focus()")
    page.press(" ")
    page.wait("document.activeElement.dataset.category === 'live-music'")
    page.wait("document.activeElement.ariaPressed === 'true'")
    page.wait("location.hash.includes('category=')")
    page.wait("document.getElementById('busy').hidden")
    assert page.evaluate("document.activeElement.dataset.category") == "live-music"
    page.evaluate("document.querySelector('.row .name').focus()")
    page.press("Enter")
    page.wait("document.querySelector('.tags')")
    assert page.evaluate("document.activeElement.id") == "card-name"
    page.press("Escape")
    page.wait("!document.querySelector('.card')")
    assert page.evaluate("document.activeElement.className") == "name"


def test_draws_the_picture_of_the_readme(site):
    """Saves readme-map.png if --screenshots was given."""
    if not site.screenshots:
        raise checks.Skipped("it needs --screenshots")
    _, user = site.request("POST", "/v1/users", tb_app_secret=site.secret)
    for index, (name, category, lat, lon, more) in enumerate(lisbon()):
        status, body = site.request(
            "POST", "/v1/events",
            {"name": name, "category": category, "lat": lat, "lon": lon,
             "started_at": hours(30 + 7 * index), "ended_at": hours(33 + 7 * index), **more},
            tb_auth_token=user["auth_token"],
        )
        assert status == 200, body
    page = site.open("/map#map=14.4/38.7145/-9.137&at=38.7139,-9.1394&q=jaz", size=(1280, 800))
    page.wait(READY)
    open_card(page, "Late jazz on the terrace")
    page.wait("document.querySelector('.tags')")
    page.wait(RESTS)
    page.wait(QUIET)
    page.evaluate("document.activeElement.blur()")
    site.screenshot("readme-map")


def lisbon():
    jazz = {"tags": ["jazz", "live music", "outdoors"]}
    return [
        ("Late jazz on the terrace", "music", 38.7118, -9.1381, {
            **jazz, "address": "Miradouro da Graça", "url": "https://jazz.example.com/late",
            "description": "Two sets under the pines.\nBring a friend, it's free."}),
        ("Jazz brunch", "food", 38.7167, -9.1495, {"address": "Rua da Rosa 12",
                                                   "status": "cancelled"}),
        ("Swing class", "dance", 38.7203, -9.1318, {"tags": ["jazz", "beginners"],
                                                    "address": "Largo do Intendente"}),
        ("Quartet at the riverside", "music", 38.7073, -9.1310, {**jazz,
                                                                 "address": "Cais das Colunas"}),
        ("Jazz records, old and new", "market", 38.7149, -9.1258, {
            "all_day": True, "address": "Campo de Santa Clara", "started_at": hours(80)[:10],
            "ended_at": hours(104)[:10]}),
        ("Film: Round Midnight", "film", 38.7192, -9.1440, {"tags": ["jazz"],
                                                            "address": "Avenida 24"}),
        ("Chess in the park", "games", 38.7160, -9.1500, {}),
    ]
