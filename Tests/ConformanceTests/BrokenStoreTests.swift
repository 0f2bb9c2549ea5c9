import Conformance
import StorageSupport
import Testing

@Suite struct BrokenStoreTests {
    @Test("A case fails on a store that", arguments: StorageFault.allCases)
    func fails(fault: StorageFault) async throws {
        var findings: [String] = []
        for conformanceCase in ConformanceCases.all {
            let storage = try StorageFixture()
            do {
                try await conformanceCase.run(on: storage.subject.broken(by: fault))
            } catch {
                findings.append("\(conformanceCase.name) — \(error)")
            }
        }
        print("FAULT", fault, findings.joined(separator: "\nFAULT \(fault) "))
    }
}
