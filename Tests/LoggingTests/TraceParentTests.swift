import Logging
import Testing
import Time

/// Which headers have ids; `TraceParentSpec` has the requests with them.
@Suite struct TraceParentTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"
    private static let valid = "00-\(trace)-\(parent)-01"
    /// Returns whether a header has the form without rest that W3C Trace Context describes.
    private static func hasForm(_ header: String) -> Bool {
        let form =
            /(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}/
        return header.wholeMatch(of: form) != nil
    }

    private static func isValid(_ header: String) -> Bool {
        TraceParent(header) != nil
    }

    @Test(arguments: 0..<55)
    func `accepts at each place only what the form allows`(place: Int) {
        for other in UInt8.min..<0x80 {
            var bytes = Array(Self.valid.utf8)
            bytes[place] = other
            let header = String(decoding: bytes, as: UTF8.self)

            #expect(Self.isValid(header) == Self.hasForm(header), "\(header)")
        }
    }

    @Test func `needs the whole header`() {
        for count in 0..<55 { #expect(!Self.isValid(String(Self.valid.prefix(count)))) }
        #expect(Self.isValid(Self.valid))
        for scalar in UInt8.min..<0x80 {
            #expect(!Self.isValid(Self.valid + String(UnicodeScalar(scalar))))
        }
    }

    @Test func `needs a digit of each id that is not zero`() {
        for (id, header) in [
            (32, { (id: String) in "00-\(id)-\(Self.parent)-01" }),
            (16, { (id: String) in "00-\(Self.trace)-\(id)-01" }),
        ] {
            #expect(!Self.isValid(header(String(repeating: "0", count: id))))
            for place in 0..<id {
                let zeros = (place, id - place - 1)
                let digits =
                    String(repeating: "0", count: zeros.0) + "1"
                    + String(repeating: "0", count: zeros.1)
                #expect(Self.isValid(header(digits)))
            }
        }
    }

    @Test func `is not valid with characters of several bytes`() {
        for character: Character in ["é", "€", "😀", "０"] {
            for place in 0..<Self.valid.count {
                var characters = Array(Self.valid)
                characters[place] = character
                #expect(!Self.isValid(String(characters)))
                #expect(!Self.isValid(String(String(characters).prefix(54))))
            }
        }
    }

    @Test(
        arguments: [
            ("-", true), ("-a", true), ("-é", true), ("--", true), ("-00-00", true),
            ("-" + String(repeating: "a", count: 8000), true), ("a", false), ("1", false),
            ("_", false), ("é", false), (",", false), ("-,", false), ("-a,b", false),
            ("-" + String(repeating: "a", count: 8000) + ",", false),
        ]
    )
    func `may be longer in a later version`(rest: String, isValid: Bool) {
        for version in ["01", "10", "cc", "fe", "0f", "f0"] {
            #expect(Self.isValid(version + Self.valid.dropFirst(2) + rest) == isValid)
        }
        for version in ["00", "ff"] {
            #expect(!Self.isValid(version + Self.valid.dropFirst(2) + rest))
        }
    }

    @Test(
        arguments: [
            (
                LogFormat.json,
                #","request_id":"r","trace_id":"\#(trace)","parent_id":"\#(parent)"}"#
            ),
            (LogFormat.text, " r trace=\(trace)"),
        ]
    )
    func `has its ids in the line of a request`(format: LogFormat, end: String) throws {
        let later = "cc-\(Self.trace)-\(Self.parent)-ff-" + String(repeating: "0", count: 100)
        let lines = try LogPipe.lines(format) { logger in
            for header in [Self.valid, later, "00"] {
                logger.log(
                    RequestRecord(
                        time: Timestamp(milliseconds: 1),
                        method: "GET",
                        path: "/",
                        status: 200,
                        bytes: 0,
                        microseconds: 0,
                        requestID: "r",
                        trace: TraceParent(header)
                    )
                )
            }
        }

        try #require(lines.count == 3)
        #expect(lines[0].hasSuffix(end) && lines[1].hasSuffix(end) && !lines[2].hasSuffix(end))
        #expect(lines[0] == lines[1])
    }

    @Test(
        arguments: [
            (
                LogFormat.json,
                #","message":"m","request_id":"r","trace_id":"\#(trace)","#
                    + #""parent_id":"\#(parent)","a":"b"}"#
            ), (LogFormat.text, " warning m request_id=r trace=\(trace) a=b"),
        ]
    )
    func `has its ids in other lines`(format: LogFormat, end: String) throws {
        let request = LoggedRequest(id: "r", trace: TraceParent(Self.valid))
        let lines = try LogPipe.lines(format) { logger in
            logger.log(.warning, "m", of: request, ["a": "b"])
        }

        try #require(lines.count == 1)
        #expect(lines[0].hasSuffix(end))
    }

    @Test func `is not read for a line that is not written`() throws {
        func request(_ isRead: inout Bool) -> LoggedRequest? {
            isRead = true
            return nil
        }
        var (isReadForDebug, isReadForInfo) = (false, false)
        let lines = try LogPipe.lines(.text) { logger in
            logger.log(.debug, "debug", of: request(&isReadForDebug))
            logger.log(.info, "info", of: request(&isReadForInfo))
        }

        #expect(lines.count == 1)
        #expect(!isReadForDebug && isReadForInfo)
    }
}
