/// A response as a client reads it, without its date.
struct Answer: Equatable, CustomStringConvertible {
    let status: Int
    /// Whether the server says that it closes the connection.
    let closes: Bool
    /// Whether the server says that it keeps the connection open.
    let saysKeepAlive: Bool
    let contentLength: Int?
    var body = ""

    init(_ status: Int, _ body: String, closes: Bool = false, saysKeepAlive: Bool = false) {
        self.status = status
        self.closes = closes
        self.saysKeepAlive = saysKeepAlive
        self.body = body
        contentLength = body.utf8.count
    }

    /// Reads a head.
    init(head: [UInt8]) throws {
        let lines = String(decoding: head, as: UTF8.self).lowercased().split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count > 2, words[0] == "http/1.1", let status = Int(words[1]) else {
            throw ClientError("no head: \(lines)")
        }
        guard status < 200 || lines.contains(where: { $0.hasPrefix("date: ") }) else {
            throw ClientError("no date: \(lines)")
        }
        self.status = status
        closes = lines.contains("connection: close")
        saysKeepAlive = lines.contains("connection: keep-alive")
        let length = lines.first { $0.hasPrefix("content-length: ") }
        contentLength = length.flatMap { Int($0.dropFirst(16)) }
    }

    var description: String {
        "\(status) \(body)\(closes ? " (close)" : "")\(saysKeepAlive ? " (keep-alive)" : "")"
    }

    static func ok(_ body: String, closes: Bool = false, saysKeepAlive: Bool = false) -> Answer {
        Answer(200, body, closes: closes, saysKeepAlive: saysKeepAlive)
    }
}
