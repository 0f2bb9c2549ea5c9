"""Compares the responses to random requests with the model."""

import collections
import re
import time

import comparison
import generator
import times

NEXT = re.compile(r"[?&]cursor=([A-Za-z0-9_-]{32})")
MAXIMUM_PAGES = 60
# Headers that can differ between equal responses.
VARIABLE = {"date", "x-request-id"}


def minute():
    """Returns the beginning of the current minute, in milliseconds since 1970."""
    return int(time.time()) // 60 * 60_000


class Check:
    """Compares the responses of one server with the model, and counts what it compared."""

    def __init__(self, stored, random, now, shown=20):
        self.stored, self.random, self.shown = stored, random, shown
        self.generator = generator.Generator(random, stored.model, sorted(stored.model.tokens), now)
        self.compared = collections.Counter()
        self.tolerated = collections.Counter()
        self.failures = []
        # Not a check, but a hint at slow searches.
        self.slowest = (0, "")
        self.reasons = collections.Counter()

    def request(self, target, headers, kind):
        """Compares the response to a request. Returns it if it is as expected, otherwise None."""
        while True:
            now = minute()
            began = time.monotonic()
            response = self.stored.get(target, headers)
            self.slowest = max(self.slowest, (time.monotonic() - began, target))
            if minute() == now:
                break
        model = self.stored.model
        problem, tolerated = comparison.compare(
            model, lambda: model.respond(target, headers, now), response)
        self.compared[f"{kind} {response.status}"] += 1
        if tolerated:
            self.tolerated[tolerated] += 1
        if problem is None and response.status == 200 and self.random.random() < 0.1:
            problem = self._repeat(target, headers, response, now)
        if problem is None:
            return response
        again = comparison.difference(
            model.respond(target, headers, minute()), self.stored.get(target, headers))
        problem += ", and again" if again else ", but not when it was repeated"
        answer = model.respond(target, headers, now)
        self._fail(kind, problem, target, headers, answer, response, now)
        return None

    def _repeat(self, target, headers, response, now):
        """Repeats a request with If-None-Match and as HEAD, and returns the problem or None."""
        tag = response.headers["etag"]
        cached = self.stored.get(target, {**headers, "if-none-match": tag})
        head = self.stored.get(target, headers, method="HEAD")
        if minute() != now:
            return None
        if cached.status != 304 or cached.headers.get("etag") != tag or cached.body:
            return f"with If-None-Match: {tag}: {cached}"
        fields = {name: value for name, value in response.headers.items() if name not in VARIABLE}
        actual = {name: value for name, value in head.headers.items() if name not in VARIABLE}
        if head.status != 200 or actual != fields:
            return f"HEAD: {head}"
        self.compared["unchanged, and HEAD"] += 1
        return None

    def _fail(self, kind, problem, target, headers, answer, response, now):
        self.failures.append(target)
        # Numbers are removed, so that similar mistakes count as one.
        reason = f"{kind}: {re.sub(r'byte [0-9]+', '', problem)[:60]}"
        self.reasons[reason] += 1
        if self.reasons[reason] > 3 or sum(self.reasons.values()) > self.shown * 3:
            return
        print(f"DIFFERENT on {self.stored.storage}: {problem}\n  GET {target}\n  {headers}\n"
              f"  at {now}, request {sum(self.compared.values())}\n"
              + comparison.excerpt(answer.body, response.body), flush=True)

    def random_request(self):
        """Sends a request, and sometimes requests the next pages."""
        random = self.random
        kind = random.random()
        if kind < 0.1:
            path, values, headers = self.generator.cluster_request()
            self.request(self.generator.target(path, values), headers, "clusters")
        elif kind < 0.13:
            self.request(self.generator.single_request(), {}, "single")
        else:
            path, values, headers = self.generator.list_request()
            name = path.partition(".")[2].strip("/") or "by Accept"
            response = self.request(self.generator.target(path, values), headers, name)
            if random.random() < 0.3:
                self._follow(path, values, headers, response)
        if random.random() < 0.05:
            self.stored.write(random, self.generator.now)
            self._after_write()

    def _after_write(self):
        """Requests the newest event and its surroundings, which the last write may have changed."""
        newest = self.stored.model.events[max(self.stored.model.events)]
        place = {"lat": repr(newest.lat), "lon": repr(newest.lon), "limit": "5"}
        for values in ({"sort": "-id", "limit": "3", "fields": "id,name,updated_at"}, place,
                       {"from": times.text_of(newest.started_at), "limit": "3"}):
            self.request(self.generator.target("/v1/events", values), {}, "after a write")

    def _follow(self, path, values, headers, response):
        """Requests the next pages, with other representations, and with writes between pages."""
        random = self.random
        for _ in range(MAXIMUM_PAGES):
            match = response and NEXT.search(response.headers.get("link", ""))
            if not match:
                return
            values["cursor"] = match[1]
            if random.random() < 0.3:
                values.pop("fields", None)
                path = f"/v1/events.{random.choice(generator.SUFFIXES)}"
                self.generator.shape(values, path.rpartition(".")[2])
            if random.random() < 0.2:
                self.stored.write(random, self.generator.now)
            if random.random() < 0.05:
                text = values["cursor"]
                index = random.randrange(32)
                broken = text[:index] + random.choice("Aa0-_%") + text[index + 1:]
                self.request(self.generator.target(path, {**values, "cursor": broken}), headers,
                             "broken cursor")
            response = self.request(self.generator.target(path, values), headers, "next page")

    def summary(self):
        lines = [f"{self.stored.storage}: {sum(self.compared.values())} requests, "
                 f"{len(self.failures)} different"]
        lines += [f"  {count:6} {kind}" for kind, count in sorted(self.compared.items())]
        lines += [f"  {count:6} equal up to the {kind}" for kind, count in self.tolerated.items()]
        lines += [f"  {count:6} times: {reason}" for reason, count in self.reasons.most_common(20)]
        lines.append(f"  the slowest took {self.slowest[0]:.3f} s: {self.slowest[1]}")
        return "\n".join(lines)
