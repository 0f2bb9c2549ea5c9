import Bytes
import Formats
import HTTP
import Model
import Randomness
import Testing
import Time

@testable import Web

/// Compares the writers, which work on bytes, with simple ones that work on characters.
@Suite struct TextReferenceTests {
    /// Texts of random parts and lengths, whose special characters are at all offsets in a word.
    private static let texts: [String] = {
        var generator = SeededGenerator(seed: 44)
        let parts: [Unicode.Scalar] = [
            "\r", "\n", "\t", "\0", "\u{1F}", "\u{7F}", "\u{80}", "\u{9F}", "\u{A0}", "\u{BF}",
            "\u{C0}", "\u{FF}", "\\", ";", ",", "\"", "&", "<", ">", "a", " ", "\u{61B}", "\u{61C}",
            "\u{61D}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{2010}", "\u{2029}", "\u{202A}",
            "\u{202E}", "\u{202F}", "\u{2065}", "\u{2066}", "\u{2069}", "\u{206A}", "\u{E9}", "न",
            "東", "\u{D7FF}", "\u{E000}", "\u{EFFF}", "\u{F000}", "\u{FE0F}", "\u{FFBF}",
            "\u{FFFD}", "\u{FFFE}", "\u{FFFF}", "\u{10000}", "😀", "\u{1FFFE}", "\u{10FFFF}",
        ]
        return (0..<4000).map { number in
            var scalars = String.UnicodeScalarView()
            let isDense = number.isMultiple(of: 2)
            for _
                in 0..<Int.random(in: 0...(number.isMultiple(of: 8) ? 400 : 40), using: &generator)
            {
                let isSpecial = isDense || Int.random(in: 0..<9, using: &generator) == 0
                scalars.append(isSpecial ? parts.randomElement(using: &generator) ?? "x" : "x")
            }
            return String(scalars)
        }
    }()

    private static func body(_ format: EventFormat, _ text: String) -> String {
        // With a letter, so that it is visible.
        format.text(of: [.picnic(name: "n" + text, address: "a" + text)])
    }

    @Test func `calendars contain each text as its characters say`() throws {
        for text in Self.texts {
            let place = Self.calendarText("a" + text)
            let title = Self.calendarParameter("a" + text)
            let lines = [
                "SUMMARY:" + Self.calendarText("n" + text), "LOCATION:" + place,
                "GEO:37.760000;-122.430000",
                "X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=100;X-TITLE=\"" + title
                    + "\":geo:37.760000,-122.430000",
            ].map { Self.folded($0) + "\r\n" }

            let body = Self.body(.ics, text)
            #expect(
                Array(body.utf8).contains(Array(lines.joined().utf8)),
                "\(text.debugDescription)"
            )
        }
    }

    @Test func `feeds contain each text as its characters say`() {
        for text in Self.texts {
            let body = Array(Self.body(.atom, text).utf8)
            let xml = Self.xml(text)

            #expect(body.contains(Array("<title>n\(xml)</title>".utf8)), "\(text.debugDescription)")
            #expect(body.contains(Array("Z, a\(xml)</content>".utf8)), "\(text.debugDescription)")
        }
    }

    @Test func `lines contain each text as its characters say`() {
        for text in Self.texts {
            let visible = Self.visible(text)

            let body = Self.body(.txt, text)
            #expect(
                body.utf8.elementsEqual("2030-09-16 12:00Z  #7  n\(visible), a\(visible)\n".utf8),
                "\(text.debugDescription)"
            )
        }
    }

    /// Returns the scalars with each line break as a line feed.
    private static func unixScalars(_ text: String) -> [Unicode.Scalar] {
        let scalars = Array(text.unicodeScalars)
        return scalars.indices.compactMap { index in
            guard scalars[index] == "\r" else { return scalars[index] }
            return index + 1 < scalars.count && scalars[index + 1] == "\n" ? nil : "\n"
        }
    }

    private static func calendarText(_ text: String) -> String {
        string(
            unixScalars(text).flatMap { scalar -> [Unicode.Scalar] in
                switch scalar {
                case "\\", ";", ",": ["\\", scalar]
                case "\n": ["\\", "n"]
                default: scalar.isControl ? [] : [scalar]
                }
            }
        )
    }

    private static func calendarParameter(_ text: String) -> String {
        string(
            unixScalars(text).flatMap { scalar -> [Unicode.Scalar] in
                switch scalar {
                case "\"": ["'"]
                case "\n", "\t": [" "]
                default: scalar.isControl ? [] : [scalar]
                }
            }
        )
    }

    private static func xml(_ text: String) -> String {
        string(
            text.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
                switch scalar {
                case "&": Array("&amp;".unicodeScalars)
                case "<": Array("&lt;".unicodeScalars)
                case ">": Array("&gt;".unicodeScalars)
                case "\r": Array("&#13;".unicodeScalars)
                default: scalar.isXML ? [scalar] : []
                }
            }
        )
    }

    private static func visible(_ text: String) -> String {
        string(
            text.unicodeScalars.map { scalar in
                let isBidirectional =
                    switch scalar.value {
                    case 0x61C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
                    default: false
                    }
                return scalar.isControl || isBidirectional ? "\u{FFFD}" : scalar
            }
        )
    }

    /// Returns a line in lines of at most 75 octets.
    private static func folded(_ line: String) -> String {
        var folded = ""
        var room = 75
        for scalar in line.unicodeScalars {
            let length = UTF8.width(scalar)
            if room < length {
                folded += "\r\n "
                room = 74
            }
            folded.unicodeScalars.append(scalar)
            room -= length
        }
        return folded
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
