import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import HumonClient

@Suite struct ConnectionTests {
    private let session = URLSession(configuration: .ephemeral)
    private let connections = Connections()

    /// Returns a connection whose request is never sent.
    private func connection(_ limits: Connection.Limits) -> (Connection, URLSessionDataTask) {
        let connection = Connection(limits)
        let task = session.dataTask(with: URLRequest(url: URL(filePath: "/never")))
        connections.add(connection, of: task)
        return (connection, task)
    }

    private func deliver(_ text: String, to task: URLSessionDataTask) {
        connections.urlSession(session, dataTask: task, didReceive: Data(text.utf8))
    }

    private func kindOfEnd(of connection: Connection) async -> HumonError.Kind? {
        do {
            _ = try await connection.rest()
            return nil
        } catch {
            return error.kind
        }
    }

    @Test func `ends when more is unread than its limit`() async {
        let (connection, task) = connection(.init(bytes: 8, seconds: 3_600, isSilence: true))
        deliver("12345678", to: task)
        #expect(await connection.next() == Data("12345678".utf8))
        deliver("1234", to: task)
        deliver("56789", to: task)
        deliver("1", to: task)

        #expect(await connection.next() == Data("1234".utf8))
        #expect(await connection.next() == nil)
        #expect(await kindOfEnd(of: connection) == .decoding)
    }

    @Test(arguments: [true, false])
    func `ends after its time`(isSilence: Bool) async {
        let (connection, _) = connection(.init(bytes: 8, seconds: 0.01, isSilence: isSilence))

        #expect(await connection.next() == nil)
        #expect(await kindOfEnd(of: connection) == .timeout)
    }
}
