/// A request as a client puts it on the wire.
package struct TestRequest: Sendable {
    package let method: String
    /// Path and query, percent-encoded.
    package let target: String
    package let bytes: [UInt8]

    /// A request with the user's token, if there is a user.
    ///
    /// `Host` is added and, where there is a body or could be one, its length.
    package init(
        _ method: String,
        _ target: String,
        as user: TestUser? = nil,
        _ headers: KeyValuePairs<String, String> = [:],
        body: String = ""
    ) {
        let lines = headers.map { name, value in "\(name): \(value)\r\n" }.joined()
        self.init(method, target, as: user, lines: lines, body: body)
    }

    /// The same with header lines as they are sent, of which several may have one name.
    package init(
        _ method: String,
        _ target: String,
        as user: TestUser? = nil,
        lines: String,
        body: String = ""
    ) {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: humon.test\r\n"
        if let user { text += "tb-auth-token: \(user.token)\r\n" }
        text += lines
        if !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) {
            text += "Content-Length: \(body.utf8.count)\r\n"
        }
        self.init(method, target, wire: text + "\r\n" + body)
    }

    /// These bytes, whatever they are; method and target are for those who look at the answer.
    package init(_ method: String, _ target: String, wire: String) {
        self.method = method
        self.target = target
        bytes = Array(wire.utf8)
    }
}
