import Bytes
import HTTP
import Model
import Rules
import Sodium

/// The key with which a client marks a request and its repetitions as the same write.
///
/// The header `Idempotency-Key` is from draft-ietf-httpapi-idempotency-key-header-07.
struct IdempotencyKey: Sendable {
    /// The length from which a key counts where all clients share the keys.
    private static let leastShared = 32

    private let text: String

    /// Reads the key of a request; nil without one.
    ///
    /// Where the clients of a system have no tokens, they share the keys. There, malformed and
    /// short keys are ignored, because browsers can add 64-bit keys on their own.
    ///
    /// Throws `RequestError.malformed` unless it is 1 to 255 printable characters, with or without
    /// quotes.
    init?(_ request: Request, isShared: Bool) throws(RequestError) {
        let fields = request.headers.fields.filter { $0.name == "idempotency-key" }
        guard let field = fields.first else { return nil }
        var text = field.value.utf8[...]
        let quote = UInt8(ascii: "\"")
        if text.count > 1, text.first == quote, text.last == quote {
            text = text.dropFirst().dropLast()
        }
        let isValid =
            fields.count == 1 && 1...255 ~= text.count
            && text.allSatisfy { 0x21...0x7E ~= $0 && $0 != quote && $0 != UInt8(ascii: "\\") }
        guard isValid else {
            if isShared { return nil }
            throw .malformed(
                "Idempotency-Key must be 1 to 255 printable characters, such as a UUID."
            )
        }
        if isShared, text.count < Self.leastShared { return nil }
        self.text = String(Substring(text))
    }

    /// Returns the digest of the key in the scope of a person.
    ///
    /// It has 16 bytes.
    func digest(in system: ServedSystem, scope: Int64) -> [UInt8] {
        Array(SHA256.digest(of: "\(system) \(scope) \(text)").prefix(16))
    }
}

extension ServedSystem {
    /// Whether all clients share the idempotency keys, because they have no tokens.
    var sharesKeys: Bool { self == .mytasks || self == .twosquare }
}

extension Call {
    /// Returns the SHA-256 of what the request means: the method, the path and the parameters.
    func fingerprint(_ parameters: Parameters) -> [UInt8] {
        var path = request.path[...]
        if path.hasSuffix("/") { path = path.dropLast() }
        if namesJSON, path.hasSuffix(".json") { path = path.dropLast(5) }
        var content = SHA256.Stream()
        content.update(Array("\(request.method.rawValue) \(path)\n".utf8))
        content.update(parameters.canonical)
        return content.digest()
    }
}

extension Request {
    /// Whether the client prefers the record to the usual response of a write (RFC 7240).
    var prefersRepresentation: Bool {
        guard let list = headers.list("prefer") else { return false }
        for preference in list[...].parts(separatedBy: UInt8(ascii: ",")) {
            // Its parameters follow a semicolon.
            let pair = preference.parts(separatedBy: UInt8(ascii: ";"))[0]
            let parts = pair.parts(separatedBy: UInt8(ascii: "="))
            guard parts[0].lowercased() == "return" else { continue }
            // The first one counts.
            return ["representation", "\"representation\""].contains(parts.last)
        }
        return false
    }
}
