import HTTP

/// An issuer of ID tokens that the operator trusts: an entry of AUTH_ISSUERS.
package struct Issuer: Equatable, Sendable {
    /// The URL that is the claim `iss` of its tokens.
    package let name: String
    /// The allowed values of the claim `aud`.
    package let audiences: [String]
    /// The URL or the path of the file with its keys.
    package let keys: String
    /// Whether each sign-in must have a nonce.
    package let needsNonce: Bool

    /// Whether the keys are at a URL, and not in a file.
    package var hasURL: Bool { keys.hasPrefix("https://") }

    /// The entry as AUTH_ISSUERS has it.
    package var text: String {
        let parts = [name, audiences.joined(separator: ","), keys]
        return (parts + (needsNonce ? ["nonce"] : [])).joined(separator: " ")
    }

    /// Parses entries that are separated by semicolons or line ends, or `off`.
    ///
    /// Throws `KeyError`, which names the entry and its part.
    package static func list(_ text: String) throws(KeyError) -> [Issuer] {
        guard text.lowercased() != "off" else { return [] }
        let entries = text.split { $0 == ";" || $0.isNewline }
            .map { $0.split(separator: " ") }.filter { !$0.isEmpty }
        guard 1...16 ~= entries.count else {
            throw KeyError("it has \(entries.count) entries, but must have 1 to 16")
        }
        var issuers: [Issuer] = []
        for (index, parts) in entries.enumerated() {
            do throws(KeyError) {
                let issuer = try Issuer(parts.map(String.init))
                guard !issuers.contains(where: { $0.name == issuer.name }) else {
                    throw KeyError("ISSUER is also that of another entry")
                }
                issuers.append(issuer)
            } catch {
                throw KeyError("entry \(index + 1): \(error.reason)")
            }
        }
        return issuers
    }

    private init(_ parts: [String]) throws(KeyError) {
        guard 3...4 ~= parts.count else {
            throw KeyError("it must be ISSUER AUDIENCES KEYS, and optionally nonce")
        }
        guard parts.count == 3 || parts[3] == "nonce" else {
            throw KeyError("after KEYS, only the word nonce can follow")
        }
        for (name, text) in [("ISSUER", parts[0]), ("KEYS", parts[2])] {
            guard !Self.hasCredentials(text) else {
                throw KeyError("\(name) must be a URL without a user name or a password")
            }
        }
        guard Self.isHTTPS(parts[0]), parts[0].utf8.count <= 255 else {
            throw KeyError("ISSUER must be an https URL of at most 255 bytes")
        }
        let audiences = parts[1].split(separator: ",", omittingEmptySubsequences: false)
        guard audiences.count <= 16, audiences.allSatisfy({ !$0.isEmpty && $0 != "*" }) else {
            throw KeyError("AUDIENCES must be 1 to 16 values separated by commas, and not *")
        }
        let isURL = parts[2].contains("://")
        guard !isURL || Self.isHTTPS(parts[2]), !parts[2].utf8.contains(0) else {
            throw KeyError("KEYS must be an https URL or the path of a file")
        }
        name = parts[0]
        self.audiences = audiences.map(String.init)
        keys = parts[2]
        needsNonce = parts.count == 4
    }

    /// Returns whether an https URL has a name or a password before its host.
    private static func hasCredentials(_ text: String) -> Bool {
        let authority = text.dropFirst("https://".count).prefix { !"/?#".contains($0) }
        return text.hasPrefix("https://") && authority.contains("@")
    }

    /// Returns whether a text has the characters of URLs (RFC 3986), so that metrics can have it.
    private static func isHTTPS(_ text: String) -> Bool {
        let rest = text.dropFirst("https://".count)
        return text.hasPrefix("https://") && !rest.isEmpty && rest.first != "/"
            && text.utf8.allSatisfy { $0.isUnreserved || ":/?@!$&()*+,=%#[]".utf8.contains($0) }
    }
}
