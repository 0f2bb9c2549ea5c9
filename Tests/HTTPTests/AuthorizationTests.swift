import HTTP
import Testing

@Suite struct AuthorizationTests {
    @Test(
        arguments: [
            ("Bearer abc", "abc"), ("bearer   a b ", "a b "),
            ("BEARER =", "="), ("Bearer é", "é"),
            (
                "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
                "open sesame"
            ),
            // "test:123£" in UTF-8, the example of RFC 7617.
            ("Basic dGVzdDoxMjPCow==", "123£"),
            ("basic OmE6Yg==", "a:b"),
            ("Basic Og==", ""),
            ("Basic YTpi", "b"),
        ] as [(String, String)]
    )
    func `parses Bearer and Basic credentials`(value: String, secret: String) {
        #expect(Authorization.secret(in: value) == secret)
    }

    @Test(
        arguments: [
            "", " ", "Bearer", "Bearer ", "Basic", "Basic ", "Digest a", "Bearerabc", "abc",
            " Bearer a", "Bearer\ta", "Basic !", "Basic YTpi YTpi", "Basic YQ==",
            // A byte that is not UTF-8, a line break, U+007F.
            "Basic YTr/", "Basic YToK", "Basic YTp/",
        ]
    )
    func `rejects other schemes and malformed credentials`(value: String) {
        #expect(Authorization.secret(in: value) == nil)
    }

    @Test func `rejects values that are too long`() {
        let longest = String(repeating: "a", count: 1024 - 7)

        #expect(Authorization.secret(in: "Bearer \(longest)") == longest)
        #expect(Authorization.secret(in: "Bearer \(longest)a") == nil)
    }
}

@Suite struct Base64Tests {
    @Test(
        arguments: [
            ("", []), ("Zg==", Array("f".utf8)), ("Zm8=", Array("fo".utf8)),
            ("Zm9v", Array("foo".utf8)), ("Zm9vYg==", Array("foob".utf8)),
            ("AP+/", [0, 255, 191]), ("////", [255, 255, 255]),
        ] as [(String, [UInt8])]
    )
    func `encodes and decodes bytes`(text: String, bytes: [UInt8]) {
        #expect(Base64.decode(text.utf8) == bytes)
    }

    @Test(
        arguments: [
            "Z", "Zg", "Zg=", "Zg===", "=", "====", "Z===", "=Zg=", "Zm=v", "Zm9v=", "Zm9vYg",
            "Zg==Zg==", "Zh==", "Zm9=", "Zm-_", " Zg=", "Zg=\n", "Zm9é",
        ]
    )
    func `rejects malformed text`(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}
