import HTTP
import JSON
package import Rules

/// An ID token whose form is right, and nothing else: its signature and claims are unchecked.
package struct IDToken: Sendable {
    private static let maximumBytes = 8192

    let header: JSONObject
    let claims: JSONObject
    let signature: [UInt8]
    /// The bytes that the signature is of.
    let signedText: [UInt8]

    /// Splits and decodes the compact form (RFC 7515, section 7.1).
    package init(_ text: String) throws(ModelError) {
        guard !text.allSatisfy(\.isWhitespace) else { throw .rejected("can't be blank") }
        guard text.utf8.count <= Self.maximumBytes else {
            throw .rejected("is too long (maximum is \(Self.maximumBytes) bytes)")
        }
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]),
            let claims = Self.object(parts[1]), let signature = Base64.decode(parts[2], .url)
        else { throw .malformedToken }
        self.header = header
        self.claims = claims
        self.signature = signature
        signedText = Array(bytes.dropLast(parts[2].count + 1))
    }

    private static func object(_ part: ArraySlice<UInt8>) -> JSONObject? {
        Base64.decode(part, .url).flatMap { JSONObject(strict: $0) }
    }

    /// Returns the claim, nil without it; throws unless it is a text.
    func text(_ name: String) throws(ModelError) -> String? {
        switch claims[name] {
        case nil: nil
        case .string(let text): text
        default: throw .malformedToken
        }
    }

    /// Returns the claim in seconds since 1970, nil without it; throws unless it is a time.
    func seconds(_ name: String) throws(ModelError) -> Int64? {
        guard let value = claims[name] else { return nil }
        // To the end of the year 9999.
        guard case .number(let text) = value, let number = Double(text), number >= 0,
            number < 253_402_300_800, let seconds = Int64(exactly: number.rounded(.towardZero))
        else { throw .malformedToken }
        return seconds
    }

    /// The audiences of the claim; throws unless it is a text or 1 to 16 of them.
    func audiences() throws(ModelError) -> [String] {
        switch claims["aud"] {
        case .string(let text): return [text]
        case .array(let values):
            let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
            guard texts.count == values.count, 1...16 ~= texts.count else { throw .malformedToken }
            return texts
        default: throw .malformedToken
        }
    }
}

extension ModelError {
    static let malformedToken = rejected("is malformed")
    static let otherKind = rejected("is not an ID token")
    static let unknownKey = rejected("was signed with an unknown key")

    /// Returns the error for a token, or a nonce, that is not accepted.
    static func rejected(_ predicate: String, of attribute: String = "Id token") -> ModelError {
        .invalid([AttributeError(attribute, predicate)])
    }

    /// Returns the error for an issuer whose keys can't be fetched, or are too old.
    static func missingKeys(of issuer: Issuer) -> ModelError {
        .postponed(
            reason: "The keys of \(issuer.name) can't be fetched. Try again in a moment.",
            seconds: 30
        )
    }
}

extension String {
    /// Returns whether both have the same bytes; `==` also accepts other forms of a character.
    func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
