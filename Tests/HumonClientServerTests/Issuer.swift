import Foundation

/// An issuer of ID tokens, whose keys are a file.
final class Issuer: Sendable {
    private struct InvalidKey: Error {}

    static let shared = Result { try Issuer() }

    private let folder: URL

    private var key: String { folder.appending(path: "key.pem").path }

    /// The value of `--auth-issuers`.
    var setting: String { "https://issuer.test my-app \(folder.path)/keys.json" }

    /// Makes a key for ES256.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "humon-issuer-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        _ = try Process.run([
            "openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key,
        ])
        // The point is at the end: x and y.
        let point = try Process.run(["openssl", "ec", "-in", key, "-pubout", "-outform", "DER"])
            .suffix(64)
        guard point.count == 64 else { throw InvalidKey() }
        let jwk = [
            "kty": "EC", "crv": "P-256", "kid": "k", "alg": "ES256",
            "x": Self.base64(point.prefix(32)), "y": Self.base64(point.suffix(32)),
        ]
        try JSONEncoder().encode(["keys": [jwk]]).write(to: folder.appending(path: "keys.json"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Returns an ID token of a person, which is valid for an hour.
    func idToken(of person: String) throws -> String {
        struct Claims: Encodable {
            var iss = "https://issuer.test"
            var aud = "my-app"
            let sub: String
            let iat = Int(Date.now.timeIntervalSince1970)
            let exp = Int(Date.now.timeIntervalSince1970) + 3600
        }
        let head = try JSONEncoder().encode(["alg": "ES256", "kid": "k"])
        let body = try JSONEncoder().encode(Claims(sub: person))
        let text = "\(Self.base64(head)).\(Self.base64(body))"
        let signature = try Process.run(
            ["openssl", "dgst", "-sha256", "-sign", key],
            input: Data(text.utf8)
        )
        return "\(text).\(Self.base64(Self.numbers(in: signature)))"
    }

    /// Returns the two numbers of a signature in DER, with 32 bytes each.
    private static func numbers(in signature: Data) -> Data {
        var bytes = signature.dropFirst(2)
        var numbers = Data()
        while bytes.popFirst() == 2, let count = bytes.popFirst() {
            let number = bytes.prefix(Int(count)).suffix(32)
            numbers += Data(repeating: 0, count: 32 - number.count) + number
            bytes = bytes.dropFirst(Int(count))
        }
        return numbers
    }

    private static func base64(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
