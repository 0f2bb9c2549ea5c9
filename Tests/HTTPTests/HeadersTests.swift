import HTTP
import Testing

@Suite struct HeadersTests {
    @Test func `gives the first value of a name`() {
        let headers: Headers = ["a": "1", "b": "2", "a": "3"]

        #expect(headers["a"] == "1")
        #expect(headers["b"] == "2")
        #expect(headers["c"] == nil)
    }

    @Test func `keeps the order and every value`() {
        var headers: Headers = ["b": "1"]
        headers.append("a", "2")
        headers.append("b", "3")

        #expect(headers.fields.map(\.name) == ["b", "a", "b"])
        #expect(headers.fields.map(\.value) == ["1", "2", "3"])
    }

    @Test func `replaces the first value or appends one`() {
        var headers: Headers = ["a": "1", "b": "2", "a": "3"]
        headers.replace("a", with: "4")
        headers.replace("c", with: "5")

        #expect(headers == ["a": "4", "b": "2", "a": "3", "c": "5"])
    }
}
