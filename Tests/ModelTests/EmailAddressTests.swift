import Model
import Testing

@Suite struct EmailAddressTests {
    @Test(
        arguments: [
            ("ana@example.com", "ana@example.com"), (" \tAna+1@Example.COM\n", "ana+1@example.com"),
            ("a@b.c", "a@b.c"), ("a.b@c-d.e.f", "a.b@c-d.e.f"),
            ("ÁNA@EXÁMPLE.COM", "ána@exámple.com"),
            ("a@b..c", "a@b..c"), ("a@..b", "a@..b"), ("\"@b.c", "\"@b.c"),
        ]
    )
    func `strips and lowers an address`(text: String, address: String) {
        #expect(EmailAddress(text)?.text == address)
    }

    @Test(
        arguments: [
            ("e\u{301}@b.c", "\u{E9}@b.c"), ("E\u{301}@B.C", "\u{E9}@b.c"),
            ("\u{1F71}@b.c", "\u{3AC}@b.c"), ("a\u{307}\u{323}@b.c", "\u{1EA1}\u{307}@b.c"),
            ("\u{958}@b.c", "\u{915}\u{93C}@b.c"), ("\u{1112}\u{1161}\u{11AB}@b.c", "\u{D55C}@b.c"),
        ]
    )
    func `composes letters`(text: String, address: String) throws {
        let email = try #require(EmailAddress(text))

        #expect(Array(email.text.unicodeScalars) == Array(address.unicodeScalars))
        let unnormalized = try #require(email.unnormalizedText)
        #expect(Array(unnormalized.unicodeScalars) == Array(text.lowercased().unicodeScalars))
        #expect(email == EmailAddress(address))
        #expect(EmailAddress(address)?.unnormalizedText == nil)
    }

    @Test func `holds the length of an address against its composed letters`() {
        let letters = String(repeating: "e\u{301}", count: 251)

        #expect(EmailAddress(letters + "@b.c") != nil)
        #expect(EmailAddress(letters + "e@b.c") == nil)
    }

    @Test(
        arguments: [
            "", " ", "a", "@", "a@", "@b.c", "a@b", "a@b.", "a@.b", "a@.", "a@b@c.d", "a b@c.d",
            "a@b .c", "a@b\u{A0}.c", "a\u{0}@b.c", "a@\n.c",
            String(repeating: "a", count: 252) + "@b.c",
        ]
    )
    func `refuses what is none`(text: String) {
        #expect(EmailAddress(text) == nil)
    }
}
