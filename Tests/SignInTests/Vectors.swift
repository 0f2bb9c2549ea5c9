import Foundation
import SignIn
import Testing
import Time

/// The vectors beside this file, which make.py has made.
enum Vectors {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let now: Int64
        let id_token: String
        let nonce: String?
        let issuer: String?
        let subject: String?
        let error: String?

        var testDescription: String { name }
    }

    static let rows: [Row] = {
        let lines = (try? text(of: "vectors.jsonl"))?.split(separator: "\n") ?? []
        return lines.compactMap { try? JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    }()

    /// The time at which the tokens are verified.
    static let now = Timestamp(milliseconds: 1_800_000_000_000)

    /// Returns the text of a file in this folder.
    static func text(of name: String) throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// The key sets by issuer.
    static func documents() throws -> [String: [UInt8]] {
        try issuers().mapValues { try bytes($0["keys"]) }
    }

    /// Returns a verifier that has fetched the keys of all issuers of the vectors.
    static func verifier() throws -> IDTokenVerifier {
        let documents = try documents()
        let entries = try issuers().map { name, issuer in
            let audiences = (issuer["audiences"] as? [String] ?? []).joined(separator: ",")
            let nonce = issuer["needs_nonce"] as? Bool == true ? " nonce" : ""
            return "\(name) \(audiences) \(name)\(nonce)"
        }
        let verifier = try IDTokenVerifier(
            Issuer.list(entries.joined(separator: ";")),
            refreshMinutes: 60,
            fetch: { url in documents[url] ?? [] },
            now: { now },
            uptime: { 0 }
        )
        verifier.refresh()
        // An unknown key waits for a fetch, once in 30 s of a clock that stands still.
        try verifier.start()
        return verifier
    }

    private static func issuers() throws -> [String: [String: Any]] {
        let data = Data(try text(of: "keys.json").utf8)
        return try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]] ?? [:]
    }

    private static func bytes(_ object: Any?) throws -> [UInt8] {
        try Array(JSONSerialization.data(withJSONObject: object ?? [:], options: .sortedKeys))
    }
}
