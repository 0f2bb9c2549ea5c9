import HTTP
import Testing

@Suite struct ETagTests {
    @Test(
        arguments: [
            ("\"a\"", true), ("W/\"a\"", true), ("*", true), ("\"b\", \"a\"", true),
            ("\"b\",W/\"a\" , \"c\"", true), (" ,, \"a\"", true), ("\"b,\", \"a\"", true),
            ("\"\"", false), ("", false), ("a", false), ("\"a", false), ("\"A\"", false),
            ("w/\"a\"", false),
            ("\"b\"", false), ("\"aa\"", false), ("\"a,b\"", false), ("b, \"a\"", false),
            ("W/", false),
            ("\"b\", *", false), (",", false),
        ]
    )
    func `compares weakly`(field: String, isMatch: Bool) {
        #expect(ETag.matches(ifNoneMatch: field, etag: "\"a\"") == isMatch)
        #expect(ETag.matches(ifNoneMatch: field, etag: "W/\"a\"") == isMatch)
    }

    @Test(
        arguments: [
            ("\"a\"", true), ("*", true), ("\"b\", \"a\"", true), ("W/\"a\", \"a\"", true),
            (" ,, \"a\",", true), ("\"a\", b", true), ("W/\"a\"", false), ("", false), ("a", false),
            ("\"A\"", false), ("\"b\"", false), ("b, \"a\"", false), ("\"b\", *", false),
            ("w/\"a\"", false), ("W/\"b\", W/\"a\"", false),
        ]
    )
    func `compares strongly`(field: String, isMatch: Bool) {
        #expect(ETag.matches(ifMatch: field, etag: "\"a\"") == isMatch)
        #expect(ETag.matches(ifMatch: field, etag: "W/\"a\"") == (field == "*"))
    }

    @Test func `finds nothing but the star where there is no tag`() {
        for field in ["*", "", "\"\"", "\"a\"", "W/\"\""] {
            #expect(ETag.matches(ifMatch: field, etag: nil) == (field == "*"), "\(field)")
            #expect(ETag.matches(ifNoneMatch: field, etag: nil) == (field == "*"), "\(field)")
        }
    }

    @Test func `makes 11 characters of base64url in quotes`() {
        let tag = ETag.make(for: Array("hello".utf8).span)

        #expect(tag.utf8.count == 13)
        #expect(tag.first == "\"")
        #expect(tag.last == "\"")
        #expect(
            tag.dropFirst().dropLast().allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0))
            }
        )
    }

    @Test func `makes the same tag for the same bytes in every run`() {
        let bytes = Array("The quick brown fox jumps over the lazy dog".utf8)

        #expect(ETag.make(for: bytes.span) == "\"YG7Wz6Dw8V8\"")
        #expect(ETag.make(for: bytes.span) == ETag.make(for: Array(bytes).span))
    }

    @Test func `makes another tag for other bytes`() {
        var bodies: Set<[UInt8]> = []
        for count in 0...80 {
            let zeros = [UInt8](repeating: 0, count: count)
            bodies.insert(zeros)
            for index in 0..<count {
                for bit in 0..<8 {
                    var body = zeros
                    body[index] = 1 << UInt8(bit)
                    bodies.insert(body)
                }
            }
        }

        let tags = Set(bodies.map { ETag.make(for: $0.span) })
        #expect(tags.count == bodies.count)
    }
}
