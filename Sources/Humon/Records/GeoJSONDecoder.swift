import JSON
import Model
import Web

/// Reads a collection of features that are points (RFC 7946, sections 3.1.2, 3.2 and 3.3).
///
/// A feature's properties are `name`, `address`, `started_at`, `ended_at` and `owner`; its id is
/// the event's. The collection's other members are skipped.
struct GeoJSONDecoder: RecordDecoder {
    private(set) var number = 0
    private let ownerID: Int64?
    private var scanner = FeatureCollectionScanner()

    /// - Parameter ownerID: The owner of events without one; nil if each must have its own.
    init(ownerID: Int64? = nil) {
        self.ownerID = ownerID
    }

    mutating func segment(
        _ bytes: Span<UInt8>,
        from offset: Int
    ) throws(RecordFileError) -> Segment {
        var index = offset
        while index < bytes.count {
            if index > offset, scanner.beginsFeature(bytes[index]) { return .gap(end: index) }
            if scanner.endsScalar(bytes[index]) {
                number += 1
                return .record(end: index)
            }
            let isEnd = try scanner.step(bytes[index])
            index += 1
            if isEnd {
                number += 1
                return .record(end: index)
            }
        }
        return scanner.isInFeature || index == offset ? .needsMore : .gap(end: index)
    }

    func decode(_ bytes: Span<UInt8>) -> DecodedRecord<EventRecord> {
        do throws(RecordError) {
            return .record(.success(try record(of: JSONRecord.object(in: bytes))))
        } catch {
            return .record(.failure(error))
        }
    }

    func finish() throws(RecordFileError) -> Bool {
        try scanner.finish()
        return false
    }

    private func record(of feature: JSONObject) throws(RecordError) -> EventRecord {
        guard feature["type"] == .string("Feature"),
            case .object(let geometry)? = feature["geometry"],
            geometry["type"] == .string("Point"),
            case .array(let position)? = geometry["coordinates"],
            let longitude = position.first, let latitude = position.dropFirst().first
        else { throw RecordError(reason: "The record is not a Feature with a Point") }
        guard case .object(let properties)? = feature["properties"] else {
            throw RecordError(reason: "The feature has no properties")
        }
        let draft = JSONRecord.draft(
            properties,
            latitude: Input(latitude),
            longitude: Input(longitude)
        )
        return try EventRecord(
            id: Input(feature["id"] ?? properties["id"]),
            owner: JSONRecord.reference("owner", in: properties),
            orElse: ownerID,
            draft: draft
        )
    }
}
