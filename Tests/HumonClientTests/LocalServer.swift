#if os(Linux)
import Foundation
import Testing

/// A server in this process that sends the same response to each request.
final class LocalServer: Sendable {
    let url: URL
    private let descriptor: Int32

    init(sending body: Data, status: String = "200 OK", type: String = "application/json") throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(descriptor, name, length) + listen(descriptor, 8)
                    + getsockname(descriptor, name, &length)
            }
        }
        try #require(code == 0)
        let port = UInt16(bigEndian: address.sin_port)
        url = try #require(URL(string: "http://127.0.0.1:\(port)"))
        let head = """
            HTTP/1.1 \(status)\r
            content-type: \(type)\r
            content-length: \(body.count)\r
            connection: close\r
            \r

            """
        let response = Data(head.utf8) + body
        Thread.detachNewThread {
            while case let client = accept(descriptor, nil, nil), client >= 0 {
                let connection = FileHandle(fileDescriptor: client, closeOnDealloc: true)
                _ = connection.availableData
                try? connection.write(contentsOf: response)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}
#endif
