import Randomness

/// Values for members of JSON objects, among them the extreme and the invalid ones.
struct RandomValues {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    private mutating func pick(_ elements: [String]) -> String {
        elements[Int(generator.next() % UInt64(elements.count))]
    }

    /// A latitude, often near others.
    mutating func latitude() -> String {
        switch generator.next() % 12 {
        case 0: pick(["90", "-90", "-0.0", "0", "4.9e-324", "-2.2250738585072011e-308"])
        case 1: pick(["90.0000001", "-91", "1e400", "\"12.5\"", "\"x\"", "null", "true"])
        case 2..<5: "\(Double.random(in: -90...90, using: &generator))"
        case 5..<8: pick(["37.76", "37.77"])
        default: "\(37.76 + Double.random(in: -0.2...0.2, using: &generator))"
        }
    }

    mutating func longitude() -> String {
        switch generator.next() % 12 {
        case 0: pick(["180", "-180", "-0.0", "179.99999999999997", "1e-320", "540"])
        case 1: pick(["180.0000001", "1e300", "\"-12.5\"", "\"x\"", "null", "[]"])
        case 2..<5: "\(Double.random(in: -180...180, using: &generator))"
        case 5..<8: pick(["-122.43", "-122.42"])
        default: "\(-122.43 + Double.random(in: -0.2...0.2, using: &generator))"
        }
    }

    mutating func number() -> String {
        pick(["0", "-0.0", "4.5", "-4.5e-300", "1e308", "5e-324", "\"3\"", "\"x\"", "null"])
    }

    mutating func time() -> String {
        generator.next() % 6 == 0
            ? pick(["\"x\"", "\"\"", "null", "1379289600"]) : "\"\(instant())\""
    }

    /// A valid time, often equal to others.
    ///
    /// None is in the years 2020 to 2039, so that times of creation can be told from it, and so
    /// that no window of the present begins or ends with an event between two requests.
    mutating func instant() -> String {
        let day = 14 + generator.next() % 5
        let hour = 10 + generator.next() % 4
        return pick([
            "2013-09-16T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "2012-02-29T12:00:00+05:30",
            "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2099-01-01T00:00:00Z",
            "2013-09-\(day)T\(hour):00:00Z", "2013-09-\(day)T\(hour):00:00.001-02:00",
            "20\(hour)-09-\(day)T12:00:00Z",
        ])
    }

    mutating func category() -> String {
        pick(["\"music\"", "\"Music\"", "\"live-music\"", "\"\"", "null", "\"a b\""])
    }

    mutating func tags() -> String {
        let tag = text(50)
        return pick([
            "[\(tag)]", "[\"jazz\",\(tag)]", "\"Jazz,é\"", "[\"#Jazz\",\"ana\"]", "[]", "null",
        ])
    }

    /// A text of at most `maximum` characters, or of one more.
    mutating func text(_ maximum: Int) -> String {
        switch generator.next() % 10 {
        case 0:
            let character = pick(["x", "é", "字", "🧺", "e\u{301}"])
            let length = character.unicodeScalars.count
            let extra = Int(generator.next() % 2)
            return "\"\(String(repeating: character, count: (maximum + extra) / length))\""
        case 1:
            return pick([
                "\"\"", "\" \"", "\"\\u0000\"", "\"\\t\\n\"", "\"\\u00a0\"", "null", "7", "[]",
                "{}", "\"\\ud83e\\uddfa\"", "\"\\u200b\"", "\"\\u001f\"",
            ])
        default:
            return pick([
                "\"Picnic 🧺 'n' Sá\"", "\"a\\\\b\\\"c\"", "\"ana\"", "\"Ana\"", "\"é\"", "\"z\"",
                "\"\\uff61\"", "\"Dolores Park\"", "\"%s $1 ; --\"",
            ])
        }
    }

    mutating func device() -> String {
        pick(["phone 1", "phone 2", "phone 3", "phone 4", " ", "\\u00e9", "~!"])
    }

    mutating func email() -> String {
        let number = generator.next() % 40
        return pick([
            "ana\(number)@example.com", "ANA\(number)@Example.com",
            "jos\u{e9}\(number)@example.com",
            "jose\u{301}\(number)@example.com", "not an address",
        ])
    }
}
