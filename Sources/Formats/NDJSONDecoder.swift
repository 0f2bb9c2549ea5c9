import Events
import JSON
import Model
import Rules

/// A decoder for a JSON object on each line (<https://github.com/ndjson/ndjson-spec>).
///
/// Blank lines are skipped, and so is the record separator before a line (RFC 8142).
struct NDJSONDecoder<Record: Equatable & Sendable>: RecordDecoder {
    private(set) var number = 0
    private let make: (JSONObject) throws(RecordError) -> Record

    /// Creates a decoder.
    ///
    /// - Parameter make: Makes the record from a line's object.
    init(_ make: @escaping (JSONObject) throws(RecordError) -> Record) {
        self.make = make
    }

    mutating func segment(_ bytes: Span<UInt8>, from offset: Int) -> Segment {
        var index = offset
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\n") {
                number += 1
                return .record(end: index + 1)
            }
            index += 1
        }
        return .needsMore
    }

    func decode(_ bytes: Span<UInt8>) -> DecodedRecord<Record> {
        // An error at the end of the line must not be reported on the next line.
        var end = bytes.count
        while end > 0, bytes[end - 1] <= UInt8(ascii: " ") { end -= 1 }
        let start = end > 0 && bytes[0] == 0x1E ? 1 : 0
        guard end > start else { return .nothing }
        do throws(RecordError) {
            let object = try JSONRecord.object(in: bytes.extracting(start..<end), isLine: true)
            return .record(.success(try make(object)))
        } catch {
            return .record(.failure(error))
        }
    }

    mutating func finish() -> Bool {
        number += 1
        return true
    }
}

/// Functions that the JSON formats share.
enum JSONRecord {
    /// The maximum nesting of an event's data: in a body, it is one level deeper.
    static let maximumDataDepth = JSONParser.greatestDepth - 2

    /// Parses an object; for a line of a file, syntax errors contain only the column.
    static func object(
        in bytes: Span<UInt8>,
        isLine: Bool = false
    ) throws(RecordError) -> JSONObject {
        do throws(JSONError) {
            let value = try JSONParser.parse(bytes, maximumDepth: JSONParser.greatestDepth)
            if case .object(let object) = value { return object }
        } catch {
            let column = "Malformed JSON at column \(error.column): \(error.problem)"
            throw RecordError(reason: isLine ? column : error.message)
        }
        throw RecordError(reason: "The record is not a JSON object")
    }

    /// Returns the draft of an event whose fields are members of an object.
    static func draft(_ object: JSONObject) -> EventDraft {
        var draft = EventDraft()
        for field in EventField.attributes {
            if let column = field.column { draft[column] = Input(object[field.rawValue]) }
        }
        return draft
    }

    /// Returns the id that a record refers to by a key such as `owner`.
    ///
    /// It is under `owner`, as `{"id":1}` or as a number, or under `owner_id`.
    static func reference(_ key: String, in object: JSONObject) -> Input {
        switch object[key] {
        case .object(let target): Input(target["id"])
        case nil: Input(object[key + "_id"])
        case let target?: Input(target)
        }
    }
}

extension EventRecord {
    /// Reads the event from a line's object.
    ///
    /// The keys are those of an event in the API, with the owner as `{"id":1}`, as a number or as
    /// `owner_id`. A line can also be a GeoJSON feature.
    init(line object: JSONObject, _ defaults: EventDefaults = EventDefaults()) throws(RecordError) {
        switch object["type"] {
        case .string("Feature"):
            try self.init(feature: object, defaults)
            return
        case .string("FeatureCollection"):
            throw RecordError(
                reason: "The line is a FeatureCollection; use --format geojson for such a file"
            )
        default: break
        }
        try self.init(
            id: Input(object["id"]),
            owner: JSONRecord.reference("owner", in: object),
            defaults,
            draft: JSONRecord.draft(object),
            hidden: Input(object["hidden"])
        )
    }
}
