import Events
import JSON
import Randomness
import Rules
import Time

@testable import Web

/// Valid events whose texts need escaping.
enum HostileEvents {
    /// Returns the same events in every run.
    static func make(count: Int) -> [DatedEvent] {
        var generator = SeededGenerator(seed: 18)
        return (1...count).map { event(id: Int64($0), &generator) }
    }

    private static let parts = [
        "\r\n", "\n", "\r", "\t", "\u{1}", "\u{8}", "\u{B}", "\u{C}", "\u{1B}[31m", "\u{1C}",
        "\u{1E}", "\u{1F}", "\u{7F}", "\u{85}", "\u{9B}", "\u{A0}", "\u{AD}", "\u{2028}",
        "\u{2029}", "\u{200B}", "\u{200D}", "\u{FEFF}", "\u{FFFD}", "\u{FFFE}", "\u{FFFF}",
        "\u{1FFFE}", "\u{10FFFF}", "\u{202E}", "\u{2066}", "\u{61C}", "\u{E0001}", "\"", "\"\"",
        "'", ",", ";", ":", "\\", "\\n", "\\N", "\\,", "^n", "^'", "^^", "=", "+", "-", "@", "%0A",
        "&", "<", ">", "&amp;", "&#0;", "]]>", "<![CDATA[", "<!--", "<script>alert(1)</script>",
        "</title>", "?>", "{{7*7}}", "${jndi:ldap://x}", "'; DROP TABLE events; --", "=1+1",
        "=cmd|' /C calc'!A0", "@SUM(A1:A9)", "+49 30 1234", "-5", "null", "NULL", "NaN", "1e9",
        "\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\n", "\nDTSTART:x", ";VALUE=DATE:", "\"\r\n,,\"", "é",
        "e\u{301}", "ß", "ﬃ", "İ", "שלום", "مرحبا", "नमस्ते", "ไทย", "東京", "👩‍👩‍👧‍👦", "🇪🇺", "😀", "Z̷̢̛͔",
        "Concert", " ", "  ", "Café Łódź; jazz, late",
    ]

    private static func event(id: Int64, _ generator: inout SeededGenerator) -> DatedEvent {
        var name = text(maximum: 255, &generator)
        if name.unicodeScalars.allSatisfy(\.properties.isWhitespace) { name = "=" }
        var startedAt = instant(&generator)
        var length = Int64.random(in: -90_000...9_000_000_000, using: &generator)
        let isAllDay = Int.random(in: 0..<4, using: &generator) == 0
        if isAllDay {
            startedAt = day(of: startedAt.milliseconds)
            length = day(of: length).milliseconds
        }
        var attributes = EventAttributes(
            name: name,
            address: Int.random(in: 0..<4, using: &generator) == 0
                ? nil : text(maximum: 1000, &generator),
            coordinate: coordinate(&generator),
            startedAt: startedAt,
            endedAt: Bool.random(using: &generator)
                ? nil
                : min(
                    Timestamp(milliseconds: startedAt.milliseconds + length),
                    isAllDay ? day(of: Timestamp.latest.milliseconds) : .latest
                )
        )
        attributes[.allDay] = isAllDay ? "true" : nil
        for column in EventColumn.details where Bool.random(using: &generator) {
            if let value = detail(column, &generator) { attributes[column] = value }
        }
        return DatedEvent(
            Event(
                id: id,
                ownerID: Int64.random(in: 1...3, using: &generator),
                attributes: attributes
            ),
            createdAt: .at("2026-05-01T10:11:12.345Z"),
            updatedAt: Timestamp(milliseconds: 1_777_777_777_000 + id)
        )
    }

    /// Returns the midnight at or before a time.
    private static func day(of milliseconds: Int64) -> Timestamp {
        let next = Timestamp(milliseconds: milliseconds).nextMidnight.milliseconds
        return Timestamp(milliseconds: next - Timestamp.millisecondsPerDay)
    }

    /// Returns the stored form of a value; nil for columns that other values decide.
    private static func detail(
        _ column: EventColumn,
        _ generator: inout SeededGenerator
    ) -> String? {
        switch column {
        case .allDay: return nil
        case .visibility: return "private"
        case .url, .imageURL:
            let rest = "!$&'()*+,-./:;=?@_~#a1".shuffled(using: &generator)
            return "https://a.example/" + String(rest)
        case .category: return ["music", "live-music", "24h"].randomElement(using: &generator)
        case .status:
            return [nil, "cancelled", "postponed"].randomElement(using: &generator) ?? nil
        case .tags:
            let tags = (0..<3).compactMap { _ in tag(text(maximum: 50, &generator)) }
            return tags.isEmpty ? nil : tags.joined(separator: ",")
        case .data:
            var writer = JSONWriter()
            writer.object { $0.field("a", text(maximum: 100, &generator)) }
            return String(decoding: writer.bytes, as: UTF8.self)
        default:
            let text = text(maximum: column.column.maximumLength, &generator)
            return text.unicodeScalars.allSatisfy(\.properties.isWhitespace) ? nil : text
        }
    }

    /// Returns the stored form of a tag; nil if it breaks a rule.
    private static func tag(_ text: String) -> String? {
        var draft = EventDraft()
        draft[.name] = .text("a")
        draft[.latitude] = .number("0")
        draft[.longitude] = .number("0")
        draft[.startedAt] = .text("2026-06-02")
        draft[.tags] = .list([.text(text)])
        return (try? draft.attributes())?[.tags]
    }

    /// Returns a text made from random parts, cut to a number of scalars.
    private static func text(maximum: Int, _ generator: inout SeededGenerator) -> String {
        let most = Int.random(in: 0..<8, using: &generator) == 0 ? 400 : 6
        let count = Int.random(in: 0...most, using: &generator)
        var scalars = String.UnicodeScalarView()
        for _ in 0..<count {
            let part = parts.randomElement(using: &generator) ?? ""
            scalars.append(contentsOf: part.unicodeScalars)
        }
        return String(String.UnicodeScalarView(scalars.prefix(maximum)))
    }

    /// Returns an instant in the years 1 to 9999, because other programs don't support year 0.
    private static func instant(_ generator: inout SeededGenerator) -> Timestamp {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: .at("0001-01-02T00:00:00Z")
        case 1: .at("9999-12-30T23:59:59.999Z")
        default:
            Timestamp(
                milliseconds: .random(in: 1_500_000_000_000...2_500_000_000_000, using: &generator)
            )
        }
    }

    private static func coordinate(_ generator: inout SeededGenerator) -> Coordinate {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: Coordinate(latitude: 90, longitude: -180)
        case 1: Coordinate(latitude: -90, longitude: 180)
        case 2: Coordinate(latitude: 1e-7, longitude: -1e-300)
        default:
            Coordinate(
                latitude: .random(in: -90...90, using: &generator),
                longitude: .random(in: -180...180, using: &generator)
            )
        }
    }
}
