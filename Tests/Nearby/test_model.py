"""Checks the model against the specification's examples: Tests/Nearby/run --check"""

import json
import os
import unittest

import model
import times

NOW = times.parse_time("2026-06-01T12:00:30Z", times.Zone())
INSTALLATION = "8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c51"
QUERY = "lat=37.79&lon=-122.40&radius=20&when=upcoming"
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "examples")


def event_of(record):
    instant = {name: record[name] and times.parse_time(record[name], times.Zone())
               for name in ("started_at", "ended_at", "created_at", "updated_at")}
    return model.Event(record["id"], record["owner"]["id"], record["name"], record["address"],
                       record["lat"], record["lon"], **instant)


class ExampleTests(unittest.TestCase):
    def setUp(self):
        with open(EXAMPLES + "/events.ndjson", encoding="utf-8") as lines:
            events = [event_of(json.loads(line)) for line in lines]
        self.model = model.Model(events, INSTALLATION)

    def test_every_representation(self):
        self.maxDiff = None
        for suffix in model.TYPES:
            with open(f"{EXAMPLES}/upcoming.{suffix}", "rb") as example, self.subTest(suffix):
                answer = self.model.respond(f"/v1/events.{suffix}?{QUERY}", {}, NOW)
                self.assertEqual(answer.body, example.read())

    def test_the_page_with_a_count(self):
        answer = self.model.respond("/v1/events?lat=37.79&lon=-122.40&limit=1&count=exact", {}, NOW)
        self.assertEqual(answer.body.decode(), (
            '{"count":3,"count_is_exact":true,"events":[{"address":"85 2nd St",'
            '"ended_at":"2026-06-01T19:00:00.000Z","id":2,"lat":37.7881,"lon":-122.4002,'
            '"name":"Concert","started_at":"2026-06-01T18:00:00.000Z","owner":{"id":3},'
            '"distance":0.212,"bearing":184.8}],"next":"ASruZreFsyAAAAAAAAM8IAAAAAAAAAAC"}\n'))
        self.assertEqual(answer.headers["link"], (
            "</v1/events?lat=37.79&lon=-122.40&limit=1&cursor=ASruZreFsyAAAAAAAAM8IAAAAAAAAAAC"
            '&count=exact>; rel="next"'))


if __name__ == "__main__":
    unittest.main()
