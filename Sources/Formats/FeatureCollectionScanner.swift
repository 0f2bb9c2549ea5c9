import JSON

/// A scanner for the outer structure of a FeatureCollection that finds its features, byte by byte.
///
/// It only validates what is needed to find all features and to notice a truncated file. The JSON
/// parser validates the features.
struct FeatureCollectionScanner {
    private enum Place {
        case beforeCollection, inCollection, betweenFeatures, inFeature, afterCollection
        /// In a number or a word in the place of a feature.
        case inScalar
    }

    /// The tokens that are allowed next between features.
    private enum Expectation {
        case featureOrEnd, feature, commaOrEnd
    }

    private var place = Place.beforeCollection
    private var expectation = Expectation.featureOrEnd
    private var hasFeatures = false
    /// The number of open brackets: in a feature those of the feature, else of the collection.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// The last string of the collection itself, up to a length that matters.
    private var text: [UInt8] = []
    /// The member of the collection whose value comes next.
    private var key: [UInt8] = []
    /// The value of the collection's `crs` so far; nil outside of it.
    private var coordinateSystem: [UInt8]?

    /// The maximum size of the value of `crs`.
    private static let maximumCoordinateSystemBytes = 65_536

    /// Whether the scanner is in a feature, or in another value in its place.
    var isInFeature: Bool { place == .inFeature || place == .inScalar }

    /// Returns whether the next byte would begin a feature, or another value in its place.
    func beginsFeature(_ byte: UInt8) -> Bool {
        guard place == .betweenFeatures, expectation != .commaOrEnd else { return false }
        return byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
            || byte == UInt8(ascii: "\"") || byte.isJSONScalar
    }

    /// Returns whether the next byte ends a number or word that is in place of a feature.
    ///
    /// Numbers and words have no end of their own.
    mutating func endsScalar(_ byte: UInt8) -> Bool {
        guard place == .inScalar, !byte.isJSONScalar else { return false }
        place = .betweenFeatures
        expectation = .commaOrEnd
        return true
    }

    /// Consumes the next byte; returns true if it is the last of a feature.
    mutating func step(_ byte: UInt8) throws(RecordFileError) -> Bool {
        if place == .inCollection { try noteCoordinateSystem(byte) }
        if isInString {
            try string(byte)
            return endsFeature()
        }
        switch place {
        case .inScalar: break
        case .inFeature: return feature(byte)
        case .betweenFeatures: try between(byte)
        case .beforeCollection: try before(byte)
        case .inCollection: collection(byte)
        case .afterCollection: try after(byte)
        }
        return false
    }

    /// Throws unless the collection is complete.
    func finish() throws(RecordFileError) {
        guard place == .afterCollection else {
            throw RecordFileError(reason: "The file ends before its FeatureCollection does")
        }
        guard hasFeatures else {
            throw RecordFileError(reason: "The file has no features")
        }
    }

    private mutating func string(_ byte: UInt8) throws(RecordFileError) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            if place == .inCollection, depth == 1 { try checkType() }
            return
        }
        // A longer text differs from every word that matters.
        if place == .inCollection, text.count < 32 { text.append(byte) }
    }

    private func checkType() throws(RecordFileError) {
        guard key.elementsEqual("type".utf8), !text.elementsEqual("FeatureCollection".utf8) else {
            return
        }
        throw RecordFileError(reason: "The file's type is not FeatureCollection")
    }

    /// Takes a byte of the collection before `depth` and `isInString` count it.
    ///
    /// - Throws: At the end of the value of `crs`, unless it means WGS 84.
    private mutating func noteCoordinateSystem(_ byte: UInt8) throws(RecordFileError) {
        if depth == 1, !isInString {
            switch byte {
            case UInt8(ascii: ":") where text.elementsEqual("crs".utf8):
                coordinateSystem = []
                return
            case UInt8(ascii: ","), UInt8(ascii: "}"):
                if let value = coordinateSystem { try check(coordinateSystem: value) }
                coordinateSystem = nil
            default: break
            }
        }
        guard let count = coordinateSystem?.count else { return }
        guard count < Self.maximumCoordinateSystemBytes else {
            throw RecordFileError(
                reason: "The coordinate system (crs) is too long",
                isAboutAll: true
            )
        }
        coordinateSystem?.append(byte)
    }

    private func check(coordinateSystem bytes: [UInt8]) throws(RecordFileError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(bytes.span, maximumDepth: 64)
        } catch {
            throw RecordFileError(
                reason: "The coordinate system (crs) can't be read: \(error.message)",
                isAboutAll: true
            )
        }
        guard let problem = CoordinateSystem.problem(of: value) else { return }
        throw RecordFileError(reason: problem, isAboutAll: true)
    }

    private mutating func feature(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
        default:
            break
        }
        return endsFeature()
    }

    /// Leaves the feature if it is complete, and returns whether it is.
    private mutating func endsFeature() -> Bool {
        guard place == .inFeature, depth == 0, !isInString else { return false }
        place = .betweenFeatures
        expectation = .commaOrEnd
        return true
    }

    private mutating func between(_ byte: UInt8) throws(RecordFileError) {
        switch byte {
        case _ where beginsFeature(byte):
            place = byte.isJSONScalar ? .inScalar : .inFeature
            isInString = byte == UInt8(ascii: "\"")
            depth = byte.isJSONScalar || isInString ? 0 : 1
        case UInt8(ascii: ",") where expectation == .commaOrEnd:
            expectation = .feature
        case UInt8(ascii: "]") where expectation != .feature:
            place = .inCollection
            depth = 1
            key = []
        case _ where byte.isJSONSpace:
            break
        default:
            throw RecordFileError(reason: "The features are not an array")
        }
    }

    private mutating func before(_ byte: UInt8) throws(RecordFileError) {
        // A byte order mark (three bytes) may precede the collection.
        if byte.isJSONSpace || [0xEF, 0xBB, 0xBF].contains(byte) { return }
        guard byte == UInt8(ascii: "{") else {
            throw RecordFileError(reason: "The file is not a FeatureCollection")
        }
        place = .inCollection
        depth = 1
    }

    private mutating func collection(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
            text = []
        case UInt8(ascii: ":") where depth == 1:
            key = text
        case UInt8(ascii: ",") where depth == 1:
            key = []
        case UInt8(ascii: "[") where depth == 1 && key.elementsEqual("features".utf8):
            place = .betweenFeatures
            expectation = .featureOrEnd
            hasFeatures = true
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            depth -= 1
            if depth == 0 { place = .afterCollection }
        default:
            break
        }
    }

    private func after(_ byte: UInt8) throws(RecordFileError) {
        guard byte.isJSONSpace else {
            throw RecordFileError(reason: "There is text after the FeatureCollection")
        }
    }
}

extension UInt8 {
    /// White space of JSON (RFC 8259, section 2).
    fileprivate var isJSONSpace: Bool {
        self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09
    }

    /// Whether a number or a word can contain this byte.
    fileprivate var isJSONScalar: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
