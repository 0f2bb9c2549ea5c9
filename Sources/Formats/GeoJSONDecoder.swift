import Events
import JSON
import Model
import Rules

/// A decoder for features that are points (RFC 7946, sections 3.1.2, 3.2 and 3.3).
///
/// The properties of a feature are `name`, `address`, `started_at`, `ended_at` and `owner`. Its id
/// is the event's. Other members of the collection are skipped.
struct GeoJSONDecoder: RecordDecoder {
    private(set) var number = 0
    private let defaults: EventDefaults
    private var scanner = FeatureCollectionScanner()

    /// Creates a decoder.
    ///
    /// - Parameter defaults: What to do with values that are missing or not wanted.
    init(_ defaults: EventDefaults = EventDefaults()) {
        self.defaults = defaults
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
            let feature = try JSONRecord.object(in: bytes)
            return .record(.success(try EventRecord(feature: feature, defaults)))
        } catch {
            return .record(.failure(error))
        }
    }

    func finish() throws(RecordFileError) -> Bool {
        try scanner.finish()
        return false
    }
}

extension EventRecord {
    /// Reads the event from a feature.
    init(feature: JSONObject, _ defaults: EventDefaults) throws(RecordError) {
        if let problem = CoordinateSystem.problem(of: feature["crs"]) {
            throw RecordError(reason: problem)
        }
        guard feature["type"] == .string("Feature"),
            case .object(let geometry)? = feature["geometry"],
            geometry["type"] == .string("Point"),
            case .array(let position)? = geometry["coordinates"],
            let longitude = position.first, let latitude = position.dropFirst().first
        else { throw RecordError(reason: "The record is not a Feature with a Point") }
        guard case .object(let properties)? = feature["properties"] else {
            throw RecordError(reason: "The feature has no properties")
        }
        var draft = JSONRecord.draft(properties)
        draft[.latitude] = Input(latitude)
        draft[.longitude] = Input(longitude)
        try self.init(
            id: Input(feature["id"] ?? properties["id"]),
            owner: JSONRecord.reference("owner", in: properties),
            defaults,
            draft: draft
        )
    }
}

/// The coordinate system of a file or a feature, which only the first GeoJSON had
/// (<https://geojson.org/geojson-spec.html#coordinate-reference-system-objects>).
///
/// Since RFC 7946 it is always WGS 84, with the longitude first.
enum CoordinateSystem {
    /// Returns why a value of `crs` can't be imported; nil if it means WGS 84.
    static func problem(of crs: JSONValue?) -> String? {
        var name: String?
        switch crs {
        case nil, .null: return nil
        case .string(let text): name = text
        case .object(let object):
            guard case .object(let properties)? = object["properties"] else { break }
            if case .string(let text)? = properties["name"] { name = text }
            if case .number(let code)? = properties["code"] { name = "EPSG:\(code)" }
        default: break
        }
        guard let name else {
            return "The coordinate system (crs) has no name, but must be CRS84 or EPSG:4326"
        }
        if isWGS84(name) { return nil }
        let shown = Explanation.printable(String(name.prefix(100)))
        return "The coordinate system (crs) is \"\(shown)\", but must be CRS84 or EPSG:4326; "
            + "`ogr2ogr -t_srs EPSG:4326 NEW.geojson FILE` converts it"
    }

    /// Returns whether a name such as `urn:ogc:def:crs:OGC:1.3:CRS84` means WGS 84.
    private static func isWGS84(_ name: String) -> Bool {
        let parts = name.lowercased().split { $0 == ":" || $0 == "/" }
        switch parts.last {
        case "crs84", "crs84h": return parts.count == 1 || parts.contains("ogc")
        case "4326": return parts.contains("epsg")
        default: return false
        }
    }
}
