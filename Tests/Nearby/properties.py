"""Properties of responses, checked without the model."""

import json
import os
import subprocess
import tempfile
import urllib.parse

import check as checks
import corpus
import generator
import parameters
import times

EVERYTHING = {"limit": "1000"}


class Broken(Exception):
    """The error for a property that doesn't hold."""


class Properties:
    """Checks the properties of one server's responses."""

    def __init__(self, stored, random, limits=range(1, 51)):
        self.stored, self.random, self.limits = stored, random, limits
        tokens = sorted(stored.model.tokens)
        self.token = {"tb-device-token": tokens[0]}
        self.generator = generator.Generator(random, stored.model, tokens, checks.minute())

    def page(self, values, path="/v1/events"):
        """Returns a page as a dictionary."""
        target = f"{path}?{urllib.parse.urlencode(parameters.pairs_of(values))}"
        response = self.stored.get(target, self.token)
        if response.status != 200:
            raise Broken(f"{target}: {response.status} {response.body!r}")
        return json.loads(response.body)

    def ids(self, values):
        """Returns the ids of all matching events, in order."""
        values = {**values, **EVERYTHING, "fields": "id"}
        return [event["id"] for event in self.page(values)["events"]]

    def valid_filters(self):
        """Returns random valid filters."""
        while True:
            values = self.generator.filters()
            reader = parameters.Reader(parameters.pairs_of(values), "json", checks.minute(), 1, 1000,
                                       text_search=self.stored.model.text_search)
            if not reader.errors:
                return values

    def pages_equal_one(self):
        """Joined pages equal one big page, except for events added or deleted in between."""
        for sort in parameters.SORTS:
            for limit in self.limits:
                values = {"sort": sort, "lat": "37.79", "lon": "-122.4"}
                before = self.ids(values)
                touched, joined = set(), []
                cursor = {}
                while True:
                    page = self.page({**values, "limit": limit, "fields": "id", **cursor})
                    joined += [event["id"] for event in page["events"]]
                    if page["next"] is None:
                        break
                    cursor = {"cursor": page["next"]}
                    if self.random.random() < 0.02:
                        touched |= self._change()
                expected = [number for number in before if number not in touched]
                actual = [number for number in joined if number not in touched]
                if actual != expected:
                    raise Broken(f"sort {sort}, limit {limit}: {actual} instead of {expected}")

    def _change(self):
        """Adds and deletes an event, and returns their ids."""
        numbers = set(self.stored.model.events)
        now = checks.minute()
        self.stored.insert(self.generator.tokens[0], corpus.draft(self.random, now))
        deleted = self.random.choice(sorted(numbers))
        self.stored.delete(deleted)
        return {deleted, *(set(self.stored.model.events) - numbers)}

    def filters_narrow(self):
        """One more filter returns a subset."""
        for _ in range(150):
            values = self.valid_filters()
            removable = [name for name in ("radius", "bbox", "within", "owner", "attendee", "when",
                                           "from", "to", "q", "category", "tag", "series")
                         if name in values]
            # A series needs an owner, and `me` changes the statuses by default.
            if "series" in values or "status" not in values:
                removable = [name for name in removable if name not in ("owner", "attendee")]
            if "ongoing" in values:
                removable = ["ongoing"]
            if not removable:
                continue
            fewer = dict(values)
            del fewer[self.random.choice(removable)]
            # `ongoing` means nothing without a start.
            start = checks.minute()
            narrow, wide = self.ids(values), self.ids(fewer)
            if checks.minute() == start and not set(narrow) <= set(wide):
                raise Broken(f"{values} returns {set(narrow) - set(wide)}, {fewer} doesn't")

    def turning_changes_nothing(self):
        """Adding whole turns to all longitudes changes nothing."""
        for _ in range(100):
            # Eighths have exact sums.
            longitude = self.random.randrange(-1440, 1440) / 8
            latitude = self.random.randrange(-720, 721) / 8
            size = self.random.randrange(1, 80) / 8
            values = {"lat": latitude, "lon": longitude}
            if self.random.random() < 0.5:
                values["bbox"] = (longitude - size, -90, longitude + size, 90)
            else:
                values["within"] = (longitude, 0, longitude + size, 60, longitude - size, 60)
            pages = [self.page({"limit": 1000, **_turned(values, turn)}) for turn in (0, 360, -720)]
            if pages[1] != pages[0] or pages[2] != pages[0]:
                raise Broken(f"turning {values} changes the response")

    def words_equal_times(self):
        """`when` returns the same events as its `from` and `to`."""
        words = [*generator.WORDS, "2026-06-01", "2026-06", "0000-01-02", "9999-12-30"]
        for zone in generator.ZONES:
            for word in words:
                now = checks.minute()
                start, end = times.window_of(word, times.Zone.parse(zone), now)
                if end is not None and end <= start:
                    continue
                window = {"from": times.text_of(start)}
                if end is not None:
                    window["to"] = times.text_of(end)
                named = self.ids({"when": word, "tz": zone})
                timed = self.ids({**window, "tz": zone})
                if checks.minute() == now and named != timed:
                    raise Broken(f"when={word} in {zone} is not {window}: {named}, {timed}")

    def responses_can_be_imported(self):
        """`humon import` stores the same events from GeoJSON and CSV."""
        for suffix in ("geojson", "csv"):
            target = f"/v1/events.{suffix}?limit=1000&sort=id&status=any"
            response = self.stored.get(target, {})
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "events." + suffix)
                with open(path, "wb") as file:
                    file.write(response.body)
                environment = {"PATH": os.environ["PATH"], "HUMON_ENV_FILE": "",
                               "DATABASE_URL": f"sqlite:{folder}/copy.sqlite3"}
                self._run(["migrate"], environment, folder)
                self._run(["import", "--strict", path], environment, folder)
                self._run(["export", "--format", "ndjson", folder + "/copy.ndjson"], environment,
                          folder)
                with open(folder + "/copy.ndjson", encoding="utf-8") as lines:
                    copies = [json.loads(line) for line in lines.read().split("\n") if line]
            self._compare_copies(suffix, copies)

    def _run(self, arguments, environment, folder):
        done = subprocess.run([self.stored.humon, *arguments], env=environment, cwd=folder,
                              capture_output=True, text=True)
        if done.returncode:
            raise Broken(f"humon {' '.join(arguments)}: {done.stdout}{done.stderr}")

    def _compare_copies(self, suffix, copies):
        expected = {event.id: [event.name, event.address, event.lat, event.lon, event.owner,
                               times.text_of(event.started_at)]
                    for event in self.stored.model.events.values() if not event.is_hidden}
        actual = {copy["id"]: [copy["name"], copy["address"], copy["lat"], copy["lon"],
                               copy["owner"]["id"], copy["started_at"]] for copy in copies}
        for number in expected.keys() | actual.keys():
            if expected.get(number) != actual.get(number):
                raise Broken(f"import of {suffix}, event {number}: {actual.get(number)} instead of"
                             f" {expected.get(number)}")


def _turned(values, turn):
    """Returns the filters with all longitudes shifted, as texts."""
    latitude, longitude = values["lat"], values["lon"]
    result = {"lat": latitude, "lon": longitude + turn}
    for name in ("bbox", "within"):
        if name in values:
            result[name] = ",".join(str(value + turn if index % 2 == 0 else value)
                                    for index, value in enumerate(values[name]))
    return result


def check(stored, random, limits):
    """Checks all properties, prints the results, and returns the number of failures."""
    properties = Properties(stored, random, limits)
    failures = 0
    for property in (properties.turning_changes_nothing, properties.words_equal_times,
                     properties.filters_narrow, properties.responses_can_be_imported,
                     properties.pages_equal_one):
        try:
            property()
            print(f"  holds on {stored.storage}: {property.__doc__}", flush=True)
        except Broken as error:
            failures += 1
            print(f"  BROKEN on {stored.storage}: {property.__doc__}\n    {error}", flush=True)
    return failures
