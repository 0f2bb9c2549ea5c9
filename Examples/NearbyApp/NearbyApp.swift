import HumonClient
import SwiftUI

/// The app: a list of what is near, behind a sign-in.
@main
struct NearbyApp: App {
    private let humon: HumonClient
    @State private var isSignedIn = false

    init() {
        // The address of your server. A simulator shares the network of the Mac.
        guard let url = URL(string: "http://localhost:3000") else { fatalError("No URL") }
        humon = HumonClient(HumonConfiguration(baseURL: url))
        // Not in a view, because iOS launches the app in the background when the phone enters a
        // circle. Your app can wait with the question until the person wants to be notified.
        let watcher = RegionWatcher(humon: humon)
        Task {
            try? await watcher.run { id in
                // Show a notification here, if the event takes place now.
                print("Entered event", id)
            }
        }
    }

    var body: some Scene {
        WindowGroup {
            NavigationStack {
                if isSignedIn { NearbyView(humon) } else { SignInView(humon: humon) }
            }
            .task {
                for await state in humon.session.states { isSignedIn = state != .signedOut }
            }
        }
    }
}
