import Rules
import Model
import HTTP
import JSON
import Randomness
import Testing
import Time

@testable import SignIn

@Suite final class IDTokenVerifierTests {
    private let verifier: IDTokenVerifier

    init() throws {
        verifier = try Vectors.verifier()
    }

    deinit { verifier.stop() }

    @Test func `has all vectors`() {
        #expect(Vectors.rows.count == 144)
        #expect(Vectors.rows.count { $0.error == nil } == 27)
    }

    @Test(arguments: Vectors.rows)
    func `decides as the model`(row: Vectors.Row) async {
        let result: Result<Identity, ModelError>
        do throws(ModelError) {
            result = .success(try await verifier.verify(row.id_token, nonce: row.nonce))
        } catch {
            result = .failure(error)
        }

        switch row.error {
        case let error?:
            guard case .failure(.invalid(let errors)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(errors.map(\.sentence) == [error])
        case nil:
            let identity = Identity(issuer: row.issuer ?? "", subject: row.subject ?? "")
            #expect(result == .success(identity))
        }
    }

    /// Verifies tokens of which one character is another one.
    @Test func `accepts no mutated token`() async throws {
        let tokens = Vectors.rows.filter { $0.error == nil && $0.nonce == nil }.map(\.id_token)
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8
        )
        var generator = SeededGenerator(seed: 1)
        var accepted: [String] = []
        for _ in 0..<2000 {
            var bytes = Array(try #require(tokens.randomElement(using: &generator)).utf8)
            let index = Int.random(in: bytes.indices, using: &generator)
            let other = try #require(alphabet.randomElement(using: &generator))
            guard other != bytes[index] else { continue }
            bytes[index] = other
            let token = String(decoding: bytes, as: UTF8.self)
            if (try? await verifier.verify(token, nonce: nil)) != nil { accepted.append(token) }
        }
        #expect(accepted == [])
    }

    @Test func `names the configured issuer alone`() throws {
        let row = try #require(Vectors.rows.first)
        let foreign = try #require(Vectors.rows.first { $0.name == "unknown issuer" })

        #expect(verifier.issuer(of: row.id_token) == "https://issuer.example")
        #expect(verifier.issuer(of: foreign.id_token) == "unknown")
        #expect(verifier.issuer(of: "a.b.c") == "unknown")
    }

    @Test func `shows what a token says`() async throws {
        let row = try #require(Vectors.rows.first)

        #expect(
            IDTokenVerifier.rows(of: row.id_token) == [
                ["alg", "RS256"], ["kid", "r1"], ["iss", "https://issuer.example"],
                ["aud", "app-1"], ["sub", "ana-1"], ["iat", "2027-01-15T07:59:50.000Z"],
                ["exp", "2027-01-15T09:00:00.000Z"],
            ]
        )
        #expect(await verifier.hasValidSignature(row.id_token))
    }
}

/// The examples of RFC 7515, appendix A.
@Suite struct RFC7515Tests {
    private static let claims = """
        eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp\
        0cnVlfQ
        """

    @Test func `verifies A.2, an RSA signature`() throws {
        let key = try Self.key(
            #"""
            {"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-\#
            Vaw-4q\#
            PCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb\#
            _7OMg0L\#
            OL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxv\#
            b3qCo5Z\#
            wKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4F\#
            RWyuXpo\#
            Q","e":"AQAB"}
            """#
        )
        let signature = """
            cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YK\
            t_O8W2\
            Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARN\
            PvkSjt\
            QBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1ph\
            CnvWh6\
            IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
            """

        #expect(key.bits == 2048)
        try Self.check(key, "eyJhbGciOiJSUzI1NiJ9.\(Self.claims)", signature)
    }

    @Test func `verifies A.3, a signature on P-256`() throws {
        let key = try Self.key(
            #"""
            {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\#
            "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
            """#
        )

        try Self.check(
            key,
            "eyJhbGciOiJFUzI1NiJ9.\(Self.claims)",
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        )
    }

    private static func check(_ key: PublicKey, _ text: String, _ signature: String) throws {
        let signature = try #require(Base64.decode(signature.utf8, .url))

        #expect(key.verifies(signature, of: Array(text.utf8)))
        #expect(!key.verifies(signature, of: Array((text + "A").utf8)))
        #expect(!key.verifies(Array(signature.dropLast()), of: Array(text.utf8)))
        #expect(!key.verifies([], of: Array(text.utf8)))
    }

    private static func key(_ json: String) throws -> PublicKey {
        try PublicKey(#require(JSONObject(strict: Array(json.utf8))), Libcrypto.load())
    }
}
