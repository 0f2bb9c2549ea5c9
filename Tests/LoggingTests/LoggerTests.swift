import Glibc
import Logging
import Model
import Testing
import Threads

@Suite struct LoggerTests {
    /// What a logger of this format writes when `log` is done.
    private static func lines(_ format: LogFormat, _ log: (Logger) -> Void) throws -> [String] {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let logger = Logger(level: .info, format: format, descriptor: ends[1])
        log(logger)
        logger.flush()
        close(ends[1])
        defer { close(ends[0]) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(ends[0], &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

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
        let lines = try Self.lines(.text) { logger in
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
        let lines = try Self.lines(.json) { logger in
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

    @Test func `writes what was kept back before what is written at once`() throws {
        let lines = try Self.lines(.text) { logger in
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
        let logger = Logger(level: .info, format: .text, descriptor: input)
        let path = "/" + String(repeating: "a", count: 100)

        let writers = try (0..<4).map { _ in
            try Thread {
                for _ in 0..<4000 { logger.log(Self.record(1, path: path)) }
                logger.flushThread()
            }
        }
        let closer = try Thread {
            for writer in writers { writer.join() }
            close(input)
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 3000)
        while true {
            let count = unsafe read(output, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer.prefix(count)
        }
        closer.join()

        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 16_000)
        #expect(Set(lines) == ["1970-01-01T00:00:00.001Z info GET \(path) 200 1234B 5.678ms r1"])
    }

    @Test func `begins a new line after one that has lost its end`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let (output, input) = (ends[0], ends[1])
        try #require(fcntl(input, F_SETFL, O_NONBLOCK) == 0)
        defer {
            close(output)
            close(input)
        }
        let logger = Logger(level: .info, format: .text, descriptor: input)
        var taken = [UInt8](repeating: 0, count: 200_000)

        logger.log(.info, String(repeating: "a", count: 100_000))
        let room = unsafe read(output, &taken, taken.count)
        logger.log(.info, "after")
        logger.log(.info, "last")
        let count = unsafe read(output, &taken, taken.count)

        try #require(room > 0 && room < 100_000 && count > 0)
        let lines = String(decoding: taken.prefix(count), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 4)
        #expect(lines[0] == "")
        #expect(lines[1].hasSuffix(" info after"))
        #expect(lines[2].hasSuffix(" info last"))
        #expect(lines[3] == "")
    }
}
