import HTTP
import Testing

@Suite struct RequestParserErrorTests {
    @Test(
        arguments: [
            ("GET /\r\n", .malformedRequestLine), ("GET\r\n", .malformedRequestLine),
            ("\r\n\r\n", .malformedRequestLine), ("\n", .malformedRequestLine),
            ("GET  / HTTP/1.1\r\n", .malformedRequestLine),
            ("GET  HTTP/1.1\r\n", .malformedRequestLine),
            ("GET /  HTTP/1.1\r\n", .malformedRequestLine),
            ("GET / HTTP/1.1 \r\n", .malformedRequestLine),
            ("GET / HTTP/1.1\u{0}\r\n", .malformedRequestLine),
            ("GET / \r\n", .malformedRequestLine), ("GET / http/1.1\r\n", .malformedRequestLine),
            ("GET / HTTP/1\r\n", .malformedRequestLine),
            ("GET / HTTP/1.10\r\n", .malformedRequestLine),
            ("GET / HTTP/11.1\r\n", .malformedRequestLine),
            ("GET / HTTP/1,1\r\n", .malformedRequestLine),
            ("GET / XTTP/1.1\r\n", .malformedRequestLine),
            ("GET / HTTP/1.1\n", .bareLineEnd), ("GET / HTTP/1.1\r\r\n", .bareLineEnd),
            ("\rGET / HTTP/1.1\r\n", .bareLineEnd),
            (" GET / HTTP/1.1\r\n", .invalidMethod), ("G@T / HTTP/1.1\r\n", .invalidMethod),
            ("GET\t/ HTTP/1.1\r\n", .invalidMethod), ("G\u{0}T / HTTP/1.1\r\n", .invalidMethod),
            ("\u{16}\u{3}\u{1}", .invalidMethod),
            ("GET /# HTTP/1.1\r\n", .invalidTarget), ("GET /\t HTTP/1.1\r\n", .invalidTarget),
            ("GET /\u{e9} HTTP/1.1\r\n", .invalidTarget),
            ("GET /\u{7f} HTTP/1.1\r\n", .invalidTarget),
            ("GET a HTTP/1.1\r\n", .invalidTarget), ("GET * HTTP/1.1\r\n", .invalidTarget),
            ("OPTIONS ** HTTP/1.1\r\n", .invalidTarget), ("GET ?a HTTP/1.1\r\n", .invalidTarget),
            ("GET ftp://a/ HTTP/1.1\r\n", .invalidTarget),
            ("GET http:/a HTTP/1.1\r\n", .invalidTarget),
            ("GET http:///a HTTP/1.1\r\n", .invalidTarget),
            ("GET http: HTTP/1.1\r\n", .invalidTarget),
            ("GET http://u@a/ HTTP/1.1\r\n", .invalidTarget),
            ("GET a:80 HTTP/1.1\r\n", .invalidTarget),
            ("GET https:///a HTTP/1.1\r\n", .invalidTarget),
            ("GET https://a/b HTTP/1.1\r\n", .targetNeedsTLS),
            ("OPTIONS HTTPS://[::1]:443 HTTP/1.1\r\n", .targetNeedsTLS),
            ("CONNECT a:80 HTTP/1.1\r\n", .connectUnsupported),
            ("GET / HTTP/2.0\r\n", .unsupportedVersion),
            ("PRI * HTTP/2.0\r\n", .unsupportedVersion),
            ("GET / HTTP/0.9\r\n", .unsupportedVersion),
            ("GET / HTTP/3.0\r\n", .unsupportedVersion),
        ] as [(String, ParseError)]
    )
    func `refuses a request line`(text: String, expected: ParseError) {
        #expect(error(in: text) == expected)
    }

    @Test(
        arguments: [
            (" A: b\r\n", .foldedField), ("\tA: b\r\n", .foldedField),
            ("A: b\r\n c\r\n", .foldedField),
            ("A : b\r\n", .spaceBeforeColon), ("A\t: b\r\n", .spaceBeforeColon),
            ("A b: c\r\n", .spaceBeforeColon), (": a\r\n", .invalidFieldName),
            ("A\r\n", .invalidFieldName), ("A(: b\r\n", .invalidFieldName),
            ("A\u{e9}: b\r\n", .invalidFieldName), ("A\u{0}: b\r\n", .invalidFieldName),
            ("A: \u{0}\r\n", .invalidFieldValue), ("A: b\u{7f}\r\n", .invalidFieldValue),
            ("A: \u{1b}[2J\r\n", .invalidFieldValue), ("A\n", .bareLineEnd),
            ("A: b\n", .bareLineEnd),
            ("A: b\rc\r\n", .bareLineEnd), ("\n", .bareLineEnd), ("\rA", .bareLineEnd),
        ] as [(String, ParseError)]
    )
    func `refuses a field`(lines: String, expected: ParseError) {
        #expect(error(in: "GET / HTTP/1.1\r\nHost: a\r\n" + lines) == expected)
    }

    @Test func `refuses control characters wherever in a value they are`() {
        let head = "GET / HTTP/1.1\r\nHost: a\r\nA: "
        for byte in UInt8.min...UInt8.max where byte != 10 && byte != 13 {
            for position in 0..<20 {
                var value = [UInt8](repeating: 97, count: 20)
                value[position] = byte
                let bytes = Array(head.utf8) + value + Array("\r\n".utf8)
                let isContent = byte >= 0x20 && byte != 0x7F || byte == 9
                let expected: ParseError? = isContent ? nil : .invalidFieldValue
                #expect(Reading(bytes).error == expected, "\(byte) at \(position)")
            }
        }
    }

