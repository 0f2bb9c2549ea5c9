import HumonClient
import SwiftUI

/// The name, the devices, and the deletion of everything.
struct SettingsView: View {
    let humon: HumonClient
    @State private var name = ""
    @State private var devices: [Device] = []
    @State private var isDeleting = false
    @State private var problem: String?

    var body: some View {
        List {
            Section("Name that others see") {
                TextField("Name", text: $name).onSubmit { rename() }
            }
            Section("Devices") {
                ForEach(devices) { device in
                    if device.isCurrent {
                        Text("This device")
                    } else {
                        Button("End \(device.name ?? "a device")", role: .destructive) {
                            end(device)
                        }
                    }
                }
            }
            Section("Account") {
                Button("Delete my account", role: .destructive) { isDeleting = true }
            }
            if let problem { Text(problem) }
        }
        .navigationTitle("Settings")
        .task { await load() }
        .confirmationDialog(
            "Delete all your data?",
            isPresented: $isDeleting,
            titleVisibility: .visible
        ) {
            Button("Delete", role: .destructive) { deleteAccount() }
        }
    }

    private func load() async {
        await perform {
            name = try await humon.users.me().name ?? ""
            devices = try await humon.users.devices()
        }
    }

    private func rename() {
        Task { await perform { try await humon.users.rename(name.isEmpty ? nil : name) } }
    }

    private func end(_ device: Device) {
        Task {
            await perform {
                try await humon.users.endDevice(device.id)
                devices = try await humon.users.devices()
            }
        }
    }

    /// Afterwards the state of the session is `signedOut`, and the app shows the sign-in.
    private func deleteAccount() {
        Task { await perform { try await humon.users.deleteMe() } }
    }

    private func perform(_ requests: () async throws -> Void) async {
        do {
            try await requests()
            problem = nil
        } catch {
            problem = error.localizedDescription
        }
    }
}
