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
    }

    var body: some Scene {
        WindowGroup {
            NavigationStack {
                if isSignedIn { NearbyView(humon) } else { SignInView(humon: humon) }
            }
            .task {
                for await state in humon.session.states { isSignedIn = state != .signedOut }
            }
            .task {
                try? await RegionWatcher(humon: humon).run { id in
                    // Show a notification here, if the event takes place now.
                    print("Entered event", id)
                }
            }
        }
    }
}
