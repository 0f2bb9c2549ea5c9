"""Generates random queries, most of them valid."""

import base64
import math
import urllib.parse

import parameters
import terms
import times

SUFFIXES = ["json", "geojson", "ics", "atom", "csv", "txt"]
ZONES = ["UTC", "Z", "+02:00", " 02:00", "-09:30", "+14:00", "-12:00", "Europe/Madrid",
         "Asia/Tokyo", "America/New_York", "America/Argentina/Buenos_Aires", "Asia/Kathmandu", "Pacific/Apia",
         "Etc/GMT+5", "Australia/Lord_Howe", "Africa/Casablanca", "America/Sao_Paulo",
         "Asia/Beirut", "Europe/London", "+00:00", "Etc/UTC", "America/St_Johns", "Pacific/Kiritimati", "EST5EDT"]
WORDS = ["now", "upcoming", "today", "tomorrow", "weekend", "week", "next-week", "month",
         "next-month"]
ACCEPTS = [
    "*/*", "text/html,application/xhtml+xml,*/*;q=0.8", "text/calendar", "application/geo+json",
    "text/csv;q=0.9, application/atom+xml;q=0.95", "TEXT/PLAIN", "text/plain;q=0.5,text/csv;q=0.5",
    "application/json", "image/png", "text/*", "application/atom+xml, text/calendar",
    "text/csv;q=0.2 , application/json;q=0.1", "text/calendar; charset=utf-8",
]

MISTAKES = [
    ("lat", "abc"), ("lat", "91"), ("lat", " "), ("lon", "1e400"), ("lon", ""), ("lat", "-90.1"),
    ("radius", "-1"), ("radius", "x"), ("radius", "NaN"), ("units", "ft"), ("units", "KM"),
    ("bbox", "1,2,3"), ("bbox", "1,2,3,x"), ("bbox", "0,-91,0,0"), ("bbox", "0,5,0,4"),
    ("within", "0,0,1,1"), ("within", "0,0,1,1,0,0"), ("within", "0,0,1,1,2"),
    ("within", "0,0,0,91,1,1"), ("within", "0,0,120,0,240,0"), ("within", "0,0,179,0,10,80"),
    ("from", "yesterday"), ("from", "2026-02-30"), ("to", "2026-01-01T25:00:00Z"),
    ("when", "someday"), ("when", "2026-13"), ("when", "2026-02-30"), ("tz", "Mars/Olympus"),
    ("tz", "../etc/passwd"), ("tz", "+25:00"), ("ongoing", "maybe"), ("owner", "x"),
    ("owner", "-1"), ("owner", "1.5"), ("attendee", "3"), ("sort", "name"), ("sort", "-distance"),
    ("fields", "id,nope"), ("fields", "id,"), ("fields", "distance"), ("limit", "0"),
    ("limit", "1001"), ("limit", "1.5"), ("limit", "ten"), ("cursor", "abc"), ("cursor", "A" * 32),
    ("cursor", "A" * 31 + "="), ("count", "all"), ("title", "x" * 61), ("raduis", "5"),
    ("query", "jazz"), ("q", "\0"), ("q", "1 2 3 4 5 6 7 8 9"), ("q", "x" * 101), ("category", "a,,b"),
    ("category", "a b"), ("category", ",".join("x" * 21)), ("tag", ","), ("tag", "\0"),
    ("tag", "x" * 51), ("tag", list("123456")), ("status", "done"), ("status", "any,"),
    ("series", "\0"), ("series", "x" * 101), ("series", "a"), ("offset", "10"), ("utm", "1"), ("fbclid_", "1"), ("gclid", "x"), ("utm_x", ""),
    ("mc_eid", "1"), ("refs", "1"), ("ref_src", "a"), ("x" * 50, "1"), ("Lat", "1"), ("page", "2"),
    ("cursor", "ASruZreFsyAAAAAAAAM8IAAAAAAAAAAC"), ("sort", "distance"),
]


