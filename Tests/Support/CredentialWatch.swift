import Sodium
import System

/// Knows every token that a server has given out, and finds them where they must not be.
final class CredentialWatch: Sendable {
    private static let tokenKeys: [Substring] = [
        "auth_token", "device_token", "authentication_token", "token",
    ]

    /// The beginnings of the paths whose answers hold a token.
    private static let paths = ["/v1/users", "/v1/sessions", "/admin/v1/sessions"]

    private let tokens = Mutex<Set<String>>([])

    /// Remembers the token that the answer to a sign-up or sign-in holds; in any other throws
    /// `LeakError` if there is one.
    func inspect(_ answer: Answer, to request: TestRequest) throws(LeakError) {
        guard request.method == "POST", Self.paths.contains(where: request.target.hasPrefix),
            [200, 201].contains(answer.status)
        else { return try check(answer.description, for: []) }
        let words = answer.body.split(separator: "\"")
        if let key = words.firstIndex(where: { Self.tokenKeys.contains($0) }),
            key + 2 < words.count
        {
            _ = tokens.withLock { $0.insert(String(words[key + 2])) }
        }
    }

    /// Remembers a token that no answer has.
    func remember(_ token: String) { tokens.withLock { _ = $0.insert(token) } }

    /// Throws `LeakError` if the text holds a token, its digest, or one of the secrets.
    func check(_ text: String, for secrets: [String]) throws(LeakError) {
        let text = text.lowercased()
        for credential in tokens.withLock({ $0 }).flatMap(\.disguises) + secrets
        where text.contains(credential.lowercased()) {
            throw LeakError(credential: credential, text: text)
        }
    }
}

/// A token, its digest or a secret is where it must not be.
package struct LeakError: Error {
    let credential: String
    let text: String
}

extension String {
    /// The token itself and its digest in hexadecimal digits.
    fileprivate var disguises: [String] {
        let digits = SHA256.digest(of: self).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return [self, digits.joined()]
    }
}
