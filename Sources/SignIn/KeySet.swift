import JSON

/// The keys of an issuer.
package struct KeySet: Sendable {
    /// The greatest size of a document with keys, in bytes.
    static let maximumBytes = 65_536
    /// The number of keys after which the others are ignored.
    private static let maximumKeys = 100
    /// The greatest depth of JSON in documents with keys and in tokens.
    static let maximumDepth = 16

    /// A key as an operator sees it.
    package struct Entry: Sendable {
        /// The key's name, or an empty text.
        package var name = ""
        /// The type, such as `RSA`, or an empty text.
        package var type = ""
        /// The size; nil if the key can't be used.
        package var bits: Int?
        /// Why it can't be used, as a clause; nil if it can.
        package var problem: String?
        /// Whether an earlier key has the same name.
        var isRepeated = false
    }

    /// All keys of the document, in its order.
    private(set) var entries: [Entry] = []
    // Swift's comparison of texts would also accept another spelling of the same characters.
    private var usable: [[UInt8]: PublicKey] = [:]

    /// Reads a JSON Web Key Set (RFC 7517); throws unless it has a usable key.
    init(_ document: [UInt8], _ library: Libcrypto) throws(KeyError) {
        guard document.count <= Self.maximumBytes else { throw KeyError("it has over 64 KiB") }
        guard let object = JSONObject(strict: document),
            case .array(let keys) = object["keys"]
        else { throw KeyError("it is not a JSON Web Key Set") }
        for case .object(let jwk) in keys.prefix(Self.maximumKeys) { add(jwk, library) }
        guard !usable.isEmpty else { throw KeyError("it has no usable key") }
    }

    /// Returns the usable key with this name.
    subscript(name: String) -> PublicKey? { usable[Array(name.utf8)] }

    private mutating func add(_ jwk: JSONObject, _ library: Libcrypto) {
        var entry = Entry()
        if case .string(let name) = jwk["kid"] { entry.name = name }
        if case .string(let type) = jwk["kty"] { entry.type = type }
        let name = Array(entry.name.utf8)
        do throws(KeyError) {
            let key = try PublicKey(jwk, library)
            guard 1...255 ~= name.count else { throw KeyError("its kid must have 1 to 255 bytes") }
            entry.isRepeated = usable[name] != nil
            guard !entry.isRepeated else { throw KeyError("an earlier key has the same kid") }
            usable[name] = key
            entry.bits = key.bits
        } catch {
            entry.problem = error.reason
        }
        entries.append(entry)
    }
}

extension JSONObject {
    /// Parses an object in UTF-8 of at most 16 levels, in which no key is repeated; nil otherwise.
    init?(strict bytes: [UInt8]) {
        // The parser skips a byte order mark, which must not be there.
        guard bytes.first != 0xEF,
            let value = try? JSONParser.parse(bytes.span, maximumDepth: KeySet.maximumDepth),
            case .object(let object) = value, value.repeatedKey == nil
        else { return nil }
        self = object
    }
}
