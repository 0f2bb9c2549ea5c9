/// The two ways in which the requests of a spec reach the application.
package enum Driver: String, CaseIterable, Sendable {
    /// From bytes to bytes by way of parser, application and serializer, without a socket.
    case inProcess
    /// Over TCP, from a real server.
    case socket

    /// Both, but on PostgreSQL only a real server, whose loops have connections of their own.
    package static var allCases: [Driver] {
        TestStorage.ofEnvironment == .postgresql ? [.socket] : [.inProcess, .socket]
    }
}
