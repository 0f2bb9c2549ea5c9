import JSON
import Randomness
import Testing

struct JSONWriterTests {
    @Test func `writes members in the order of the calls`() {
        let text = written { writer in
            writer.object {
                $0.field("address", nil as String?)
                $0.field("id", 7 as Int64)
                $0.field("lat", 37.8050217)
                $0.field("name", "Best event OF ALL TIME!")
                $0.key("started_at")
                $0.quoted("2013-09-16T00:00:00.000Z".utf8.span)
                $0.field("open", true)
                $0.object("owner") { $0.field("id", 1) }
                $0.array("tags", ["a", "b"]) { $0.value($1) }
                $0.field("last", -1)
            }
        }

        #expect(
            text == """
                {"address":null,"id":7,"lat":37.8050217,"name":"Best event OF ALL TIME!",\
                "started_at":"2013-09-16T00:00:00.000Z","open":true,"owner":{"id":1},\
                "tags":["a","b"],"last":-1}
                """
        )
    }

    @Test(arguments: [0, 1, 3, 4, 6, 7, 8, 15])
    func `writes units of decimals as their number`(decimals: Int) {
        let digits: [Int64] = (0...14).map { power in
            (0..<power).reduce(1) { unit, _ in unit * 10 }
        }
        var generator = SeededGenerator(seed: UInt64(decimals))
        let numbers =
            [0, 120, 3599, 20_015_086_796, 999_999_999_999_999]
            + digits.flatMap { [$0, $0 - 1, $0 + 1, 9 * $0] }
            + digits.map { Int64.random(in: 0..<10 * $0, using: &generator) }
        for number in numbers {
            let double = Double("\(number)e-\(decimals)")
            #expect(
                written { $0.object { $0.field("n", units: number, decimals: decimals) } }
                    == written { $0.object { $0.field("n", double) } }
            )
        }
        #expect(written { $0.object { $0.field("n", units: nil, decimals: 6) } } == #"{"n":null}"#)
    }

    @Test func `writes what is empty`() {
        #expect(written { $0.object { _ in } } == "{}")
        #expect(written { $0.array([] as [Int]) { $0.value($1) } } == "[]")
        #expect(
            written { writer in
                writer.object {
                    $0.object("a") { _ in }
                    $0.array("b", [] as [Int]) { $0.value($1) }
                    $0.field("c", "")
                }
            } == #"{"a":{},"b":[],"c":""}"#
        )
    }

    @Test func `puts commas between elements of every kind`() {
        let text = written { writer in
            writer.array([0, 1, 2, 3, 4, 5, 6, 7]) { writer, element in
                switch element {
                case 0: writer.null()
                case 1: writer.value(false)
                case 2: writer.value(1.5)
                case 3: writer.value("x")
                case 4:
                    writer.encoded(#"{"raw":[1,2]}"#.utf8Span.span)
                case 5:
                    writer.encoded("[0]".utf8Span.span)
                case 6: writer.quoted("q".utf8.span)
                default: writer.array([[1, 2], [], [3]]) { $0.array($1) { $0.value($1) } }
                }
            }
        }

        #expect(text == #"[null,false,1.5,"x",{"raw":[1,2]},[0],"q",[[1,2],[],[3]]]"#)
    }

    @Test func `adds members to the end of an object`() {
        let text = written { writer in
            writer.array([#"{"a":1}"#, #"{"b":{}}"#]) { writer, json in
                writer.object(extending: json.utf8Span.span) {
                    $0.field("c", 2)
                    $0.field("d", nil as Int?)
                }
            }
        }

        #expect(text == #"[{"a":1,"c":2,"d":null},{"b":{},"c":2,"d":null}]"#)
    }

    @Test func `writes null for each kind of nothing`() {
        let text = written { writer in
            writer.object {
                $0.field("boolean", nil as Bool?)
                $0.field("int", nil as Int?)
                $0.field("int64", nil as Int64?)
                $0.field("double", nil as Double?)
                $0.field("string", nil as String?)
            }
        }

        #expect(text == #"{"boolean":null,"int":null,"int64":null,"double":null,"string":null}"#)
    }

    @Test(arguments: [
        Int64(0), 1, -1, 9, 10, -10, 99, 100, 1_234_567_890, Int64.max, Int64.min, Int64.min + 1,
    ])
    func `writes an integer`(integer: Int64) {
        #expect(written { $0.value(integer) } == "\(integer)")
        #expect(written { $0.value(Int(integer)) } == "\(integer)")
    }

    @Test(arguments: [
        (0.0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (-1, "-1.0"), (0.1, "0.1"), (100, "100.0"),
        (-122.427103, "-122.427103"), (37.8050217, "37.8050217"), (0.0001, "0.0001"),
        (0.00001, "1.0e-05"), (1e-7, "1.0e-07"), (-1e-7, "-1.0e-07"), (1.5e-7, "1.5e-07"),
        (1e15, "1000000000000000.0"), (1e16, "1.0e+16"), (-1e16, "-1.0e+16"), (1e22, "1.0e+22"),
        (123_456_789_012_345_680, "1.2345678901234568e+17"),
        (Double.leastNonzeroMagnitude, "5.0e-324"),
        (-Double.leastNonzeroMagnitude, "-5.0e-324"),
        (Double.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        (Double.infinity, "null"), (-Double.infinity, "null"), (Double.nan, "null"),
    ])
    func `writes a double with a point`(double: Double, text: String) {
        #expect(written { $0.value(double) } == text)
    }

    @Test(arguments: [
        ("", #""""#), ("abc", #""abc""#), ("a\"b", #""a\"b""#), ("\\", #""\\""#),
        ("/", #""/""#), ("é😀\u{2028}\u{7F}", "\"é😀\u{2028}\u{7F}\""),
        ("\u{08}\u{09}\u{0A}\u{0C}\u{0D}", #""\b\t\n\f\r""#),
        ("\0\u{01}\u{0B}\u{0E}\u{1F}", #""\u0000\u0001\u000B\u000E\u001F""#),
        ("\r\n", #""\r\n""#), ("<&>'", #""<&>'""#),
        (
            "a long text of more than fifteen bytes\n",
            #""a long text of more than fifteen bytes\n""#
        ),
    ])
    func `escapes what JSON needs and nothing else`(string: String, text: String) {
        #expect(written { $0.value(string) } == text)
    }

    @Test func `grows past its capacity`() {
        let text = written(capacity: 0) { writer in
            writer.array(Array(0..<10_000)) { writer, number in
                writer.object { $0.field("number", number) }
            }
        }

        let expected = (0..<10_000).map { #"{"number":\#($0)}"# }.joined(separator: ",")
        #expect(text == "[\(expected)]")
    }

    private func written(capacity: Int = 256, _ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: capacity)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
