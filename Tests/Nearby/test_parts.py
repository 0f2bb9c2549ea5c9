"""Checks the parts of the model against independent facts."""

import unittest

import calendars
import model
import parameters
import sphere
import times
import views

UTC = times.Zone()


def instant(text):
    return times.parse_time(text, UTC)


class TimeTests(unittest.TestCase):
    def test_bounds(self):
        self.assertEqual(instant("0000-01-01"), times.EARLIEST)
        self.assertEqual(instant("9999-12-31T23:59:59.999999Z"), times.LATEST)
        self.assertEqual(times.text_of(times.EARLIEST), "0000-01-01T00:00:00.000Z")
        self.assertEqual(times.text_of(times.LATEST), "9999-12-31T23:59:59.999Z")
        self.assertIsNone(instant("0000-01-01T00:00:00+00:01"))
        self.assertIsNone(instant("2026-02-29"))
        self.assertEqual(instant("2026-06-01 12:00:00 02:00"), instant("2026-06-01T10:00:00Z"))

    def test_hours_that_do_not_exist_or_exist_twice(self):
        madrid, paulo = times.Zone.parse("Europe/Madrid"), times.Zone.parse("America/Sao_Paulo")
        parsed = times.parse_time("2026-03-29T02:30:00", madrid)
        self.assertEqual(times.text_of(parsed), "2026-03-29T01:30:00.000Z")
        parsed = times.parse_time("2026-10-25T02:30:00", madrid)
        self.assertEqual(times.text_of(parsed), "2026-10-25T00:30:00.000Z")
        parsed = times.parse_time("2018-11-04", paulo)
        self.assertEqual(times.text_of(parsed), "2018-11-04T03:00:00.000Z")

    def test_words(self):
        # A Saturday, at 23:30 in UTC and on Sunday in Madrid.
        now = instant("2026-06-06T23:30:00Z")
        madrid = times.Zone.parse("Europe/Madrid")
        expected = {
            "now": ("2026-06-06T23:30", "2026-06-06T23:31"),
            "today": ("2026-06-06T23:30", "2026-06-07T22:00"),
            "Tomorrow": ("2026-06-07T22:00", "2026-06-08T22:00"),
            "weekend": ("2026-06-06T23:30", "2026-06-07T22:00"),
            "week": ("2026-06-06T23:30", "2026-06-07T22:00"),
            "NEXT-WEEK": ("2026-06-07T22:00", "2026-06-14T22:00"),
            "month": ("2026-06-06T23:30", "2026-06-30T22:00"),
            "next-month": ("2026-06-30T22:00", "2026-07-31T22:00"),
            "2026-03-29": ("2026-03-28T23:00", "2026-03-29T22:00"),
            "2026-12": ("2026-11-30T23:00", "2026-12-31T23:00"),
            "upcoming": ("2026-06-06T23:30", None),
        }
        for word, window in expected.items():
            actual = tuple(time and times.text_of(time)[:16]
                           for time in times.window_of(word, madrid, now))
            self.assertEqual(actual, window, word)
        early = instant("2026-06-03T08:00:00Z")
        self.assertEqual(times.window_of("weekend", UTC, early),
                         (instant("2026-06-05T18:00:00Z"), instant("2026-06-08")))

    def test_years_outside_of_datetime(self):
        madrid = times.Zone.parse("Europe/Madrid")
        self.assertEqual(times.window_of("9999-12", madrid, 0)[1], times.LATEST + 1 - 3_600_000)
        start, _ = times.window_of("0000-01-01", madrid, 0)
        self.assertEqual(start, times.EARLIEST + 14 * 60_000 + 44_000)


