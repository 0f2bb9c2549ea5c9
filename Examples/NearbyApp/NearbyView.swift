import HumonClient
import SwiftUI

/// A list of the events near the phone.
struct NearbyView: View {
    private let humon: HumonClient
    @State private var model: NearbyModel

    init(_ humon: HumonClient) {
        self.humon = humon
        _model = State(wrappedValue: NearbyModel(humon))
    }

    var body: some View {
        List(model.events) { event in
            NavigationLink(title(of: event)) { EventView(humon: humon, event: event) }
        }
        .overlay {
            if let problem = model.problem {
                ContentUnavailableView(problem, systemImage: "wifi.slash")
            } else if model.events.isEmpty {
                ContentUnavailableView("Nothing is near", systemImage: "mappin.slash")
            }
        }
        .navigationTitle("Nearby")
        .toolbar {
            NavigationLink("Settings") { SettingsView(humon: humon) }
        }
        .task { await load() }
        .refreshable { await load() }
    }

    private func load() async {
        if let place = try? await Coordinate.ofPhone() { await model.load(near: place) }
    }

    private func title(of event: Event) -> String {
        guard let distance = event.distance else { return event.name }
        return "\(event.name), \(Int(distance.meters)) m"
    }
}
