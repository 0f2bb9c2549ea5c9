import Foundation
import HumonClient
import Observation

/// The events near a place.
@MainActor @Observable
final class NearbyModel {
    private(set) var events: [Event] = []
    private(set) var problem: String?
    private let humon: HumonClient
    init(_ humon: HumonClient) { self.humon = humon }

    func load(near place: Coordinate) async {
        do {
            let query = EventQuery.near(place, radius: .kilometers(5)).when(.upcoming)
            events = try await humon.events.page(query).events
            problem = nil
        } catch {
            if error.kind != .cancelled { problem = error.localizedDescription }
        }
    }
}
