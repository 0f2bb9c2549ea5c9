import Events
import Model
import Testing

@testable import System
@testable import Formats

@Suite struct RecordReaderTests {
    @Test(arguments: RecordFormat.allCases, [1, 2, 3, 7, 64, 100_000])
    func `reads back what was written, whatever the size of the chunks`(
        format: RecordFormat,
        chunkBytes: Int
    ) throws {
        let read = try records(in: written(events, format), format, chunkBytes: chunkBytes)

        #expect(try read.map { try $0.result.get() } == events)
    }

    @Test(arguments: RecordFormat.allCases)
    func `reads back the deepest data that a server accepts`(format: RecordFormat) throws {
        // LIMIT_JSON_DEPTH is at most 512, and counts the body.
        let brackets = (String(repeating: "[", count: 510), String(repeating: "]", count: 510))
        var attributes = EventRecord.picnic().attributes
        attributes[.data] = #"{"a":"# + brackets.0 + brackets.1 + "}"
        let event = EventRecord(id: 7, ownerID: 3, attributes: attributes)

        let read = try records(in: written([event], format), format)

        #expect(try read.map { try $0.result.get() } == [event])
    }

    @Test(arguments: RecordFormat.allCases)
    func `reads back that there is nothing`(format: RecordFormat) throws {
        #expect(try records(in: written([], format), format) == [])
    }

    @Test func `writes an event as the API shows it`() throws {
        let bytes = written([events[1]], .ndjson)

        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                {"address":"12, \\"Main\\" St\\nü/","ended_at":"2030-01-01T00:00:00.009Z","id":8,\
                "lat":-90.0,"lon":180.0,"name":"Ä,b","started_at":"2030-01-01T00:00:00.000Z",\
                "owner":{"id":9223372036854775807}}

                """
        )
    }

    @Test(arguments: RecordFormat.allCases, [1000, 100_000])
    func `reports a record that is too long and goes on`(
        format: RecordFormat,
        chunkBytes: Int
    ) throws {
        let long = EventRecord.picnic(name: String(repeating: "x", count: 3_000_000))
        let last = events[0]

        let read = try records(
            in: written([events[0], long, last], format),
            format,
            chunkBytes: chunkBytes
        )

        let tooLong = RecordError(reason: "The record is longer than 1048576 bytes")
        #expect(read.count == 3)
        #expect(read[1].result == .failure(tooLong))
        #expect(try read[2].result.get().id == last.id)
    }

    @Test func `takes a record of exactly the greatest length`() throws {
        let limit = RecordReader<EventRecord>.maximumRecordBytes
        let line = written([events[0]], .ndjson).dropLast()
        let fitting = line + Array(repeating: UInt8(ascii: " "), count: limit - line.count - 1)

        let read = try records(in: fitting + [10] + fitting + [32, 10], .ndjson)

        let tooLong = RecordError(reason: "The record is longer than \(limit) bytes")
        #expect(try read[0].result.get().id == events[0].id)
        #expect(read[1].result == .failure(tooLong))
    }

    @Test(
        arguments: [
            ("UTF-16LE", [0xFF, 0xFE], 2, false), ("UTF-16LE", [], 2, false),
            ("UTF-16BE", [0xFE, 0xFF], 2, true), ("UTF-16BE", [], 2, true),
            ("UTF-32LE", [0xFF, 0xFE, 0, 0], 4, false), ("UTF-32LE", [], 4, false),
            ("UTF-32BE", [0, 0, 0xFE, 0xFF], 4, true), ("UTF-32BE", [], 4, true),
        ] as [(String, [UInt8], Int, Bool)],
        [1, 2, 100_000]
    )
    func `refuses other encodings by their names`(
        encoding: (name: String, mark: [UInt8], width: Int, isBigEndian: Bool),
        chunkBytes: Int
    ) {
        let rest = [UInt8](repeating: 0, count: encoding.width - 1)
        let reason = """
            The file is \(encoding.name), but must be UTF-8; \
            `iconv -f \(encoding.name) -t UTF-8 FILE > NEW` converts it
            """
        for format in RecordFormat.allCases {
            let bytes =
                encoding.mark
                + written([.picnic(id: 1)], format).flatMap {
                    encoding.isBigEndian ? rest + [$0] : [$0] + rest
                }
            #expect(throws: RecordFileError(reason: reason)) {
                try records(in: bytes, format, chunkBytes: chunkBytes)
            }
        }
    }

    @Test func `says why a file can't be opened`() {
        let missing = FileError(
            path: "/nowhere",
            reason: "No such file or directory",
            isMissing: true
        )
        #expect(throws: missing) {
            _ = try RecordReader<EventRecord>(path: "/nowhere", format: .csv)
        }
        #expect(throws: FileError(path: "/", reason: "it is a directory")) {
            _ = try RecordReader<EventRecord>(path: "/", format: .csv)
        }
    }

    private let events: [EventRecord] = [
        .picnic(),
        .picnic(
            id: 8,
            ownerID: .max,
            name: "Ä,b",
            address: "12, \"Main\" St\nü/",
            latitude: -90,
            longitude: 180,
            milliseconds: 0,
            endedAt: 9
        ),
        .picnic(id: .max, address: "", latitude: 1e-7, longitude: 0.1 + 0.2),
        .picnic(id: 10, name: "\u{1}\r\n", address: "null"),
    ]

    private func written(_ events: [EventRecord], _ format: RecordFormat) -> [UInt8] {
        var writer = EventRecordWriter(format: format)
        var bytes = writer.head
        for event in events { writer.append(event, to: &bytes) }
        return bytes + writer.tail
    }
}
