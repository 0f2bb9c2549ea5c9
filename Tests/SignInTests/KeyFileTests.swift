import Foundation
import System
import Testing

@testable import SignIn

/// Keys that come from a file.
@Suite final class KeyFileTests {
    private let path = NSTemporaryDirectory() + "humon-keys-\(UUID().uuidString).json"
    private let clock = Clock()

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @Test func `reads a file again when it has changed, and keeps keys while it is broken`() throws
    {
        let keys = try #require(Vectors.documents()["https://second.example"])
        let verifier = try verifier()
        verifier.refresh()
        #expect(verifier.statuses.first?.error != nil)

        try replace(with: keys)
        advance(seconds: 30)
        verifier.refresh()
        #expect(verifier.statuses.first?.error == nil)
        #expect(verifier.statuses.first?.keys.map(\.name) == ["s1"])

        try replace(with: Array("{".utf8))
        advance(seconds: 67)
        verifier.refresh()
        #expect(verifier.statuses.first?.error == "it is not a JSON Web Key Set")
        #expect(verifier.statuses.first?.keys.map(\.name) == ["s1"])

        try replace(with: try #require(Vectors.documents()["https://issuer.example"]))
        advance(seconds: 30)
        verifier.refresh()
        #expect(verifier.statuses.first?.error == nil)
        #expect(verifier.statuses.first?.keys.first?.name == "r1")
    }

    @Test func `an unchanged file never becomes too old`() throws {
        try replace(with: try #require(Vectors.documents()["https://second.example"]))
        let verifier = try verifier()
        for _ in 0..<3 {
            verifier.refresh()
            advance(seconds: 86_400)
        }
        verifier.refresh()

        #expect(verifier.statuses.first?.ageSeconds == 0)
    }

    private func verifier() throws -> IDTokenVerifier {
        try IDTokenVerifier(
            Issuer.list("https://second.example app-9 \(path)"),
            refreshMinutes: 60,
            uptime: { [clock] in clock.milliseconds.withLock { $0 } }
        )
    }

    /// Replaces the file as `mv` does.
    private func replace(with bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: path), options: .atomic)
    }

    private func advance(seconds: Int64) {
        clock.milliseconds.withLock { $0 += seconds * 1000 }
    }
}

private final class Clock: Sendable {
    let milliseconds = Mutex<Int64>(0)
}
