import Foundation
import HumonClient
import Testing

/// 10,000 events of all years, with any texts and data.
@Suite struct ManyEventsTests {
    private static let count = 10_000

    /// Numbers that are the same for the same seed (SplitMix64).
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = state
            bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
            return bits ^ (bits >> 31)
        }
    }

    private struct Item: Codable {
        let text: String
        let number: Decimal
        let list: [Int64?]
        let more: [String: Bool]
    }

    private static func date(_ generator: inout Generator) -> Date {
        let range = -62_167_219_200_000...253_402_300_799_999
        let milliseconds = Int.random(in: range, using: &generator)
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    private static func text(_ generator: inout Generator) -> String {
        let pieces = [
            "a", "é", "e\u{301}", "😀", "👩‍👩‍👧", "\"", "\\", "/", "<b>", "&", "中文", "עברית", "\u{2028}",
            "'", "%", "+",
            "\u{7F}", "\u{FEFF}b", "0",
        ]
        let words = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
            pieces[Int.random(in: pieces.indices, using: &generator)]
        }
        return "x" + words.joined() + "x"
    }

    private static func draft(_ number: Int, seed: UInt64) throws -> EventDraft {
        var generator = Generator(state: seed &+ UInt64(number))
        func sometimes<Value>(_ value: Value) -> Value? {
            Bool.random(using: &generator) ? value : nil
        }
        let place = Coordinate(
            latitude: .random(in: -90...90, using: &generator),
            longitude: .random(in: -180..<180, using: &generator)
        )
        let (one, other) = (date(&generator), date(&generator))
        var draft = EventDraft(name: text(&generator), at: place, startedAt: min(one, other))
        draft.endedAt = sometimes(max(one, other))
        draft.address = sometimes(text(&generator))
        draft.description = sometimes(text(&generator))
        draft.url = sometimes(try #require(URL(string: "https://a.example/\(number)?x=%C3%A9")))
        draft.imageURL = sometimes(try #require(URL(string: "https://a.example/\(number).png")))
        draft.category = sometimes("music-\(number % 7)")
        draft.tags = sometimes(["a\(number)", "jazz"]) ?? []
        draft.status = [.scheduled, .cancelled, .postponed][number % 3]
        draft.seriesID = sometimes("s\(number % 5)")
        let significand = Int64.random(in: -(1 << 53)...(1 << 53), using: &generator)
        draft.data = sometimes(
            try EventData(
                Item(
                    text: text(&generator),
                    number: Decimal(significand) / 1000,
                    list: [.min, nil, .max],
                    more: [text(&generator): true]
                )
            )
        )
        return draft
    }

    @Test(.timeLimit(.minutes(10)))
    func `are read as they were written`() async throws {
        let server = try Server()
        let humon = try await server.newUser()
        let seed = UInt64.random(in: 0...UInt64.max)
        var drafts: [Event.ID: EventDraft] = [:]
        try await withThrowingTaskGroup(of: (Event.ID, EventDraft).self) { group in
            for number in 0..<Self.count {
                if number >= 16, let (id, draft) = try await group.next() { drafts[id] = draft }
                group.addTask {
                    let draft = try Self.draft(number, seed: seed)
                    return (try await humon.events.create(draft), draft)
                }
            }
            for try await (id, draft) in group { drafts[id] = draft }
        }
        let proxy = try FaultProxy(before: server)
        let reader = server.client(at: proxy.url)

        var seen: Set<Event.ID> = []
        for try await event in reader.events.search(.all.status(.any)) {
            seen.insert(event.id)
            #expect(event.draft == drafts[event.id], "seed \(seed)")
        }

        #expect(drafts.count == Self.count)
        #expect(seen == Set(drafts.keys))
        #expect(try await proxy.log().requests.count == Self.count / 100)
        for (id, draft) in drafts.prefix(50) {
            #expect(try await humon.events.event(id).draft == draft, "seed \(seed)")
        }
    }
}

extension Event {
    /// The event as it was written.
    fileprivate var draft: EventDraft {
        var draft = EventDraft(name: name, at: coordinate, startedAt: startedAt, endedAt: endedAt)
        draft.address = address
        draft.description = description
        draft.url = url
        draft.imageURL = imageURL
        draft.category = category
        draft.tags = tags
        draft.status = status
        draft.isAllDay = isAllDay
        draft.seriesID = seriesID
        draft.data = data
        return draft
    }
}
