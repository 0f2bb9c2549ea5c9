import Foundation
import Support
import Testing

/// The program restarted as systemd does it: the socket stays open, and whoever starts the program
/// is told when it serves.
@Suite struct RestartTests {
    /// How often it is restarted; `HUMON_RESTARTS` asks for more.
    private static let count =
        ProcessInfo.processInfo.environment["HUMON_RESTARTS"].flatMap { Int($0) } ?? 5

    @Test func `refuses and drops no request when it is restarted under load`() async throws {
        try await onThread {
            let service = try ActivatedService()
            var process = try service.start()
            let load = RequestLoad(port: service.port)

            for _ in 0..<Self.count {
                load.awaitAnswers(500)
                #expect(service.stop(process) == 0)
                process = try service.start()
            }

            load.awaitAnswers(500)
            #expect(load.finish() == [])
            #expect(service.stop(process) == 0)
        }
    }

    @Test func `stops although nobody hears it`() async throws {
        try await onThread {
            let service = try ActivatedService()
            let process = try service.start()

            #expect(try service.stopUnheard(process) == 0)
        }
    }
}
