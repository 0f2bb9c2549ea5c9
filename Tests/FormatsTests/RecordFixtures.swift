import Events
import Model
import Support
import Testing
import Time

@testable import Formats

extension EventRecord {
    /// A valid record; its time is 2030-01-01 and `milliseconds` after it.
    static func picnic(
        id: Int64? = 7,
        ownerID: Int64 = 3,
        name: String = "Picnic",
        address: String? = nil,
        latitude: Double = 37.5,
        longitude: Double = -122.25,
        milliseconds: Int64 = 5,
        endedAt: Int64? = nil
    ) -> EventRecord {
        EventRecord(
            id: id,
            ownerID: ownerID,
            attributes: EventAttributes(
                name: name,
                address: address,
                coordinate: Coordinate(latitude: latitude, longitude: longitude),
                startedAt: Timestamp(milliseconds: 1_893_456_000_000 + milliseconds),
                endedAt: endedAt.map { Timestamp(milliseconds: 1_893_456_000_000 + $0) }
            )
        )
    }
}

extension NumberedRecord where Record == EventRecord {
    static func success(_ number: Int, _ record: EventRecord) -> NumberedRecord<EventRecord> {
        NumberedRecord(number: number, result: .success(record))
    }

    static func failure(_ number: Int, _ reason: String) -> NumberedRecord<EventRecord> {
        NumberedRecord(number: number, result: .failure(RecordError(reason: reason)))
    }
}

/// Reads a whole text, as a file that is read in chunks of `chunkBytes`.
func records(
    in content: some Sequence<UInt8>,
    _ format: RecordFormat,
    chunkBytes: Int = 65_536
) throws -> [NumberedRecord<EventRecord>] {
    let file = try TemporaryFile(content)
    var reader = try RecordReader<EventRecord>(
        path: file.path,
        format: format,
        chunkBytes: chunkBytes
    )
    var records: [NumberedRecord<EventRecord>] = []
    while let record = try reader.next() { records.append(record) }
    #expect(reader.bytesRead == reader.totalBytes)
    return records
}
