import Foundation
import Testing

@testable import HumonClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The kinds of errors.
@Suite struct HumonErrorTests {
    private static func error(
        _ status: Int,
        _ body: String = "",
        _ headers: [String: String] = [:]
    ) throws -> HumonError {
        let response = HTTPURLResponse(
            url: try #require(URL(string: "https://a.example")),
            statusCode: status,
            httpVersion: nil,
            headerFields: headers
        )
        return HumonError(try #require(response), Data(body.utf8))
    }

    /// The table of the statuses, and whether a repetition can succeed.
    @Test(
        arguments: [
            (400, .badRequest, false), (401, .unauthorized, false), (403, .forbidden, false),
            (404, .notFound, false), (405, .notFound, false), (410, .gone, false),
            (409, .conflict, false), (412, .preconditionFailed, false), (413, .tooLarge, false),
            (414, .tooLarge, false), (431, .tooLarge, false), (422, .validationFailed, false),
            (408, .timeout, true), (429, .rateLimited, true), (502, .unavailable, true),
            (503, .unavailable, true), (504, .unavailable, true), (500, .server, false),
            (501, .server, false), (418, .server, false), (599, .server, false),
            (301, .redirected, false), (302, .redirected, false), (308, .redirected, false),
        ] as [(Int, HumonError.Kind, Bool)]
    )
    func `has a kind for each status`(
        status: Int,
        kind: HumonError.Kind,
        isTemporary: Bool
    ) throws {
        for body in ["", "<html>", "{}", #"{"message":7}"#, #"{"message":"No"}"#] {
            let error = try Self.error(status, body, ["X-Request-Id": "r"])
            #expect(error.kind == kind)
            #expect(error.isTemporary == isTemporary)
            #expect(error.status == status)
            #expect(error.requestID == "r")
            let sentence =
                body.hasSuffix(#""No"}"#) ? "No" : "The server responded with status \(status)."
            #expect(error.localizedDescription == sentence)
        }
    }

    @Test(
        arguments: [
            (.timedOut, .timeout, true), (.cancelled, .cancelled, false),
            (.notConnectedToInternet, .network, true), (.networkConnectionLost, .network, true),
            (.cannotConnectToHost, .network, true), (.cannotFindHost, .network, true),
            (.dnsLookupFailed, .network, true), (.secureConnectionFailed, .network, true),
        ] as [(URLError.Code, HumonError.Kind, Bool)]
    )
    func `has a kind for each failure of the network`(
        code: URLError.Code,
        kind: HumonError.Kind,
        isTemporary: Bool
    ) {
        let error = HumonError(URLError(code))

        #expect(error.kind == kind)
        #expect(error.isTemporary == isTemporary)
        #expect(error.status == nil)
    }

    @Test func `says what is invalid`() throws {
        let error = try Self.error(
            422,
            #"{"message":"Validation Failed","errors":["Lat can't be blank","Name is too long"]}"#
        )

        #expect(error.errors == ["Lat can't be blank", "Name is too long"])
        #expect(error.message == "Validation Failed")
        #expect(error.localizedDescription == "Lat can't be blank, Name is too long")
    }

    @Test(
        arguments: [
            ("0", .seconds(0)), ("7", .seconds(7)), ("86400", .seconds(86_400)),
            ("86401", .seconds(86_400)),
            ("-1", nil), ("9223372036854775808", nil), ("Wed, 21 Oct 2036 07:28:00 GMT", nil),
            ("", nil),
        ] as [(String, Duration?)]
    )
    func `reads the time to wait`(text: String, time: Duration?) throws {
        #expect(try Self.error(429, "", ["Retry-After": text]).retryAfter == time)
    }

    @Test func `has the users of a conflict, and the version of a changed record`() throws {
        let conflict = try Self.error(
            409,
            #"{"message":"m","device":{"id":2,"events":1,"attendances":4},"user":{"id":1}}"#
        ).conflict
        let changed = try Self.error(412, "{}", ["ETag": "\"x\""])

        #expect(conflict?.device.id == 2)
        #expect(conflict?.user.id == 1)
        #expect(conflict?.device.events == 1)
        #expect(conflict?.device.attendances == 4)
        #expect(changed.version == "\"x\"")
        #expect(try Self.error(409, #"{"message":"m"}"#).conflict == nil)
        #expect(try Self.error(404, "{}", ["ETag": "\"x\""]).version == nil)
    }

    @Test func `knows the errors of Humon`() throws {
        #expect(try Self.error(401, #"{"message":"Unauthorized"}"#).isHumons)
        for body in ["", "<html>", "{}", "[]", #"{"error":"x"}"#] {
            #expect(try !Self.error(401, body).isHumons)
        }
    }
}
