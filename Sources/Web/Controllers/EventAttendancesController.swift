import HTTP
import Model

/// The attendances of an event.
struct EventAttendancesController: Sendable {
    let services: Services

    func index(_ call: Call) async throws -> Response {
        let id = try call.id()
        return try await services.response(to: call) { viewer in
            try await services.attendances.all(ofEvent: id, for: viewer)
        } _: { attendances in
            await AttendanceView.body(of: attendances).response(.ofJSON)
        }
    }
}
