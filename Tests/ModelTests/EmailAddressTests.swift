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
            "", " ", "a", "@", "a@", "@b.c", "a@b", "a@b.", "a@.b", "a@.", "a@b@c.d", "a b@c.d",
            "a@b .c", "a@b\u{A0}.c", "a\u{0}@b.c", "a@\n.c",
            String(repeating: "a", count: 252) + "@b.c",
        ]
    )
    func `refuses what is none`(text: String) {
        #expect(EmailAddress(text) == nil)
    }
}
