import JSON
package import Model

/// A record that is read from a file and written to one.
package protocol FileRecord: TransferRecord {
    static var kind: RecordKind { get }

    /// What reads such records in one of their kind's formats; those that have an owner and name
    /// none get this one.
    static func decoder(for format: RecordFormat, ownerID: Int64?) -> any RecordDecoder<Self>

    /// What writes them so that the decoder reads them.
    static func writer(for format: RecordFormat) -> any RecordWriter<Self>
}

/// A record that is kept as lines of JSON alone.
protocol JSONFileRecord: FileRecord {
    /// The record that the object of a line describes; throws every rule that is broken.
    init(_ object: JSONObject) throws(RecordError)

    /// Writes the object of its line.
    func write(to json: inout JSONWriter)
}

extension JSONFileRecord {
    static func decoder(for format: RecordFormat, ownerID: Int64?) -> any RecordDecoder<Self> {
        NDJSONDecoder { object throws(RecordError) in try Self(object) }
    }

    static func writer(for format: RecordFormat) -> any RecordWriter<Self> {
        NDJSONWriter<Self>()
    }
}

/// Writes records in one format: the file is `head`, each record and `tail`.
package protocol RecordWriter<Record> {
    associatedtype Record

    /// What stands before the records.
    var head: [UInt8] { get }
    /// What stands after the records.
    var tail: [UInt8] { get }

    /// Appends one record.
    mutating func append(_ record: Record, to bytes: inout [UInt8])
}

/// Writes the object of each record on a line.
private struct NDJSONWriter<Record: JSONFileRecord>: RecordWriter {
    let head: [UInt8] = []
    let tail: [UInt8] = []

    func append(_ record: Record, to bytes: inout [UInt8]) {
        var writer = JSONWriter()
        record.write(to: &writer)
        writer.append(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }
}
