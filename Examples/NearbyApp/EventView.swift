import HumonClient
import SwiftUI

/// An event, with what the app stores ask for: a report, and a block of its owner.
struct EventView: View {
    let humon: HumonClient
    let event: Event
    @State private var isReporting = false
    @State private var message: String?
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        List {
            Text(event.startedAt, style: .date)
            if let address = event.address { Text(address) }
            if let description = event.description { Text(description) }
            Button("Attend") {
                perform("You are on the list.") {
                    try await humon.attendances.attend(event.id)
                }
            }
            Button("Report", role: .destructive) { isReporting = true }
            Button("Block \(event.owner.name ?? "its owner")", role: .destructive) {
                perform(nil) {
                    try await humon.blocks.block(ownerOf: event.id)
                }
            }
            if let message { Text(message) }
        }
        .navigationTitle(event.name)
        .confirmationDialog(
            "What is wrong with it?",
            isPresented: $isReporting,
            titleVisibility: .visible
        ) {
            Button("Spam") { report(.spam) }
            Button("Offensive") { report(.offensive) }
            Button("Illegal") { report(.illegal) }
            Button("Dangerous for children") { report(.childSafety) }
            Button("Not true") { report(.wrong) }
        }
    }

    private func report(_ reason: ReportReason) {
        perform("Thank you. We look at it.") {
            try await humon.reports.report(event: event.id, reason: reason)
        }
    }

    /// Sends a request, and shows a message or, without one, goes back to the list.
    private func perform(
        _ success: String?,
        _ request: @escaping () async throws -> Void
    ) {
        Task {
            do {
                try await request()
                if let success { message = success } else { dismiss() }
            } catch {
                message = error.localizedDescription
            }
        }
    }
}
