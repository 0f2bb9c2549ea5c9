import Foundation
import Glibc
import Testing

@testable import Operations

@Suite struct ServiceManagerTests {
    private static func sockets(
        _ variables: [String: String]
    ) -> ServiceManager.InheritedSockets {
        ServiceManager.InheritedSockets(processID: 42) { variables[$0] }
    }

    @Test func `takes the socket that it is given`() {
        let sockets = Self.sockets(["LISTEN_PID": "42", "LISTEN_FDS": "1"])

        #expect(sockets.apps == 3)
        #expect(sockets.admin == nil)
        #expect(sockets.unusedCount == 0)
    }

    @Test(arguments: [("admin:humon", 4, 3), ("humon.socket:admin", 3, 4)])
    func `knows the socket for administration by its name`(
        names: String,
        apps: Int32,
        admin: Int32
    ) {
        let sockets = Self.sockets([
            "LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": names,
        ])

        #expect(sockets.apps == apps)
        #expect(sockets.admin == admin)
    }

    @Test func `counts what it has no use for`() {
        #expect(Self.sockets(["LISTEN_PID": "42", "LISTEN_FDS": "3"]).unusedCount == 2)
    }

    @Test(
        arguments: [
            [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "41", "LISTEN_FDS": "1"],
            ["LISTEN_PID": "42"],
        ]
    )
    func `takes nothing that is not meant for it`(variables: [String: String]) {
        let sockets = Self.sockets(variables)

        #expect(sockets.apps == nil && sockets.admin == nil && sockets.unusedCount == 0)
        #expect(sockets.isReadable)
    }

    @Test(arguments: ["0", "-1", "x", "", "65", "99999999999999999999"])
    func `notices a number that makes no sense`(count: String) {
        #expect(!Self.sockets(["LISTEN_PID": "42", "LISTEN_FDS": count]).isReadable)
    }
}
