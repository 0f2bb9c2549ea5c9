import Foundation
import SQLite
import System
import Testing

@testable import Humon

/// The commands with keys of a file, which need no network.
@Suite struct AuthCommandTests {
    private let program: Program
    private let settings = ["AUTH_ISSUERS": "https://second.example app-9 keys.json"]

    init() throws {
        program = try Program()
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "SignInTests")
        let data = try Data(contentsOf: folder.appending(path: "keys.json"))
        let issuers = try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]]
        let keys = try JSONSerialization.data(
            withJSONObject: issuers?["https://second.example"]?["keys"] ?? []
        )
        try program.write(String(decoding: keys, as: UTF8.self), to: "keys.json")
    }

    @Test func `lists the keys of issuers`() throws {
        #expect(
            try program.run("auth issuers", settings: settings)
                == .init(
                    output: """
                        https://second.example keys.json
                        KEY  TYPE  BITS  USABLE
                        s1   EC    256   yes

                        """
                )
        )
        try program.write("{}", to: "keys.json")
        #expect(
            try program.run("auth issuers", settings: settings)
                == .init(
                    status: 1,
                    output: """
                        https://second.example keys.json
                        Not fetched: it is not a JSON Web Key Set.

                        """
                )
        )
    }

    @Test func `says why a token is rejected`() throws {
        // {"alg":"ES256","kid":"s1"} and {"iss":"https://second.example"}
        let token =
            "eyJhbGciOiJFUzI1NiIsImtpZCI6InMxIn0.eyJpc3MiOiJodHRwczovL3NlY29uZC5leGFtcGxlIn0."
        #expect(
            try program.run("auth check \(token)", settings: settings)
                == .init(
                    status: 1,
                    output: """
                        alg        ES256
                        kid        s1
                        iss        https://second.example
                        signature  invalid
                        rejected: Id token has an invalid signature

                        """
                )
        )
    }

    @Test func `prints the user with the identity of a token`() throws {
        // {"alg":"ES256","kid":"s1"} and {"iss":"https://second.example","sub":"ana|1"}
        let token =
            "eyJhbGciOiJFUzI1NiIsImtpZCI6InMxIn0."
            + "eyJpc3MiOiJodHRwczovL3NlY29uZC5leGFtcGxlIiwic3ViIjoiYW5hfDEifQ."
        _ = try program.run("migrate")
        for user in ["-", "7"] {
            let outcome = try program.run("auth check \(token)", settings: settings)
            #expect(outcome.output.contains("\nsignature  invalid\nuser       \(user)\nrejected"))
            let database = DatabaseConfiguration(path: program.path("humon.sqlite3"))
            let connection = try Connection(database, .readWrite)
            try connection.run("INSERT OR IGNORE INTO users (id, created_at) VALUES (7, 0)")
            try connection.run(
                """
                INSERT OR IGNORE INTO identities (user_id, issuer, subject, created_at)
                VALUES (7, 'https://second.example', 'ana|1', 0)
                """
            )
        }
    }

    @Test func `needs issuers`() throws {
        let outcome = Program.Outcome(
            status: 64,
            error: "humon: AUTH_ISSUERS is off. Set it as `humon settings` says.\n"
        )
        #expect(try program.run("auth issuers") == outcome)
        #expect(try program.run("auth check abc") == outcome)
    }

    @Test func `names the entry that is wrong`() throws {
        #expect(
            try program.run("serve", settings: ["TB_APP_SECRET": "s", "AUTH_ISSUERS": "x y z"])
                == .init(
                    status: 78,
                    error: """
                        humon: AUTH_ISSUERS (environment), entry 1: ISSUER must be an https URL of \
                        at most 255 bytes.

                        """
                )
        )
    }
}
