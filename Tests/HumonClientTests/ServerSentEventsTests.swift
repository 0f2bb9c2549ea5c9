import Testing

@testable import HumonClient

/// The parser of streams of changes.
@Suite struct ServerSentEventsTests {
    private typealias Block = ServerSentEvents.Block

    private func blocks(_ parts: [some Collection<UInt8>]) throws -> [Block] {
        var parser = ServerSentEvents()
        return try parts.flatMap { part throws(HumonError) in try parser.add(part) }
    }

    private static let stream =
        "retry: 700\n\nevent: reset\ndata: {}\n\n: a comment\nid: 1\n\n"
        + "event: change\r\nid:2\r\ndata: {\"name\":\"Caf\u{E9} \u{2028} \u{1F3B5}\"}\r\n\r\n"
        + "data:a\rdata:  b\r\rid\ndata\n\nunknown: x\nevent: ready\nid: 3\n\nevent: cut"

    private static let expected = [
        Block(event: "reset", data: "{}"), Block(id: "1"),
        Block(event: "change", data: "{\"name\":\"Caf\u{E9} \u{2028} \u{1F3B5}\"}", id: "2"),
        Block(data: "a\n b"), Block(id: ""), Block(event: "ready", id: "3"),
    ]

    @Test func `reads blocks, wherever the stream is split`() throws { try splitStream(copies: 2) }

    /// Parses copies of the stream in two parts, for each place between them.
    func splitStream(copies: Int) throws {
        let streams = repeatElement(Self.stream, count: copies).joined(separator: "\n\n")
        let bytes = Array(streams.utf8)
        let expected = Array(
            repeatElement(Self.expected, count: copies).joined(separator: [Block(event: "cut")])
        )

        #expect(try blocks([bytes]) == expected)
        #expect(try blocks(bytes.map { [$0] }) == expected)
        for count in bytes.indices {
            let parts = [bytes[..<count], bytes[count...]]
            #expect(try blocks(parts) == expected, "\(count)")
        }
    }

    @Test func `reads the pause before the next connection`() throws {
        var parser = ServerSentEvents()

        _ = try parser.add("retry: 700\nretry: x\n".utf8)
        #expect(parser.retry == 700)
        _ = try parser.add("retry: -1\n".utf8)
        #expect(parser.retry == 0)
        _ = try parser.add("retry: 99999999999\n".utf8)
        #expect(parser.retry == 3_600_000)
    }

    @Test func `rejects a line without an end`() {
        var parser = ServerSentEvents()

        let error = #expect(throws: HumonError.self) {
            _ = try parser.add(repeatElement(65, count: ServerSentEvents.mostBytes + 1))
        }
        #expect(error?.kind == .decoding)
    }

    @Test func `accepts any bytes`() throws { try parseRandomStreams(20_000) }

    /// Parses streams of random bytes, whose blocks must not depend on how they are split.
    func parseRandomStreams(_ count: Int) throws {
        let alphabet = Array("event:data:id:retry: \r\n\r\n\n\n0\u{FEFF}\u{E9}".utf8) + [0, 255]
        for _ in 0..<count {
            let bytes = (0..<Int.random(in: 0...60)).compactMap { _ in alphabet.randomElement() }
            let whole = try blocks([bytes])
            #expect(try blocks(bytes.map { [$0] }) == whole, "\(bytes)")
        }
    }
}
