import JSON
package import Model

/// A record that can be read from a file and written to one.
package protocol FileRecord: TransferRecord {
    static var kind: RecordKind { get }

    /// Returns a decoder for one of the kind's formats.
    ///
    /// The defaults are those of events; other records have none.
    static func decoder(for format: RecordFormat, _ defaults: EventDefaults) -> any RecordDecoder<
        Self
    >

    /// Returns a writer for one of the kind's formats, whose output the decoder reads.
    static func writer(for format: RecordFormat) -> any RecordWriter<Self>
}

/// A record whose only file format is lines of JSON.
protocol JSONFileRecord: FileRecord {
    /// Reads the record from the object of a line, and throws every rule that is broken.
    init(_ object: JSONObject) throws(RecordError)

    /// Writes the object of its line.
    func write(to json: inout JSONWriter)
}

extension JSONFileRecord {
    static func decoder(for format: RecordFormat, _ defaults: EventDefaults) -> any RecordDecoder<
        Self
    > {
        NDJSONDecoder { object throws(RecordError) in try Self(object) }
    }

    static func writer(for format: RecordFormat) -> any RecordWriter<Self> {
        NDJSONWriter<Self>()
    }
}

/// A writer of records in one format: the file is `head`, the records and `tail`.
package protocol RecordWriter<Record> {
    associatedtype Record

    /// The bytes before the records.
    var head: [UInt8] { get }
    /// The bytes after the records.
    var tail: [UInt8] { get }

    /// Appends one record.
    mutating func append(_ record: Record, to bytes: inout [UInt8])
}

/// A writer of each record's JSON object on a line.
private struct NDJSONWriter<Record: JSONFileRecord>: RecordWriter {
    let head: [UInt8] = []
    let tail: [UInt8] = []

    func append(_ record: Record, to bytes: inout [UInt8]) {
        JSONWriter.append(to: &bytes) { record.write(to: &$0) }
        bytes.append(UInt8(ascii: "\n"))
    }
}
