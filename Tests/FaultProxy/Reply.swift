import HTTP

/// A response of the server whose body is still to be read.
struct Reply {
    let status: Int
    private let server: Wire
    private let head: String
    /// The bytes of the body that arrived with the head.
    private let start: ArraySlice<UInt8>
    /// The length of the body; nil if the end of the connection or the last chunk ends it.
    private let length: Int?

    /// Forwards a request, and waits for the head of the response; nil without a response.
    init?(to request: Request, from server: Wire) {
        // A server that rejects a body closes early, and its response can still be read.
        _ = server.send(Self.bytes(of: request))
        var received: [UInt8] = []
        var headEnd: Int?
        while headEnd == nil {
            let bytes = server.receive()
            guard !bytes.isEmpty else { return nil }
            received += bytes
            headEnd = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
        }
        start = received[(headEnd ?? 0)...]
        var lines = String(decoding: received.dropLast(start.count), as: UTF8.self)
            .split(separator: "\r\n")
        status = lines.first.flatMap { Int($0.dropFirst(9).prefix(3)) } ?? 0
        self.server = server
        if request.keepsAlive { lines.removeAll { $0.lowercased().hasPrefix("connection:") } }
        head = lines.joined(separator: "\r\n") + "\r\n\r\n"
        let field = lines.first { $0.lowercased().hasPrefix("content-length: ") }
        let hasBody = request.method != .head && Status(status).allowsContent
        length = hasBody ? field.flatMap { Int($0.dropFirst(16)) } : 0
    }

    /// Returns a request after whose response the server closes the connection.
    private static func bytes(of request: Request) -> [UInt8] {
        var head = "\(request.method.rawValue) \(request.target) HTTP/1.1\r\n"
        let replaced = ["connection", "content-length", "transfer-encoding", "expect"]
        for field in request.headers.fields where !replaced.contains(field.name) {
            head += "\(field.name): \(field.value)\r\n"
        }
        head += "content-length: \(request.body.count)\r\nconnection: close\r\n\r\n"
        return Array(head.utf8) + request.body
    }

    /// Passes head and body to `send` as they arrive, until it returns false or `client` is gone.
    ///
    /// It returns whether all of a complete response was passed.
    func relay(to client: Wire, _ send: (ArraySlice<UInt8>) -> Bool) -> Bool {
        guard send(Array(head.utf8)[...]) else { return false }
        var (piece, count, tail) = (start, 0, start.prefix(0))
        while true {
            guard piece.isEmpty || send(piece) else { return false }
            count += piece.count
            tail = (tail + piece).suffix(5)
            if let length, count >= length { return true }
            guard server.hasInput(before: client) else { return false }
            piece = server.receive()[...]
            if piece.isEmpty { return length == nil && tail.elementsEqual("0\r\n\r\n".utf8) }
        }
    }
}

extension Request {
    /// The path and the query.
    var target: String { path + (query.map { "?" + $0 } ?? "") }
}
