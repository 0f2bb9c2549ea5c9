import HTTP
import JSON
import Testing

@testable import Web

@Suite struct ListBodyTests {
    /// A list of texts of this size.
    private static func list(of count: Int, bytes: Int) -> ListBody {
        let text = String(repeating: "x", count: bytes)
        return .json(
            (0..<count).map { "\($0)\(text)" },
            ending: "\n",
            in: { json, list in
                json.object {
                    $0.field("count", count)
                    $0.key("list")
                    list(&$0)
                    $0.field("next", nil as String?)
                }
            }
        ) { text, json in json.value(text) }
    }

    @Test(arguments: [0, 1, 19, 20, 21, 40, 45])
    func `writes a document with the same bytes in any number of parts`(count: Int) async {
        let texts = (0..<count).map { "\"\($0)\"" }.joined(separator: ",")
        let document = #"{"count":\#(count),"list":[\#(texts)],"next":null}"# + "\n"
        let list = Self.list(of: count, bytes: 0)

        let response = await list.response(.ofJSON)

        #expect(String(decoding: list.bytes, as: UTF8.self) == document)
        #expect(response.body == list.bytes)
        #expect(response.headers["content-type"] == "application/json; charset=utf-8")
        #expect(response.rendering.pauses == 0)
    }

    @Test func `lets other tasks in after each turn of a long list`() async {
        // Each part of 20 texts ends a turn, and the hash of the whole list is a turn of its own.
        let list = Self.list(of: 200, bytes: ListBody.bytesInTurn / 20)
        let turns = await Self.turns(of: list)

        #expect(turns == 10)
    }

    @Test func `writes a short list in one turn`() async {
        #expect(await Self.turns(of: Self.list(of: 1000, bytes: 50)) == 0)
    }

    /// The turns of other tasks.
    @MainActor private final class Turns {
        var count = 0
        var areOver = false
    }

    /// Returns how often other tasks could run before a response was complete.
    @MainActor
    private static func turns(of list: ListBody) async -> Int {
        let turns = Turns()
        let other = Task { @MainActor in
            while !turns.areOver {
                turns.count += 1
                await Task.yield()
            }
        }
        let response = await list.response(.ofJSON)
        let result = turns.count
        turns.areOver = true
        await other.value
        #expect(response.body == list.bytes)
        return result
    }
}
