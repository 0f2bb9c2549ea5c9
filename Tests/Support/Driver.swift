/// The two ways in which the requests of a spec reach the application.
package enum Driver: String, CaseIterable, Sendable {
    /// From bytes to bytes by way of parser, application and serializer, without a socket.
    case inProcess
    /// Over TCP, from a real server.
    case socket
}
