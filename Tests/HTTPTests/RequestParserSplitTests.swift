import HTTP
import Testing

/// However the bytes arrive, they mean the same.
@Suite struct RequestParserSplitTests {
    @Test(arguments: Corpus.valid)
    func `accepts the corpus of requests`(text: String) {
        let reading = Reading(Array(text.utf8))

        #expect(reading.error == nil)
        #expect(!reading.requests.isEmpty)
        #expect(reading.leftover == 0)
        #expect(reading.phase == .idle)
    }

    @Test(arguments: Corpus.invalid)
    func `refuses the corpus of errors`(text: String) {
        #expect(Reading(Array(text.utf8)).error != nil)
    }

    @Test(arguments: Corpus.valid + Corpus.invalid)
    func `reads bytes that arrive in two parts alike`(text: String) {
        let bytes = Array(text.utf8)
        let whole = Reading(bytes)

        for cut in 0...bytes.count { #expect(Reading(bytes, cuts: [cut]) == whole, "\(cut)") }
    }

    @Test(arguments: Corpus.valid + Corpus.invalid)
    func `reads bytes that arrive one by one alike`(text: String) {
        let bytes = Array(text.utf8)

        #expect(Reading(bytes, cuts: Array(1..<max(bytes.count, 1))) == Reading(bytes))
    }

    @Test(arguments: Corpus.valid)
    func `waits for the rest of every prefix`(text: String) {
        let bytes = Array(text.utf8)
        let whole = Reading(bytes)

        for count in 0..<bytes.count {
            let reading = Reading(Array(bytes.prefix(count)))
            #expect(reading.error == nil, "\(count)")
            #expect(reading.requests.count < whole.requests.count, "\(count)")
            #expect(whole.requests.starts(with: reading.requests), "\(count)")
        }
    }

    @Test(arguments: [(20, 40), (60, 40), (60, 60), (200, 40)])
    func `meets a limit at the same byte however they arrive`(headBytes: Int, targetBytes: Int) {
        var limits = Limits()
        limits.headBytes = headBytes
        limits.targetBytes = targetBytes
        let texts = [
            "GET /\(String(repeating: "a", count: 60)) HTTP/1.1\r\n\r\n",
            "GET /\(String(repeating: "a", count: 60))\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: \(String(repeating: "a", count: 60))\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nA: \(String(repeating: " ", count: 60))\u{0}\r\n\r\n",
        ]

        for bytes in texts.map({ Array($0.utf8) }) {
            let whole = Reading(bytes, limits: limits)
            #expect(Reading(bytes, cuts: Array(1..<bytes.count), limits: limits) == whole)
        }
    }
}