    @Test(
        arguments: [
            ("", .missingHost), ("Host: a\r\nHost: a\r\n", .repeatedHost),
            ("Host:\r\n", .invalidHost), ("Host: a b\r\n", .invalidHost),
            ("Host: a/b\r\n", .invalidHost), ("Host: u@a\r\n", .invalidHost),
            ("Host: a:b\r\n", .invalidHost), ("Host: a:80:80\r\n", .invalidHost),
            ("Host: :80\r\n", .invalidHost), ("Host: [::1\r\n", .invalidHost),
            ("Host: []\r\n", .invalidHost), ("Host: [::1]a\r\n", .invalidHost),
            ("Host: [a/]\r\n", .invalidHost), ("Host: %4\r\n", .invalidHost),
            ("Host: a#b\r\n", .invalidHost), ("Host: \u{e9}\r\n", .invalidHost),
        ] as [(String, ParseError)]
    )
    func `refuses a host`(lines: String, expected: ParseError) {
        #expect(error(in: "GET / HTTP/1.1\r\n\(lines)\r\n") == expected)
    }

    @Test(
        arguments: [
            ("", nil), ("Host: a\r\nHost: a\r\n", .repeatedHost), ("Host: /\r\n", .invalidHost),
        ] as [(String, ParseError?)]
    )
    func `wants no host of HTTP/1.0`(lines: String, expected: ParseError?) {
        #expect(error(in: "GET / HTTP/1.0\r\n\(lines)\r\n") == expected)
    }

    @Test(
        arguments: [
            ("Content-Length: +1", .invalidContentLength),
            ("Content-Length: -1", .invalidContentLength),
            ("Content-Length: 1 1", .invalidContentLength),
            ("Content-Length:", .invalidContentLength),
            ("Content-Length: 0x1", .invalidContentLength),
            ("Content-Length: 5, 5", .invalidContentLength),
            ("Content-Length: 1.0", .invalidContentLength),
            ("Content-Length: 9223372036854775808", .invalidContentLength),
            ("Content-Length: 99999999999999999999", .invalidContentLength),
            ("Content-Length: 5\r\ncontent-length: 5", .repeatedContentLength),
            ("Content-Length: 5\r\nContent-Length: 6", .repeatedContentLength),
            ("Content-Length: 5\r\nTransfer-Encoding: chunked", .conflictingLengths),
            ("Transfer-Encoding: chunked\r\nContent-Length: 0", .conflictingLengths),
            ("Content-Length: 1048577", .contentTooLarge),
            ("Content-Length: 9223372036854775807", .contentTooLarge),
            ("Transfer-Encoding:", .invalidTransferEncoding),
            ("Transfer-Encoding: chunked, chunked", .invalidTransferEncoding),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .invalidTransferEncoding),
            ("Transfer-Encoding: chunked, gzip", .invalidTransferEncoding),
            ("Transfer-Encoding: chunked,", .invalidTransferEncoding),
            ("Transfer-Encoding: gzip", .unsupportedTransferCoding),
            ("Transfer-Encoding: gzip, chunked", .unsupportedTransferCoding),
            ("Transfer-Encoding: identity", .unsupportedTransferCoding),
            ("Transfer-Encoding: xchunked", .unsupportedTransferCoding),
            ("Transfer-Encoding: \"chunked\"", .unsupportedTransferCoding),
            ("Expect: 200-ok", .unknownExpectation),
            ("Expect: 100-continue, x", .unknownExpectation),
            ("Expect: 100-continue\r\nContent-Length: 1048577", .contentTooLarge),
        ] as [(String, ParseError)]
    )
    func `refuses a body`(lines: String, expected: ParseError) {
        #expect(error(in: "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n") == expected)
    }

    @Test func `refuses chunks of HTTP/1.0`() {
        let text = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"

        #expect(error(in: text) == .transferEncodingInHTTP10)
    }

    @Test func `gives each error its status`() {
        let statuses = Dictionary(grouping: ParseError.allCases, by: \.status)

        #expect(statuses[.contentTooLarge] == [.contentTooLarge])
        #expect(statuses[.uriTooLong] == [.targetTooLong])
        #expect(statuses[.misdirectedRequest] == [.targetNeedsTLS])
        #expect(statuses[.expectationFailed] == [.unknownExpectation])
        #expect(
            statuses[.requestHeaderFieldsTooLarge]
                == [.headTooLarge, .tooManyFields, .trailersTooLarge]
        )
        #expect(statuses[.notImplemented] == [.connectUnsupported, .unsupportedTransferCoding])
        #expect(statuses[.httpVersionNotSupported] == [.unsupportedVersion])
        #expect(statuses[.badRequest]?.count == ParseError.allCases.count - 10)
        #expect(statuses.count == 8)
    }

    @Test(arguments: ParseError.allCases)
    func `says each error in one sentence`(error: ParseError) {
        #expect(error.message.hasSuffix("."))
        #expect(error.message.first?.isUppercase == true)
        #expect(ParseError.allCases.filter { $0.message == error.message } == [error])
    }
}
