import Model
import Support
import Testing

/// `SYSTEMS` switches each system off completely.
@Suite struct SystemsSpec {
    private static let probes:
        [(system: ServedSystem, method: String, target: String, status: Int)] = [
            (.humon, "GET", "/v1/events/nearests?lat=0&lon=0", 200),
            (.todo, "GET", "/v1/tasks.json", 401),
            (.mytasks, "POST", "/my_tasks/pending_tasks.php", 200),
            (.twosquare, "GET", "/api/checkins", 200),
        ]

    @Test(arguments: ServedSystem.allCases)
    func `serves the systems that are named and no other`(system: ServedSystem) async throws {
        try await withServer(.inProcess, systems: [system]) { server in
            for probe in Self.probes {
                let answer = try await server.send(probe.method, probe.target)
                #expect(answer.status == (probe.system == system ? probe.status : 404))
            }
        }
    }
}
