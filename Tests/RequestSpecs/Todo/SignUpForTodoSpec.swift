import Support
import Testing

/// POST /v1/users.json of Todo.
@Suite struct SignUpForTodoSpec {
    private static let rows: StaticString = """
        SELECT json_array(id, email, name, password_hash LIKE '$argon2id$v=19$m=19456,t=2,p=1$%')
        FROM accounts ORDER BY id
        """

    @Test(arguments: Driver.allCases)
    func `makes an account and signs in to it`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.send(
                TodoClient.signUp("ana+1@example.com", "pa ss[w]%rd", name: "Ana Sá")
            )

            #expect(answer == .json(201, answer.body))
            #expect(
                answer.template == #"{"id":1,"name":"Ana Sá","created_at":"T","updated_at":"T","#
                    + #""email":"ana+1@example.com","authentication_token":"K","token":"K"}"#
            )
            #expect(try server.rows(Self.rows) == [#"[1,"ana+1@example.com","Ana Sá",1]"#])
            let account = try TodoClient.account(in: answer)
            let tasks = try await server.send(TodoClient.tasks(account.token))
            #expect(tasks == .found("[]"))
        }
    }

    @Test func `sends the very bytes of the published app`() {
        let request = TodoClient.signUp("ana+1@example.com", "pa ss[w]%rd", name: "Ana Sá")

        let body =
            "user[email]=ana%2B1%40example.com&user[name]=Ana%20S%C3%A1"
            + "&user[password]=pa%20ss%5Bw%5D%25rd"
        #expect(String(decoding: request.bytes, as: UTF8.self).hasSuffix("\r\n\r\n" + body))
    }

    @Test(
        arguments: Driver.allCases,
        [
            #"{"user":{"email":" Ana@Example.COM\n","password":"12345678"}}"#,
            #"{"user":{"email":"ANA@EXAMPLE.COM","password":12345678,"name":"  "}}"#,
            "user%5Bemail%5D=ana@example.com&user%5Bpassword%5D=12345678&user[name]",
        ]
    )
    func `strips and lowers the address and takes a blank name`(
        driver: Driver,
        body: String
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post("/v1/users", body: body)

            #expect(answer.status == 201)
            #expect(try server.rows(Self.rows) == [#"[1,"ana@example.com","",1]"#])
            #expect(answer.template.hasPrefix(#"{"id":1,"name":"","created_at":"T""#))
        }
    }

    @Test(arguments: Driver.allCases)
    func `knows an address however its letters are composed`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let composed = "jos\u{E9}@ex\u{E1}mple.com"
            let decomposed = "JOSE\u{301}@exa\u{301}mple.com"

            let signUp = try await server.send(TodoClient.signUp(decomposed, "correct horse"))
            let again = try await server.send(TodoClient.signUp(composed, "correct horse"))

            #expect(signUp.status == 201)
            #expect(signUp.template.unicodeScalars.contains("\u{E9}"))
            #expect(again == .unprocessable(#"{"email":["has already been taken"]}"#))
            let hex: StaticString = "SELECT hex(email) FROM accounts"
            #expect(try server.rows(hex) == ["6A6F73C3A9406578C3A16D706C652E636F6D"])
            for spelling in [composed, decomposed] {
                let answer = try await server.send(TodoClient.signIn(spelling, "correct horse"))
                #expect(answer.status == 200)
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `still knows an address that was stored as it came`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.signUpForTodo("ana@example.com")
            try server.change(
                "UPDATE accounts SET email = 'jose\u{301}\u{200B}@example.com'"
            )
            let stored = "jose\u{301}\u{200B}@example.com"

            let signIn = try await server.send(TodoClient.signIn(stored, "correct horse"))
            #expect(signIn.status == 200)
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "\u{200B}", "\u{200D}", "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{202E}", "\u{1}", "\u{7F}",
            "\u{9B}", "\u{3164}", "\u{FE0F}", "\u{2800}", "\u{115F}", "\u{1160}", "\u{FFA0}",
            "\u{E000}", "\u{10FFFD}", "\u{378}", "\u{FFFF}", "\u{E0041}", "\u{2000}", "\u{2028}",
            "\u{2029}", "\u{3000}",
        ]
    )
    func `rejects an address with a character that nobody sees`(
        driver: Driver,
        character: String
    ) async throws {
        try await withServer(driver) { server in
            let address = "an\(character)a@example.com"

            let answer = try await server.send(TodoClient.signUp(address, "correct horse"))

            #expect(answer == .unprocessable(#"{"email":["is invalid"]}"#))
            #expect(try server.rows(Self.rows) == [])
        }
    }

    private static let faults: [(body: String, errors: String)] = [
        (
            "user[name]=a",
            #"{"email":["can't be blank"],"password":["can't be blank"]}"#
        ),
        (
            "user[email]=%20&user[password]=%20%20%20%20%20%20%20%20",
            #"{"email":["can't be blank"],"password":["can't be blank"]}"#
        ),
        ("user[email]=ana&user[password]=12345678", #"{"email":["is invalid"]}"#),
        ("user[email]=ana@a&user[password]=12345678", #"{"email":["is invalid"]}"#),
        ("user[email]=ana@.a&user[password]=12345678", #"{"email":["is invalid"]}"#),
        ("user[email]=ana@a.&user[password]=12345678", #"{"email":["is invalid"]}"#),
        ("user[email]=@a.b&user[password]=12345678", #"{"email":["is invalid"]}"#),
        ("user[email]=a@b@c.d&user[password]=12345678", #"{"email":["is invalid"]}"#),
        ("user[email]=a%20b@c.d&user[password]=12345678", #"{"email":["is invalid"]}"#),
        ("user[email]=a%00b@c.d&user[password]=12345678", #"{"email":["is invalid"]}"#),
        (
            "user[email]=\(String(repeating: "a", count: 252))@b.c&user[password]=12345678",
            #"{"email":["is too long (maximum is 255 characters)"]}"#
        ),
        (
            "user[email]=a@b.c&user[password]=1234567",
            #"{"password":["is too short (minimum is 8 characters)"]}"#
        ),
        (
            // Seven characters in form NFC.
            "user[email]=a@b.c&user[password]=\(String(repeating: "e\u{301}", count: 7))",
            #"{"password":["is too short (minimum is 8 characters)"]}"#
        ),
        (
            "user[email]=a@b.c&user[password]=\(String(repeating: "a", count: 129))",
            #"{"password":["is too long (maximum is 128 characters)"]}"#
        ),
        (
            "user[email]=a@b.c&user[password]=1234567%00", #"{"password":["is invalid"]}"#
        ),
        (
            "user[email]=a@b.c&user[password]=12345678"
                + "&user[name]=\(String(repeating: "a", count: 256))",
            #"{"name":["is too long (maximum is 255 characters)"]}"#
        ),
        (
            #"{"user":{"email":[],"password":{},"name":[]}}"#,
            #"{"email":["is invalid"],"password":["is invalid"],"name":["is invalid"]}"#
        ),
    ]

    @Test(arguments: Driver.allCases, faults)
    func `refuses what breaks a rule`(
        driver: Driver,
        fault: (body: String, errors: String)
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post("/v1/users.json", body: fault.body)

            #expect(answer == .unprocessable(fault.errors))
            #expect(try server.rows(Self.rows) == [])
        }
    }

    @Test(arguments: Driver.allCases, ["ana@example.com", " ANA@example.com "])
    func `refuses an address that another account has`(
        driver: Driver,
        email: String
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.signUpForTodo("ana@example.com")

            let answer = try await server.send(TodoClient.signUp(email, "12345678"))
            let both = try await server.send(TodoClient.signUp(email, "1234567"))

            #expect(answer == .unprocessable(#"{"email":["has already been taken"]}"#))
            #expect(
                both
                    == .unprocessable(
                        #"{"email":["has already been taken"],"#
                            + #""password":["is too short (minimum is 8 characters)"]}"#
                    )
            )
            #expect(try server.rows(Self.rows) == [#"[1,"ana@example.com","",1]"#])
        }
    }

    @Test(arguments: Driver.allCases)
    func `gives one of many who want the same address at once an account`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let requests = (0..<8).map { _ in TodoClient.signUp("ana@example.com", "12345678") }

            let answers = try await server.sendAtOnce(requests)

            #expect(answers.count { $0.status == 201 } == 1)
            #expect(
                answers.count {
                    $0 == .unprocessable(#"{"email":["has already been taken"]}"#)
                } == 7
            )
            #expect(try server.rows(Self.rows) == [#"[1,"ana@example.com","",1]"#])
            #expect(try server.rows("SELECT account_id FROM sessions") == ["1"])
        }
    }

    @Test(
        arguments: Driver.allCases,
        ["", "user=ana", "user", "email=a@b.c", #"{"user":"a"}"#, #"{"user":{}}"#, "{}"]
    )
    func `refuses a request without a user object`(driver: Driver, body: String) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post("/v1/users.json", body: body)

            #expect(answer == .badRequest)
            #expect(try server.rows(Self.rows) == [])
        }
    }

    @Test func `says where JSON is wrong in the shape that the app knows`() async throws {
        try await withServer(.inProcess) { server in
            let answer = try await server.post("/v1/users.json", body: #"{"user":"#)

            #expect(answer.status == 400)
            #expect(answer.body.hasPrefix(#"{"status":"400","error":"Malformed JSON at line 1"#))
        }
    }

    @Test(arguments: Driver.allCases)
    func `stores neither the password nor the token`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo("ana@example.com", "correct horse")

            let bytes = try server.databaseBytes()
            #expect(!bytes.isEmpty)
            #expect(bytes.firstRange(of: Array("correct horse".utf8)) == nil)
            #expect(bytes.firstRange(of: Array(account.token.utf8)) == nil)
            #expect(try !server.log().contains("correct"))
        }
    }
}
