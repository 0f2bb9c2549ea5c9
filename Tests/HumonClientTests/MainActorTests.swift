import Foundation
import Testing

@testable import HumonClient

/// Calls from the main actor.
@Suite struct MainActorTests {
    @MainActor
    @Test func `are sent elsewhere`() async throws {
        let isOnMain = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: isOnMain, value: true)
        let seen = Locked<[Bool]>([])
        let humon = try HumonClient.test {
            $0.timeout = .zero
            $0.traceparent = {
                let isHere = DispatchQueue.getSpecific(key: isOnMain) == true
                seen.withLock { $0.append(isHere) }
                return nil
            }
        }

        _ = humon.configuration.traceparent?()
        _ = try? await humon.events.page(.all)
        do {
            for try await _ in humon.events.search(.all) {}
        } catch {
            #expect(error.kind == .timeout)
        }

        #expect(seen.withLock { $0 } == [true, false, false])
    }

    /// What isn't `@concurrent` could decode on the actor of its caller.
    @Test func `leave it in each method`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "HumonClient.api")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let methods = lines.filter { $0.contains(" async ") && !$0.contains("func next()") }

        #expect(methods.count > 25)
        #expect(methods.filter { !$0.contains("@concurrent ") } == [])
    }
}