class Generator:
    """Generates the targets and headers of requests from a seed."""

    def __init__(self, random, model, tokens, now):
        self.random, self.model, self.now = random, model, now
        self.tokens, self.names = tokens, ["user", "", "ä"]

    def place(self):
        """Returns a place, usually that of an event."""
        random = self.random
        event = random.choice(list(self.model.events.values()))
        return random.choice([
            (event.lat, event.lon), (event.lat, event.lon), (40.4168, -3.7038),
            (min(90, max(-90, event.lat + random.gauss(0, 0.01))),
             event.lon + random.gauss(0, 0.01)),
            (round(random.uniform(-90, 90), 2), round(random.uniform(-180, 180), 2)),
            (37.79, -122.4), (90, random.randrange(-180, 180)), (-90, 0), (0, 180), (0, -180),
        ])

    def number(self, value):
        """Returns a number in a random notation."""
        random = self.random
        text = repr(value)
        if isinstance(value, float) and random.random() < 0.1:
            text = random.choice([f"{value:e}", f"{value:.3f}", f"{value:.12f}", f"{value:E}"])
        if value >= 0 and random.random() < 0.05:
            text = "+" + text
        return text

    def instant(self):
        """Returns a time as the value of `from` or `to`."""
        random = self.random
        event = random.choice(list(self.model.events.values()))
        end = event.end(self.model.open_end_hours)
        value = random.choice([event.started_at, end, self.now, end + 1,
                               self.now + random.randrange(-90, 90) * times.DAY])
        value = min(max(value, times.EARLIEST + times.DAY), times.LATEST - times.DAY)
        text = times.text_of(value)
        return random.choice([
            text, text, text[:-5] + "Z", text[:-1], text[:10], text[:-5].replace("T", " "), "now",
            text[:-1] + "+02:00", text[:-1] + " 02:00", text[:-1] + "-09:30", text[:-1] + "5678Z",
        ])

    def polygon(self):
        """Returns the corners of a polygon around a place, sometimes in a random order."""
        random = self.random
        latitude, longitude = self.place()
        size = random.choice([0.001, 0.1, 2, 20, 50])
        count = random.choice([3, 4, 5, 8, 30, 64])
        corners = []
        for number in range(count):
            angle = 2 * math.pi * (number + random.random() / 2) / count
            reach = size * random.uniform(0.3, 1)
            y = min(90, max(-90, latitude + reach * math.sin(angle)))
            x = longitude + reach * math.cos(angle) / max(0.05, math.cos(math.radians(y)))
            corners.append((round(x, 6), round(y, 6)))
        if random.random() < 0.1:
            random.shuffle(corners)
        if random.random() < 0.3:
            corners.append(corners[0])
        return ",".join(f"{self.number(x)},{self.number(y)}" for x, y in corners)

    def box(self):
        """Returns the value of `bbox`."""
        random = self.random
        latitude, longitude = self.place()
        wide, high = (random.choice([0, 0.01, 0.5, 5, 60, 170]) for _ in range(2))
        west, east = longitude - wide * random.random(), longitude + wide
        if random.random() < 0.2:
            turn = random.choice([360, -360, 720])
            west, east = west + turn, east + turn
        if random.random() < 0.1:
            west, east = random.choice(
                [(-180, 180), (0, 360), (170, -170), (180, -180), (-190, 170), (10, -10)])
        south, north = max(-90, latitude - high * random.random()), min(90, latitude + high)
        return ",".join(map(self.number, (west, south, east, north)))

    def filters(self):
        """Returns valid values of the parameters that filter and order."""
        random, values = self.random, {}
        if random.random() < 0.6:
            latitude, longitude = self.place()
            if random.random() < 0.1:
                longitude += random.choice([360, -360, 3600])
            values["lat"], values["lon"] = self.number(latitude), self.number(longitude)
            if random.random() < 0.6:
                values["radius"] = self.number(random.choice(
                    [0, 0.5, 10, 100.0, 1000, 5000, 20015.2, 1e5, 1e300, 12.345]))
            if random.random() < 0.3:
                values["units"] = random.choice(["km", "m", "mi"])
        if random.random() < 0.25:
            values["bbox"] = self.box()
        if random.random() < 0.2:
            values["within"] = self.polygon()
        kind = random.random()
        if kind < 0.3:
            instants = [self.instant(), self.instant()]
            instants.sort(key=lambda text: times.parse_time(text, times.Zone()) or self.now)
            if random.random() < 0.7:
                values["from"] = instants[0]
            if random.random() < 0.5:
                values["to"] = instants[1]
        elif kind < 0.65:
            word = random.choice(WORDS + [self.instant()[:10], self.instant()[:7]])
            values["when"] = word if word[:3] != "now" or len(word) == 3 else "now"
            if random.random() < 0.1:
                values["when"] = values["when"].upper()
        if random.random() < 0.3:
            values["tz"] = random.choice(ZONES)
        if random.random() < 0.15:
            values["ongoing"] = random.choice(["true", "false", "0", "1", "off", "F", "on", "t"])
        if random.random() < 0.15:
            values["owner"] = random.choice(["1", "2", "3", "me", "999", "007"])
        if random.random() < 0.1:
            values["attendee"] = "me"
        if random.random() < 0.6:
            self.terms(values)
        if random.random() < 0.4:
            values["sort"] = random.choice(parameters.SORTS[("lat" not in values):])
        return values

    def terms(self, values):
        """Adds filters by words, categories, tags, statuses and series."""
        random = self.random
        event = random.choice(list(self.model.events.values()))
        if random.random() < 0.25:
            found = sorted(event.words) or ["x"]
            some = [word[:random.choice([1, 2, 3, 64])] for word in random.choices(found, k=2)]
            values["q"] = random.choice([
                some[0], some[0] + " ", " ".join(some), event.name[:60], "jazz l", "main", "!", "東京",
                "none", (event.address or "")[:20] or "e", "wi-fi", some[0].upper(), "straße",
            ])
            # A long compound or run of Chinese is one word, but several others are not.
            if terms.wanted(values["q"])[1] > 8:
                values["q"] = some[0]
        if random.random() < 0.15:
            values["category"] = random.choice(
                ["music", "MUSIC,food", "theatre,none", "none", "live-music,music"])
        if random.random() < 0.15:
            tags = ["jazz", "Cafe", "#live music,none", "日本,A&B<C>", "none", "o’brien,-rock", "👍"]
            values["tag"] = random.choices(tags, k=random.choice([1, 1, 2, 3]))
        if random.random() < 0.2:
            values["status"] = random.choice(
                ["any", "any", "cancelled", "scheduled,postponed", "postponed,postponed"])
        if random.random() < 0.3 and "owner" in values:
            values["series"] = random.choice(["late-2026", "é", "e\u0301", "=1", "none"])

    def shape(self, values, suffix):
        """Adds parameters that affect only the representation of the page."""
        random = self.random
        if random.random() < 0.5:
            values["limit"] = random.choice(
                ["1", "2", "7", "20", "50", "300", "1000", "1e1", "5.0"])
        if suffix in ("json", "geojson", "csv") and random.random() < 0.2:
            names = parameters.FIELDS[:None if "lat" in values else -2]
            chosen = random.choices(names, k=random.randrange(1, 8))
            values["fields"] = ",".join(chosen)
        if random.random() < 0.2:
            values["count"] = random.choice(["exact", "exact", "none"])
        if random.random() < 0.2:
            values["title"] = random.choice(
                ["Home", "a,b;c\\d", "<&\">'", "日本" * 30, "x" * 60, "1\n2"])
        if random.random() < 0.05:
            values["_cache"] = "1"

    def invalidate(self, values):
        """Makes a parameter invalid, or adds an invalid one."""
        random = self.random
        name, value = random.choice(MISTAKES)
        values[name] = value
        if random.random() < 0.05:
            for number in range(12):
                values[f"extra{number}"] = "1"

    def headers(self, values):
        """Returns headers with the required token, sometimes with a wrong token or without one."""
        random = self.random
        headers = {}
        needs_token = "me" in (values.get("owner"), values.get("attendee"))
        if random.random() < (0.9 if needs_token else 0.1):
            token = random.choice(self.tokens) if random.random() < 0.9 else "unknown"
            basic = f"{random.choice(self.names)}:{token}"
            encoded = base64.b64encode(basic.encode()).decode()
            headers = random.choice([
                {"tb-device-token": token}, {"tb-auth-token": token}, {"x-device-token": token},
                {"authorization": f"Bearer {token}"}, {"authorization": f"Basic {encoded}"},
                {"tb-device-token": token, "authorization": "Bearer unknown"},
            ])
        return headers

    def target(self, path, values, shuffles=True):
        """Returns the target of a request, with its parameters in a random order."""
        random = self.random
        names = list(values)
        if shuffles:
            random.shuffle(names)
        safe = random.choice(["", ":,/", "-_.~,:/ '()*!@"])
        pairs = parameters.pairs_of({name: values[name] for name in names})
        query = "&".join(
            f"{urllib.parse.quote(name, safe='')}="
            + urllib.parse.quote(value, safe=safe).replace("%20" if random.random() < 0.5
                                                                  else " ", "+").replace(" ", "+")
            for name, value in pairs)
        if values and random.random() < 0.03:
            query = f"{names[0]}=&" + query + "&"
        return f"{path}?{query}" if query else path

    def list_request(self):
        """Returns path, values and headers of a request for a page of events."""
        random = self.random
        suffix = random.choice(SUFFIXES + ["json"])
        values = self.filters()
        headers = self.headers(values)
        path = f"/v1/events.{suffix}"
        if random.random() < 0.3:
            path = "/v1/events"
            suffix = "json"
            if random.random() < 0.7:
                headers["accept"] = random.choice(ACCEPTS)
                suffix = None
        self.shape(values, suffix)
        if random.random() < 0.15:
            for _ in range(random.choice([1, 1, 2, 3])):
                self.invalidate(values)
        if random.random() < 0.02:
            path += "/"
        return path, values, headers

    def cluster_request(self):
        """Returns path, values and headers of a request for clusters."""
        random = self.random
        values = {name: value for name, value in self.filters().items() if name != "sort"}
        if random.random() < 0.95:
            values.setdefault("bbox", self.box())
            values["zoom"] = str(random.choice([0, 1, 2, 3, 5, 9, 12, 22]))
        if random.random() < 0.1:
            name, value = random.choice([
                ("zoom", "23"), ("zoom", "-1"), ("zoom", "1.5"), ("limit", "3"), ("zoom", "x"),
                ("sort", "id"), ("bbox", "1,2"), ("fields", "id"), ("zoom", ""), ("bbox", ""),
            ])
            values[name] = value
        suffix = random.choice(["", "", ".json"])
        return f"/v1/events/clusters{suffix}", values, self.headers(values)

    def single_request(self):
        """Returns the path of a request for a known or unknown event."""
        random = self.random
        number = random.choice([*self.model.events, 0, 999_999, "1abc", "-1"])
        return f"/v1/events/{number}{random.choice(['.ics', '.geojson', '.ics', '.xml'])}"
