"""Checks that the comparison finds bugs, with a modified model as the server."""

import collections
import contextlib
import io
import random
import unittest
import unittest.mock

import calendars
import check
import corpus
import model
import parameters
import sphere
import times
import views

INSTALLATION = "8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c51"
TOKENS = {f"token-{number}": number for number in range(1, corpus.OWNERS + 1)}
Response = collections.namedtuple("Response", "status headers body")


class Imitation:
    """A server that responds like the model with a bug."""

    storage = "imitation"

    def __init__(self, mistake):
        self.mistake = mistake
        source = random.Random(5)
        events = []
        for number, draft in enumerate(corpus.drafts(source, 120, check.minute()), 1):
            instant = {name: draft[name] and times.parse_time(draft[name], times.Zone())
                       for name in ("started_at", "ended_at")}
            events.append(model.Event(number, source.choice(list(TOKENS.values())), draft["name"],
                                      draft["address"], draft["lat"], draft["lon"], **instant,
                                      created_at=number, updated_at=2 * number))
        attendances = {(source.randrange(1, 6), number) for number in range(1, 120, 3)}
        self.model = model.Model(events, INSTALLATION, TOKENS, attendances)

    def get(self, target, headers, method="GET"):
        if "if-none-match" in headers:
            return Response(304, {"etag": headers["if-none-match"]}, b"")
        with self.mistake():
            answer = self.model.respond(target, headers, check.minute())
        headers = {name: value for name, value in answer.headers.items() if value is not None}
        if answer.status == 200:
            headers |= {"etag": '"1"', "cache-control": "max-age=0, private, must-revalidate"}
        return Response(answer.status, headers, answer.body if method == "GET" else b"")

    def write(self, source, now):
        number = source.choice(sorted(self.model.events))
        self.model.events[number].name = f"Changed {source.randrange(1000)}"


def differs(mistake, requests=400):
    """Returns whether the responses to any of some requests differ."""
    checked = check.Check(Imitation(mistake), random.Random(2), check.minute())
    with contextlib.redirect_stdout(io.StringIO()):
        while not checked.failures and sum(checked.compared.values()) < requests:
            checked.random_request()
    return bool(checked.failures)


def replaced(place, name, change):
    """Returns a context in which a function of a module or class is replaced."""
    original = getattr(place, name, None)
    return lambda: unittest.mock.patch.object(
        place, name, change(original), create=True)


class ComparisonTests(unittest.TestCase):
    def test_equal_servers_don_t_differ(self):
        self.assertFalse(differs(contextlib.nullcontext))

    def test_each_mistake_is_found(self):
        mistakes = {
            "the end of a window is inclusive": replaced(
                model.Model, "_takes_place", lambda original: lambda self, event, query: original(
                    self, event, query) or event.started_at == query.end),
            "boxes don't cross the antimeridian": replaced(
                sphere.Box, "contains", lambda original: lambda self, place: (
                    self.west <= self.east or self.is_around) and original(self, place)),
            "the sphere has another radius": replaced(
                sphere, "RADIUS_MM", lambda original: original * (1 + 1e-6)),
            "ties are not ordered by id": replaced(
                model, "sorted", lambda _: lambda rows, key, reverse: sorted(
                    rows, key=lambda row: key(row)[0], reverse=reverse)),
            "the cursor's hash omits a filter": replaced(
                parameters, "FILTERS", lambda original: original[:-2]),
            "lines are folded too late": replaced(
                calendars, "LINE_OCTETS", lambda original: original + 1),
            "control characters are printed": replaced(
                views, "visible", lambda original: lambda text: text),
            "formulas are not escaped": replaced(
                views, "guarded", lambda original: lambda text: text),
            "days are too short": replaced(
                times, "DAY", lambda original: original - 1),
            "a message has another wording": replaced(
                parameters, "choice", lambda original: _other_choice),
        }
        for name, mistake in mistakes.items():
            with self.subTest(name):
                self.assertTrue(differs(mistake, 3000))


def _other_choice(label, text, allowed):
    if text not in allowed:
        raise parameters.Invalid(f"{label} is none of {', '.join(allowed)}")
    return text


if __name__ == "__main__":
    unittest.main()
