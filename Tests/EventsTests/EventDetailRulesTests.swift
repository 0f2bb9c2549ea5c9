import Rules
import Testing

@testable import Events

@Suite struct EventDetailRulesTests {
    private func value(_ column: EventColumn, _ input: Input) -> String? {
        try? column.rule.check(input)
    }

    @Test(
        arguments: [
            "http://a", "https://a.example", "HTTPS://A.example/", "http://a:80", "http://a:65535/",
            "http://127.0.0.1:3000/a?b=c#d", "https://[::1]", "https://[2001:db8::1]:8443/a",
            "http://a_b.example", "http://a.example?x", "http://a.example#x", "http://a/@b:c",
            "http://a/%20'()*,;=[]~", "http://xn--bcher-kva.example",
            "http://\(String(repeating: "a", count: 253))/",
        ]
    )
    func `accepts absolute URLs as they are`(text: String) {
        #expect(value(.url, .text(text)) == text)
        #expect(value(.imageURL, .text(text)) == text)
    }

    @Test(
        arguments: [
            "a", "/a", "//a.example", "ftp://a.example", "javascript:alert(1)", "http:a", "http:/a",
            "http://", "https:///a", "http://?a", "http://:80", "http://a:", "http://a:0",
            "http://a:65536", "http://a:x", "http://a:80:80", "http://a:+80", "http://user@a",
            "http://user:password@a", "http://[::1", "http://[::1]a", "http://[a]", "http://[]",
            "http://[::1::2]", "http://a b", " http://a", "http://a ", "http://a\n", "http://ä",
            "http://a/ä", "http://a/\"", "http://a/<b>", "http://a/\\b", "http://a/^", "http://a/`",
            "http://a/{b}", "http://a/|", "http://a/\u{7F}", "http://a!b", "http://a%41",
            "http://\(String(repeating: "a", count: 254))/", "http//a", "data:image/png;base64,A",
        ]
    )
    func `rejects other texts as URLs`(text: String) {
        #expect(value(.url, .text(text)) == nil)
    }

    @Test(
        arguments: [
            ("music", "music"), ("Live-Music", "live-music"), ("a", "a"), ("24h-run", "24h-run"),
            (String(repeating: "a", count: 40), String(repeating: "a", count: 40)),
            (String(repeating: "a", count: 41), nil), ("-a", nil), ("a-", nil), ("a--b", nil),
            ("a b", nil), ("a_b", nil), ("é", nil), ("a\u{301}", nil), ("K", "k"),
            ("\u{212A}", nil),
            ("", nil),
        ]
    )
    func `accepts words with hyphens as a category`(text: String, category: String?) {
        #expect(value(.category, .text(text)) == category)
    }

    @Test func `normalizes tags of lists and of texts`() {
        #expect(value(.tags, .list([.text(" #Jazz"), .text("Live  music")])) == "jazz,live music")
        #expect(value(.tags, .text("Jazz, #Live  music,,JAZZ")) == "jazz,live music")
        #expect(value(.tags, .list([.number("5"), .boolean(true)])) == "5,true")
        #expect(value(.tags, .list([])) == "")
        #expect(value(.tags, .list([.list([])])) == nil)
        #expect(value(.tags, .list([.text("a,b")])) == nil)
        #expect(value(.tags, .list((0..<11).map { .text("\($0)") })) == nil)
    }

    @Test func `accepts objects without repeated keys as data`() {
        let long = #"{"a":"\#(String(repeating: "a", count: 4088))"}"#
        #expect(value(.data, .object(json: "{}", repeatedKey: nil)) == "{}")
        #expect(value(.data, .object(json: long, repeatedKey: nil)) == long)
        #expect(value(.data, .object(json: long + " ", repeatedKey: nil)) == nil)
        #expect(value(.data, .object(json: "{}", repeatedKey: "a")) == nil)
        #expect(value(.data, .text("{}")) == nil)
        #expect(value(.data, .list([])) == nil)
    }

    @Test func `names attributes as errors do`() {
        #expect(
            EventColumn.details.map(\.title) == [
                "Description", "Url", "Image url", "Category", "Tags", "Status", "Series id",
                "Visibility", "Data",
            ]
        )
    }
}