class SphereTests(unittest.TestCase):
    def test_contract_example(self):
        origin = (37.771098, -122.430782)
        distances = [sphere.Direction(origin, place).millimetres for place in [
            (37.760322, -122.429667), (37.760321, -122.429667), (37.687737, -122.470608)]]
        self.assertEqual(distances, sorted(distances))
        self.assertLess(distances[1], 5_000_000)
        self.assertGreater(distances[0], 1_000_000)
        self.assertGreater(distances[2], 5_000_000)

    def test_boxes(self):
        crossing = sphere.Box(170, -10, 190, 10)
        for place, is_inside in [((0, 180), True), ((0, -180), True), ((0, -170), True),
                                 ((10, 170), True), ((0, -169), False), ((11, 180), False)]:
            self.assertEqual(crossing.contains(place), is_inside, place)
        self.assertTrue(sphere.Box(-180, -90, 180, 90).contains((0, 12)))
        self.assertTrue(sphere.Box(180, 0, 180, 0).contains((0, -180)))

    def test_polygons(self):
        polar = sphere.Polygon([(60, 0), (60, 90), (60, 180), (60, -90)])
        self.assertTrue(polar.contains((90, 33)))
        self.assertTrue(polar.contains((75, 45)))
        self.assertFalse(polar.contains((60, 45)))
        self.assertFalse(polar.contains((-90, 0)))
        pacific = sphere.Polygon([(-10, 170), (-10, -170), (10, -170), (10, 170)])
        self.assertTrue(pacific.contains((0, 180)))
        # A great circle between two places of the same latitude runs nearer to the pole.
        self.assertTrue(pacific.contains((10.1, 180)))
        self.assertFalse(pacific.contains((0, 0)))
        self.assertTrue(sphere.Polygon([(0, 0), (0, 120), (0, -120)]).is_too_wide)
        self.assertTrue(pacific.has_on_edge((0, 170)))

    def test_cells(self):
        self.assertEqual(sphere.Box(-122.5, 37.7, -122.3, 37.8).cell_count(11), 20)
        self.assertEqual(sphere.Box(-180, -90, 180, 90).cell_count(4), 4096)


class TextTests(unittest.TestCase):
    def test_numbers(self):
        texts = {1: "1.0", 1e-7: "1.0e-07", 1.5e-7: "1.5e-07", -0.0: "-0.0", 5e-324: "5.0e-324"}
        for number, text in texts.items():
            self.assertEqual(views.number_text(number), text)

    def test_folded_lines(self):
        line = "SUMMARY:" + "é" * 80
        pieces = calendars.folded(line).split("\r\n")
        self.assertTrue(all(len(piece.encode()) <= 75 for piece in pieces))
        self.assertEqual("\r\n".join(pieces).replace("\r\n ", "").rstrip(), line)

    def test_accept(self):
        expected = {
            "": "json", "*/*": "json", "text/html,*/*;q=0.8": "json", "text/calendar": "ics",
            "text/csv;q=0.5, text/plain;q=0.5": "csv", "image/png": "json",
            "application/json;q=0.1, Text/Plain;q=0.2": "txt",
        }
        for header, suffix in expected.items():
            self.assertEqual(model.accepted(header), suffix, header)

    def test_formulas(self):
        texts = {"=1": "'=1", "-5": "-5", "-5 a": "'-5 a", "'=": "''=", "'a": "'a", "": ""}
        for text, guarded in texts.items():
            self.assertEqual(views.guarded(text), guarded)

    def test_errors_in_order(self):
        pairs = parameters.decode("raduis=1&lon=2&radius=-1&when=x&from=y&to=now&_a=1&limit=0")
        reader = parameters.Reader(pairs, "json", 0, None, 1000)
        self.assertEqual(reader.errors, [
            "Lat can't be blank", "Radius must be greater than or equal to 0",
            "From is not a time such as 2030-09-16T12:00:00Z",
            "When must be one of now, upcoming, today, tomorrow, weekend, week, next-week, month,"
            " next-month, a date, a month",
            "Limit must be greater than or equal to 1", "Unknown parameter: raduis"])


if __name__ == "__main__":
    unittest.main()
