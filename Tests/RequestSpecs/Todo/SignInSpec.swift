import Humon
import Support
import Testing

@testable import Settings

/// POST /v1/users/sign_in.json.
@Suite struct SignInSpec {
    @Test(arguments: Driver.allCases)
    func `answers the account with a new token, and ends earlier ones`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let first = try await server.signUpForTodo("ana@example.com", "correct horse")
            let other = try await server.signUpForTodo("eva@example.com")

            let answer = try await server.send(
                TodoClient.signIn("  ANA@example.com ", "correct horse")
            )

            #expect(answer == .ok(answer.body))
            #expect(
                answer.template == #"{"id":1,"name":"","created_at":"T","updated_at":"T","#
                    + #""email":"ana@example.com","authentication_token":"K","token":"K"}"#
            )
            let second = try TodoClient.account(in: answer)
            #expect(second.id == first.id && second.token != first.token)
            #expect(try await server.send(TodoClient.tasks(second.token)) == .found("[]"))
            #expect(try await server.send(TodoClient.tasks(first.token)) == .unknownAccessToken)
            #expect(try await server.send(TodoClient.tasks(other.token)) == .found("[]"))
            #expect(
                try server.rows("SELECT account_id FROM sessions ORDER BY account_id") == [
                    "1", "2",
                ]
            )
        }
    }

    private static let refused = [
        "user[email]=ana@example.com&user[password]=correct%20hors",
        "user[email]=ana@example.com&user[password]=Correct%20horse",
        "user[email]=ana@example.com&user[password]=",
        "user[email]=ana@example.com", "user[email]=eva@example.com&user[password]=correct%20horse",
        "user[email]=&user[password]=correct%20horse", "user[password]=correct%20horse", "",
        "user=1", #"{"user":{"email":["ana@example.com"],"password":"correct horse"}}"#,
        #"{"user":{"email":"ana@example.com","password":["correct horse"]}}"#,
        "user[email]=ana@example.com&user[password]=correct%20horse%00",
        "user[email]=ana@example.com&user[password]=" + String(repeating: "a", count: 100_000),
    ]

    @Test(arguments: Driver.allCases)
    func `refuses every other pair alike, and ends nothing`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo("ana@example.com", "correct horse")

            for body in Self.refused {
                let answer = try await server.post("/v1/users/sign_in.json", body: body)
                #expect(answer == .wrongCredentials, "\(body.prefix(80))")
            }
            #expect(try await server.send(TodoClient.tasks(account.token)) == .found("[]"))
            #expect(try server.rows("SELECT id FROM sessions") == ["1"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `hashes no more than 1,024 bytes of a password`(driver: Driver) async throws {
        try await withServer(driver) { server in
            // 128 characters of 4 bytes: the longest that there can be.
            let longest = String(repeating: "😀", count: 128)
            _ = try await server.signUpForTodo("ana@example.com", longest)

            #expect(
                try await server.send(TodoClient.signIn("ana@example.com", longest)).status == 200
            )
            #expect(
                try await server.send(TodoClient.signIn("ana@example.com", longest + "a"))
                    == .wrongCredentials
            )
        }
    }

    /// Gives every account a hash of "correct horse" that took one pass over 8 KiB.
    private static let weakening: StaticString = """
        UPDATE accounts SET password_hash = '$argon2id$v=19$m=8,t=1,p=1$QVbQ6pqq4sQUhd5gz6HSCw'
            || '$uZjPv00LiqK1JilAGPOqhd8t86QCTjQuXfePK4VwOSY'
        """

    @Test(arguments: Driver.allCases)
    func `renews a hash that is weaker than those of today`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.signUpForTodo("ana@example.com", "correct horse")
            try server.change(Self.weakening)

            let wrong = try await server.send(TodoClient.signIn("ana@example.com", "incorrect"))
            let weak = try server.rows("SELECT password_hash FROM accounts")
            let right = try await server.send(TodoClient.signIn("ana@example.com", "correct horse"))
            let again = try await server.send(TodoClient.signIn("ana@example.com", "correct horse"))

            #expect(wrong == .wrongCredentials)
            #expect(weak.allSatisfy { $0.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$") })
            #expect(right.status == 200 && again.status == 200)
            let renewed = try server.rows("SELECT password_hash FROM accounts")
            #expect(renewed.allSatisfy { $0.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$") })
            #expect(renewed.count == 1)
        }
    }

    @Test(arguments: Driver.allCases)
    func `lets in everybody who renews it at once`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.signUpForTodo("ana@example.com", "correct horse")
            try server.change(Self.weakening)
            let before = try server.rows("SELECT updated_at FROM accounts")
            let requests = (0..<6).map { _ in
                TodoClient.signIn("ana@example.com", "correct horse")
            }

            let answers = try await server.sendAtOnce(requests)

            #expect(answers.map(\.status) == Array(repeating: 200, count: 6))
            #expect(try server.rows("SELECT account_id FROM sessions") == ["1"])
            #expect(try server.rows("SELECT updated_at FROM accounts") == before)
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("Ka\u{308}sefu\u{308}\u{DF}e 12", "K\u{E4}sef\u{FC}\u{DF}e 12"),
            ("\u{1107}\u{1175}\u{1106}\u{1175}\u{11AF} abcdefg", "\u{BE44}\u{BC00} abcdefg"),
            ("correct\u{3000}horse\u{A0}1", "correct horse 1"),
        ]
    )
    func `knows a password from every keyboard`(
        driver: Driver,
        password: (one: String, other: String)
    ) async throws {
        try await withServer(driver) { server in
            let forms = [password.one, password.other]
            for (index, form) in forms.enumerated() {
                _ = try await server.signUpForTodo("ana\(index)@example.com", form)
            }
            let before = try server.rows("SELECT password_hash FROM accounts ORDER BY id")

            for index in forms.indices {
                for form in forms {
                    let answer = try await server.send(
                        TodoClient.signIn("ana\(index)@example.com", form)
                    )
                    #expect(answer.status == 200)
                }
            }

            let after = try server.rows("SELECT password_hash FROM accounts ORDER BY id")
            #expect(after == before)
        }
    }

    /// Gives every account a hash of "mañana mañana" in form NFD, as earlier versions made it.
    private static let decomposing: StaticString = """
        UPDATE accounts SET password_hash = '$argon2id$v=19$m=19456,t=2,p=1$Rw+bk/RQsKiY1RyCnWDYKQ'
            || '$lktPVNupP7QI7r5SStVxpQyuRoJdSSs1zHhatAJCmlw'
        """

    @Test(arguments: Driver.allCases)
    func `knows the bytes of an earlier version's hash, and prepares them then`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.signUpForTodo("ana@example.com", "correct horse")
            try server.change(Self.decomposing)
            let composed = "ma\u{F1}ana ma\u{F1}ana"
            let decomposed = "man\u{303}ana man\u{303}ana"

            let refused = try await server.send(TodoClient.signIn("ana@example.com", composed))
            let first = try await server.send(TodoClient.signIn("ana@example.com", decomposed))
            let again = [
                try await server.send(TodoClient.signIn("ana@example.com", composed)),
                try await server.send(TodoClient.signIn("ana@example.com", decomposed)),
            ]

            #expect(refused == .wrongCredentials)
            #expect(first.status == 200)
            #expect(again.map(\.status) == [200, 200])
        }
    }

    @Test(arguments: ["incorrect", "ma\u{F1}ana ma\u{F1}ana", "man\u{303}ana man\u{303}ana"])
    func `takes the same work for every address`(password: String) async throws {
        try await withServer(.inProcess) { server in
            _ = try await server.signUpForTodo("ana@example.com", "correct horse")
            var work: [Int] = []
            for email in ["ana@example.com", "eva@example.com", "", "x"] {
                let before = server.totalHashes
                let answer = try await server.send(TodoClient.signIn(email, password))
                #expect(answer == .wrongCredentials)
                work.append(server.totalHashes - before)
            }

            #expect(Set(work).count == 1)
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers everybody of a hundred, most of them later`(driver: Driver) async throws {
        try await withServer(driver, configure: { $0.limitsRates = false }) { server in
            _ = try await server.signUpForTodo("ana@example.com", "correct horse")
            let requests = (0..<100).map { _ in
                TodoClient.signIn("ana@example.com", "correct horse")
            }

            let answers = try await server.sendAtOnce(requests)

            let busy = Answer.json(
                503,
                #"{"status":"503","error":"Too many passwords are being checked. "#
                    + #"Try again in a moment."}"#,
                ["retry-after": "1"]
            )
            #expect(answers.allSatisfy { $0.status == 200 || $0 == busy })
            #expect(answers.contains { $0.status == 200 })
            #expect(answers.contains { $0 == busy })
            #expect(try server.rows("SELECT account_id FROM sessions") == ["1"])
        }
    }

    @Test func `says nothing of e-mail or password in the log`() async throws {
        try await withServer(.inProcess) { server in
            _ = try await server.post(
                "/v1/users/sign_in.json?user[email]=ana@example.com",
                body: "user[password]=correct%20horse"
            )

            let log = try server.log()
            #expect(log.contains("/v1/users/sign_in.json"))
            #expect(!log.contains("ana@") && !log.contains("correct"))
        }
    }
}
