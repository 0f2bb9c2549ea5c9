import JSON
import SQLiteStorage

/// A record that is read from a file into the storage, and the other way round.
protocol TransferRecord: Equatable, Sendable {
    static var kind: RecordKind { get }

    /// The id that it has or must have; nil for a new one.
    var id: Int64? { get }

    /// What reads such records in one of their kind's formats; those that have an owner and name
    /// none get this one.
    static func decoder(for format: RecordFormat, ownerID: Int64?) -> any RecordDecoder<Self>

    /// What writes them so that the decoder reads them.
    static func writer(for format: RecordFormat) -> any RecordWriter<Self>

    /// Stores records and returns what became of each, in their order; those behind the first that
    /// is not stored, if strict, are left alone and have no result.
    static func store(
        _ records: [Self],
        isStrict: Bool,
        in session: TransferSession
    ) throws -> [ImportResult]

    /// The stored records with the lowest ids above `id`, in their order, `limit` at most.
    static func stored(after id: Int64, limit: Int, in session: TransferSession) throws -> [Self]
}

/// A record that is kept as lines of JSON alone.
protocol JSONTransferRecord: TransferRecord {
    /// The record that the object of a line describes; throws every rule that is broken.
    init(_ object: JSONObject) throws(RecordError)

    /// Writes the object of its line.
    func write(to json: inout JSONWriter)
}

extension JSONTransferRecord {
    static func decoder(for format: RecordFormat, ownerID: Int64?) -> any RecordDecoder<Self> {
        NDJSONDecoder { object throws(RecordError) in try Self(object) }
    }

    static func writer(for format: RecordFormat) -> any RecordWriter<Self> {
        NDJSONWriter<Self>()
    }
}

/// Writes records in one format: the file is `head`, each record and `tail`.
protocol RecordWriter<Record> {
    associatedtype Record

    /// What stands before the records.
    var head: [UInt8] { get }
    /// What stands after the records.
    var tail: [UInt8] { get }

    /// Appends one record.
    mutating func append(_ record: Record, to bytes: inout [UInt8])
}

/// Writes the object of each record on a line.
private struct NDJSONWriter<Record: JSONTransferRecord>: RecordWriter {
    let head: [UInt8] = []
    let tail: [UInt8] = []

    func append(_ record: Record, to bytes: inout [UInt8]) {
        var writer = JSONWriter()
        record.write(to: &writer)
        writer.append(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }
}
