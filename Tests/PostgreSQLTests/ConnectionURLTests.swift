import PostgreSQLSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, "\(ThrowawayPostgreSQL.missing)"))
struct ConnectionURLTests {
    @Test(
        arguments: [
            ("postgres://ada:secret@localhost:5433/humon", "postgres://ada@localhost:5433/humon"),
            ("postgresql://127.0.0.1/humon?password=secret", "postgres://127.0.0.1/humon"),
            ("postgres:///humon?host=/run/postgresql&user=ada", "postgres://ada@/humon"),
            (
                "postgres://ada:secret@a,b:5433/humon?sslmode=verify-full&sslrootcert=secret",
                "postgres://ada@a,b:5433/humon"
            ),
            (
                "postgres://ada:secret@db.example/humon?sslmode=disable",
                "postgres://ada@db.example/humon"
            ),
            ("postgres://ada:s%40cret@[::1]:5432/humon", "postgres://ada@[::1]:5432/humon"),
            (
                "postgres:///humon?host=/run/postgresql,localhost&port=5433",
                "postgres://:5433,localhost:5433/humon"
            ),
        ]
    )
    func `shows no secret`(text: String, shown: String) throws {
        let url = try ConnectionURL(text)
        #expect("\(url)" == shown)
        #expect(String(reflecting: url) == shown)
    }

    @Test(
        arguments: [
            "postgres://localhost/humon?options=-c%20secret",
            "postgres://localhost/humon?gssencmode=disable",
            "postgres://localhost/humon?nonsense=secret", "postgres://ada:secret@db.example/humon",
            "postgres://ada:secret@db.example/humon?sslmode=require",
            "postgres://ada:secret@localhost,db.example/humon?sslmode=prefer",
            "postgres://ada:secret@localhost/humon?hostaddr=192.0.2.1",
            "postgres://ada:secret@localhost,192.0.2.1/humon?hostaddr=127.0.0.1,",
            "postgres://ada:secret@192.0.2.1,localhost/humon?hostaddr=,127.0.0.1",
            "postgres://localhost/humon?sslmode=secret",
            "postgres://localhost/humon?channel_binding=secret",
            "postgres://localhost/humon?target_session_attrs=any",
            "postgres://localhost/humon?connect_timeout=secret",
            "postgres://ada:secret@localhost:65536/humon",
            "postgres://ada:secret@localhost,localhost:0/humon",
            "postgres://ada:secret@/humon?service=secret",
            "postgres://ada:secret@[::1/humon", "postgres://ada:secret@127.0.0.1.example/humon",
            "mysql://ada:secret@localhost/humon", "host=localhost password=secret",
            "postgres://ada:secret%00@localhost/humon", "postgres://ada:secret%zz@localhost/humon",
            "postgres://ada:x@secret@localhost/humon", "postgres://ada:x@secret@b.example/humon",
            "postgres://ada:secret/x@localhost/humon", "postgres://ada:x/secret@localhost/humon",
            "postgres://localhost/humon&password=secret",
            "postgres://localhost/humon password=secret",
            "postgres://localhost/humon?sslpassword=secret",
            "postgres://password=secret@localhost/humon",
        ]
    )
    func `rejects what is unknown or unsafe, and shows no secret`(text: String) throws {
        let error = try #require(throws: ConnectionURLError.self) { try ConnectionURL(text) }
        #expect(!error.description.contains("secret@"))
        #expect(!error.description.contains("=secret"))
        #expect(!error.description.contains(":secret"))
        #expect(text.contains("service=secret") || !error.description.contains("secret"))
    }

    @Test(
        arguments: [
            ("host=a,b,c&port=1,2,3", "b", "2", 1, "b,c,a", "", "2,3,1"),
            ("host=a,b,b&port=1,2,3", "b", "3", 2, "b,a,b", "", "3,1,2"),
            ("host=a,b&port=7", "b", "7", 1, "b,a", "", "7"),
            ("host=a,b", "b", "5432", 1, "b,a", "", ""),
            (
                "host=a,&hostaddr=127.0.0.1,127.0.0.2", "127.0.0.2", "5432", 1, ",a",
                "127.0.0.2,127.0.0.1", ""
            ),
            ("host=a,b", "a", "5432", 0, "a,b", "", ""),
            ("host=a,b", "c", "5432", nil, "a,b", "", ""),
            ("user=ada", "a", "5432", nil, "", "", ""),
        ]
    )
    func `begins with the host that was found`(
        parameters: String,
        name: String,
        port: String,
        index: Int?,
        hosts: String,
        addresses: String,
        ports: String
    ) throws {
        let url = try ConnectionURL("postgres:///humon?\(parameters)&sslmode=disable")

        #expect(url.index(of: (name, port)) == index)
        let found = url.parameters(
            for: .administration,
            hasOptions: false,
            acceptsReadOnly: false,
            firstHost: index ?? 0
        )
        #expect(found["host"] ?? "" == hosts)
        #expect(found["hostaddr"] ?? "" == addresses)
        #expect(found["port"] ?? "" == ports)
    }

    @Test func `names the parameter that is not allowed`() throws {
        let error = try #require(throws: ConnectionURLError.self) {
            try ConnectionURL("postgres://localhost/humon?gssencmode=disable")
        }
        #expect(error.description.contains("the parameter gssencmode"))
    }

    @Test(
        arguments: [
            ("connection to server failed: FATAL:  28P01: password authentication", "28P01"),
            (
                "connection to server at \"a\" failed: fe_sendauth: no password supplied",
                "28P01"
            ),
            ("connection to server failed: FATAL:  3D000: database \"x\" does not exist", "3D000"),
            ("connection to server failed: Connection refused", nil),
        ]
    )
    func `finds the code of a failure to connect`(message: String, code: String?) {
        #expect(SessionOpener.state(in: message)?.rawValue == code)
    }
}
