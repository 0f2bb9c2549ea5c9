import JSON
import Testing

struct JSONParserTests {
    @Test(arguments: [
        ("null", "null"), ("true", "true"), ("false", "false"), ("0", "0"), (#""""#, #""""#),
        ("[]", "[]"), ("{}", "{}"), (" \t\r\n[ \t\r\n] \t\r\n", "[]"), ("{ }", "{}"),
        ("[1, 2 ,3]", "[1,2,3]"), ("[[],[[]],{}]", "[[],[[]],{}]"),
        (#"{ "a" : 1 , "b" : [ true , null ] }"#, #"{"a":1,"b":[true,null]}"#),
        (#"{"":{"":""}}"#, #"{"":{"":""}}"#),
        (#"{"z":1,"a":2,"z":3}"#, #"{"z":1,"a":2,"z":3}"#),
        ("\u{FEFF}{}", "{}"), ("\u{FEFF} [1]", "[1]"),
        (#""\u0000""#, #""\u0000""#), (#""a\/b""#, #""a/b""#),
        (#"["é","\u00e9","😀","\ud83d\ude00"]"#, #"["é","é","😀","😀"]"#),
        (#""\"\\\b\f\n\r\t""#, #""\"\\\b\f\n\r\t""#),
        (
            "\"\u{7F}\u{2028}\u{FEFF}\u{FFFE}\u{10FFFF}\"",
            "\"\u{7F}\u{2028}\u{FEFF}\u{FFFE}\u{10FFFF}\""
        ),
    ])
    func `accepts a document`(text: String, written: String) throws {
        #expect(try parse(text).written == written)
    }

    @Test func `reads the body of a client`() throws {
        let body = """
            {"name":"Picnic","address":null,"lat":37.759705,"lon":-122.427103,\
            "started_at":"2013-09-16T00:00:00.000Z","user":{"device_token":"x"},"private":false}
            """

        let value = try parse(body)

        #expect(value["name"] == .string("Picnic"))
        #expect(value["address"] == .null)
        #expect(value["started_at"] == .string("2013-09-16T00:00:00.000Z"))
        #expect(value["private"] == .boolean(false))
        #expect(value["user"]?["device_token"] == .string("x"))
        #expect(value["owner"] == nil)
        guard case .number(let latitude) = value["lat"], case .number(let longitude) = value["lon"]
        else {
            Issue.record("lat and lon are numbers")
            return
        }
        #expect(latitude == "37.759705")
        #expect(longitude == "-122.427103")
    }

    @Test(arguments: [
        "", " ", "\u{FEFF}", "\u{FEFF}\u{FEFF}1", " \u{FEFF}1", "1\u{FEFF}",
        // Not values.
        "nul", "nulll", "Null", "NULL", "tru", "truee", "True", "fals", "undefined", "NaN", "nan",
        "Infinity", "-Infinity", "inf", "a", "'a'", "`", "\\", "/**/", "// comment", "#", "\0",
        "\u{A0}1", "\u{0B}1", "\u{0C}1", "\u{85}1", "\u{2028}1", "=", "(1)", "*", "<p>", "&amp;",
        // More than one.
        "1 2", "null null", "{}{}", "[][]", #""a""b""#, "1,", ",1", "1]", "{}}", "[]]", "1\0",
        // Arrays.
        "[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]", "[1;2]", "[1}", "[\"a\"",
        "[\"a\" \"b\"]", "[1:2]", "[a]", "[\u{A0}]", "[1,\n", "[-]", "[[]", "[}", "[*]",
        // Objects.
        "{", "}", "{]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{1:1}",
        "{a:1}", "{'a':1}", "{null:1}", "{\"a\"}", "{\"a\" 1}", "{\"a\"::1}", "{\"a\",1}",
        "{\"a\":1 \"b\":2}", "{\"a\":1,,\"b\":2}", "{\"a\":}", "{:1}", "{\"a\":1]", "{[]:1}",
        "{\"a\":1,\"b\"}", "{\"a\":1;}", "{\"a\"=1}", "{\"a\":1}x", "{\"a\":1/**/}",
    ])
    func `refuses what is no document`(text: String) {
        #expect(refusal(of: text) != nil)
    }

    @Test func `takes the last of the members with one name`() throws {
        let value = try parse(#"{"a":1,"b":2,"a":{"x":null},"a":[]}"#)

        #expect(value["a"] == .array([]))
        guard case .object(let object) = value else {
            Issue.record("it is an object")
            return
        }
        #expect(object.members.map(\.key) == ["a", "b", "a", "a"])
    }

    @Test func `tells keys apart by their code units`() throws {
        // Swift holds the members of each pair for equal: é in two forms, and K as the Kelvin sign.
        let value = try parse("{\"\u{E9}\":1,\"e\u{301}\":2,\"K\":3,\"\u{212A}\":4}")

        #expect(value["\u{E9}"]?.written == "1")
        #expect(value["e\u{301}"]?.written == "2")
        #expect(value["K"]?.written == "3")
        #expect(value["\u{212A}"]?.written == "4")
    }

    @Test func `refuses every prefix of a document`() throws {
        let text = #" {"a\n":[1.5e+3,-0,"\u00e9é\ud83d\ude00",true,false,null,{}],"b":{"c":[[]]}}"#
        let bytes = Array(text.utf8)
        #expect(throws: Never.self) { try parse(bytes) }

        for length in bytes.indices {
            #expect(refusal(of: Array(bytes[..<length])) != nil, "of \(length) bytes")
        }
    }

    @Test func `survives any byte in any place`() throws {
        let bytes = Array(#"{"a\n":[1.5e+3,"\u00e9é",true,null,{}],"b":{}}"#.utf8)
        var acceptedCount = 0
        for index in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = byte
                if let value = try? parse(changed) {
                    #expect(try parse(value.written) == value)
                    acceptedCount += 1
                }
            }
        }
        #expect(acceptedCount > 500)
    }

    @Test func `opens as many levels as it may and no more`() throws {
        func nested(_ depth: Int) -> String {
            (0..<depth).map { $0 % 2 == 0 ? "[" : #"{"a":"# }.joined() + "1"
                + (0..<depth).reversed().map { $0 % 2 == 0 ? "]" : "}" }.joined()
        }

        #expect(try parse(nested(64)).written == nested(64))
        #expect(
            refusal(of: nested(65))
                == "Malformed JSON at line 1, column 193: nested more than 64 levels deep"
        )
        #expect(try parse("1", maximumDepth: 0).written == "1")
        #expect(refusal(of: "[]", maximumDepth: 0) != nil)
        #expect(refusal(of: "{}", maximumDepth: -1) != nil)
    }

    @Test func `never goes deeper than a stack allows, whatever is asked for`() {
        let deepest = JSONParser.greatestDepth
        for bracket in ["[", #"{"a":"#] {
            let opened = String(repeating: bracket, count: 200_000)

            let message = refusal(of: opened, maximumDepth: .max)

            #expect(message?.hasSuffix("nested more than \(deepest) levels deep") == true)
        }
    }

    @Test func `counts levels that are open, not those that are closed`() throws {
        let text = "[" + Array(repeating: "[[]]", count: 1000).joined(separator: ",") + "]"

        #expect(try parse(text, maximumDepth: 3).written == text)
    }

    @Test func `builds an object of a hundred thousand members`() throws {
        let text = "{" + (0..<100_000).map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}"

        let value = try parse(text)

        #expect(value["99999"]?.written == "99999")
        #expect(value["0"]?.written == "0")
        #expect(value["100000"] == nil)
    }
}
