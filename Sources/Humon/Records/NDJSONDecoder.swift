import JSON
import Model

/// Reads a JSON object on each line (<https://github.com/ndjson/ndjson-spec>).
///
/// The keys are those of the event object, with the owner as `{"id":1}`, as a number or as
/// `owner_id`. Blank lines are skipped.
struct NDJSONDecoder: RecordDecoder {
    private(set) var number = 0

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

    func decode(_ bytes: Span<UInt8>) -> DecodedRecord {
        guard !isBlank(bytes) else { return .nothing }
        do throws(RecordError) {
            let object = try JSONRecord.object(in: bytes)
            let draft = JSONRecord.draft(
                object,
                latitude: Input(object["lat"]),
                longitude: Input(object["lon"])
            )
            let owner = JSONRecord.owner(in: object)
            let record = try EventRecord(id: Input(object["id"]), owner: owner, draft: draft)
            return .event(.success(record))
        } catch {
            return .event(.failure(error))
        }
    }

    mutating func finish() -> Bool {
        number += 1
        return true
    }

    private func isBlank(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where bytes[index] > UInt8(ascii: " ") { return false }
        return true
    }
}

/// What the formats that are written in JSON have in common.
enum JSONRecord {
    /// Nesting that an event may have; what is deeper is refused.
    private static let maximumDepth = 64

    static func object(in bytes: Span<UInt8>) throws(RecordError) -> JSONObject {
        do throws(JSONError) {
            let value = try JSONParser.parse(bytes, maximumDepth: maximumDepth)
            if case .object(let object) = value { return object }
        } catch {
            throw RecordError(reason: error.message)
        }
        throw RecordError(reason: "The record is not a JSON object")
    }

    static func draft(_ object: JSONObject, latitude: Input, longitude: Input) -> EventDraft {
        EventDraft(
            name: Input(object["name"]),
            address: Input(object["address"]),
            latitude: latitude,
            longitude: longitude,
            startedAt: Input(object["started_at"]),
            endedAt: Input(object["ended_at"])
        )
    }

    static func owner(in object: JSONObject) -> Input {
        switch object["owner"] {
        case .object(let owner): Input(owner["id"])
        case nil: Input(object["owner_id"])
        case let owner?: Input(owner)
        }
    }
}

extension Input {
    /// The value as input; nil, where there is no such key, is absent.
    init(_ value: JSONValue?) {
        self =
            switch value {
            case nil: .absent
            case .null: .null
            case .boolean(let boolean): .boolean(boolean)
            case .number(let number): .number(number.text)
            case .string(let text): .text(text)
            case .array, .object: .structure
            }
    }
}
