import Events
import Testing
import Time
import Words

@Suite struct WordCheckTests {
    private static let list = try? WordList(utf8: Array("spam\nbuy now\nviagra*".utf8))

    private func check(
        _ name: String,
        description: String? = nil,
        replacing former: (name: String, hidden: HidingCause?)? = nil
    ) throws -> WordCheck {
        let list = try #require(Self.list)
        var attributes = Self.attributes(name)
        attributes[.description] = description
        let event = former.map {
            Event(id: 1, ownerID: 1, attributes: Self.attributes($0.name), hidden: $0.hidden)
        }
        return WordCheck(attributes, replacing: event, list)
    }

    private static func attributes(_ name: String) -> EventAttributes {
        EventAttributes(
            name: name,
            coordinate: Coordinate(latitude: 0, longitude: 0),
            startedAt: Timestamp(milliseconds: 0)
        )
    }

    @Test func `hides a new event with blocked words in any text`() throws {
        let check = try check("Spam!", description: "Buy now: spam, Viagras")

        #expect(check.hidden == .words)
        #expect(check.note == "spam, buy now, viagra*")
        #expect(!check.isCleared)
    }

    @Test func `leaves other events alone`() throws {
        let check = try check("Spamalot, buy it now")

        #expect(check.hidden == nil)
        #expect(check.note == nil)
        #expect(!check.isCleared)
    }

    @Test(
        arguments: [
            // An operator has shown it, so the same words don't hide it again, but others do.
            ("spam", nil, "more spam", nil, nil, false),
            ("spam", nil, "spam, buy now", .words, "buy now", false),
            // An edit without words shows it again, and one with words doesn't.
            ("spam", .words, "ham", nil, nil, true),
            ("spam", .words, "buy now", .words, "buy now", false),
            // The note of its report has the words that it has now.
            ("spam, buy now", .words, "spam", .words, "spam", false),
            ("spam", .words, "more spam", .words, nil, false),
            // Words don't change what others have decided.
            ("ham", .admin, "spam", .admin, nil, false), ("spam", .ban, "ham", .ban, nil, false),
            ("ham", nil, "eggs", nil, nil, false),
        ] as [(String, HidingCause?, String, HidingCause?, String?, Bool)]
    )
    func `decides about changes`(
        former: String,
        was: HidingCause?,
        name: String,
        hidden: HidingCause?,
        note: String?,
        isCleared: Bool
    ) throws {
        let check = try check(name, replacing: (former, was))

        #expect(check.hidden == hidden)
        #expect(check.note == note)
        #expect(check.isCleared == isCleared)
    }

    @Test func `cuts a note at 1000 characters`() throws {
        let lines = (1...100).map { "word\($0) is a long entry" }
        let list = try WordList(utf8: Array(lines.joined(separator: "\n").utf8))
        var attributes = Self.attributes("x")
        attributes[.description] = lines.joined(separator: " ")

        let check = WordCheck(attributes, replacing: nil, list)

        #expect(check.note?.unicodeScalars.count == 1000)
    }
}
