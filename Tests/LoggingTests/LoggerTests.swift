import Glibc
import Logging
import Testing
import System
import Time

@Suite struct LoggerTests {
    private static func record(_ milliseconds: Int64, path: String = "/a") -> RequestRecord {
        RequestRecord(
            time: Timestamp(milliseconds: milliseconds),
            method: "GET",
            path: path,
            status: 200,
            bytes: 1234,
            microseconds: 5678,
            requestID: "r1"
        )
    }

    @Test func `gives each request the time that it has`() throws {
        let lines = try LogPipe.lines(.text) { logger in
            for milliseconds: Int64 in [1, 1, 1000, 1] { logger.log(Self.record(milliseconds)) }
        }

        #expect(
            lines == [
                "1970-01-01T00:00:00.001Z info GET /a 200 1234B 5.678ms r1",
                "1970-01-01T00:00:00.001Z info GET /a 200 1234B 5.678ms r1",
                "1970-01-01T00:00:01.000Z info GET /a 200 1234B 5.678ms r1",
                "1970-01-01T00:00:00.001Z info GET /a 200 1234B 5.678ms r1",
            ]
        )
    }

    @Test func `writes a request as an object`() throws {
        let lines = try LogPipe.lines(.json) { logger in
            logger.log(Self.record(-1, path: "/\"\\\u{1}\u{9B}é"))
        }

        #expect(
            lines == [
                #"{"time":"1969-12-31T23:59:59.999Z","level":"info","method":"GET","#
                    + #""path":"/\"\\??é","status":200,"bytes":1234,"duration_ms":5.678,"#
                    + #""request_id":"r1"}"#
            ]
        )
    }

    @Test(arguments: [LogFormat.json, .text])
    func `replaces only what would break a line`(format: LogFormat) throws {
        let scalars = (0...0x17F).compactMap(UnicodeScalar.init) + ["€", "😀", "\u{2028}"]
        let long = String(repeating: "a", count: 5000)
        let paths =
            [("", ""), ("\"\\", "\"\\"), (long, long), (long + "\n", long + "?")]
            + scalars.map { scalar in
                let isControl = scalar.properties.generalCategory == .control
                return ("/a\(scalar)b", "/a\(isControl ? "?" : String(scalar))b")
            }

        let lines = try LogPipe.lines(format) { logger in
            for (path, _) in paths { logger.log(Self.record(1, path: path)) }
        }

        let expected = paths.map { _, path in
            let escaped = path.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
            return format == .text
                ? "1970-01-01T00:00:00.001Z info GET \(path) 200 1234B 5.678ms r1"
                : #"{"time":"1970-01-01T00:00:00.001Z","level":"info","method":"GET","#
                    + #""path":"\#(escaped)","status":200,"bytes":1234,"duration_ms":5.678,"#
                    + #""request_id":"r1"}"#
        }
        #expect(lines == expected)
    }

    @Test func `writes what was kept back before what is written at once`() throws {
        let lines = try LogPipe.lines(.text) { logger in
            logger.log(Self.record(1))
            logger.log(.warning, "late")
        }

        try #require(lines.count == 2)
        #expect(lines[0].hasSuffix("r1"))
        #expect(lines[1].hasSuffix(" warning late"))
    }

    @Test func `threads never write into each other's lines`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let (output, input) = (ends[0], ends[1])
        defer { close(output) }
        let logger = try Logger(level: .info, format: .text, descriptor: input)
        let path = "/" + String(repeating: "a", count: 100)

        let writers = try (0..<4).map { _ in
            try POSIXThread {
                for _ in 0..<4000 { logger.log(Self.record(1, path: path)) }
                logger.flushThread()
            }
        }
        let closer = try POSIXThread {
            for writer in writers { writer.join() }
            logger.flush()
            logger.close()
            close(input)
        }
        let text = LogPipe.text(from: output)
        closer.join()

        let lines = text.split(separator: "\n")
        #expect(lines.count == 16_000)
        #expect(Set(lines) == ["1970-01-01T00:00:00.001Z info GET \(path) 200 1234B 5.678ms r1"])
    }

    @Test func `waits for room where the descriptor does not block`() throws {
        let pipe = try LogPipe()
        try #require(fcntl(pipe.input, F_SETFL, O_NONBLOCK) == 0)
        let logger = try Logger(level: .info, format: .text, descriptor: pipe.input)
        let message = String(repeating: "a", count: 200_000)

        logger.log(.info, message)
        logger.log(.info, "last")
        let text = try pipe.text(whenClosed: logger)

        let lines = text.split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[0].hasSuffix(" info \(message)"))
        #expect(lines[1].hasSuffix(" info last"))
        #expect(logger.droppedLines == 0)
    }

    @Test func `drops what there is no room for, and says how much`() throws {
        let pipe = try LogPipe()
        let count = 20_000
        let logger = try Logger(
            level: .info,
            format: .text,
            bufferBytes: 100_000,
            descriptor: pipe.input
        )

        for index in 0..<count { logger.log(Self.record(1, path: "/\(index)")) }
        logger.flushThread()
        let dropped = logger.droppedLines
        let text = try pipe.text(whenClosed: logger)

        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        let indices = lines.filter { $0[2] == "GET" }.compactMap { Int($0[3].dropFirst()) }
        let reports = lines.filter { $0[2] != "GET" }
        #expect(dropped > count / 2 && logger.droppedLines == dropped)
        #expect(indices.count == count - dropped)
        #expect(indices == Set(indices).sorted() && indices.first == 0)
        let prefix = "warning log lines dropped: the reader of the log was too slow or failed "
        #expect(reports.allSatisfy { $0.dropFirst().joined(separator: " ").hasPrefix(prefix) })
        let counts = reports.flatMap { $0 }.filter { $0.hasPrefix("lines=") }
        #expect(counts.compactMap { Int($0.dropFirst(6)) }.reduce(0, +) == dropped)
        #expect(lines.last.map { Array($0.suffix(2)) } == ["failed", "total=\(dropped)"])
    }

    @Test func `ends although nobody reads`() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = try LogPipe()
        let logger = try Logger(level: .info, format: .text, descriptor: pipe.input)

        for _ in 0..<4 { logger.log(.info, String(repeating: "a", count: 100_000)) }
        logger.close()
        logger.log(.info, "late")
        logger.close()

        #expect(logger.droppedLines == 1)
    }

    @Test func `begins a new line after one that has lost its end`() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = try LogPipe()
        let logger = try Logger(level: .info, format: .text, descriptor: pipe.input)

        // The reader goes away in the middle of a line, and another one comes.
        logger.log(.info, String(repeating: "a", count: 1_000_000))
        var byte: UInt8 = 0
        try #require(unsafe read(pipe.output, &byte, 1) == 1)
        pipe.closeOutput()
        while logger.droppedLines == 0 { sched_yield() }
        try pipe.openOutput()
        logger.log(.info, "after")
        let text = try pipe.text(whenClosed: logger)

        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 5)
        #expect(lines[0].hasSuffix("aaa") && lines[0].utf8.count < 1_000_000)
        #expect(lines[1].hasSuffix(" info after"))
        #expect(lines[2].hasSuffix(" lines=1 total=1"))
        #expect(lines[3].hasSuffix(" failed total=1"))
        #expect(lines[4] == "")
    }

    @Test func `counts what can't be written`() throws {
        let descriptor = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let logger = try Logger(level: .info, format: .text, descriptor: descriptor)

        for _ in 0..<3 { logger.log(Self.record(1)) }
        logger.log(.info, "last")
        logger.flush()
        #expect(logger.droppedLines == 4)
        logger.close()
    }
}
