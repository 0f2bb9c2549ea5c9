import HTTP
import Model

/// The attendances of an event.
struct EventAttendancesController: Sendable {
    let services: Services

    func index(_ call: Call) async throws -> Response {
        guard let attendances = try await services.attendances.all(ofEvent: call.id()) else {
            throw RequestError.notFound
        }
        return await AttendanceView.body(of: attendances).response(.ofJSON)
    }
}
