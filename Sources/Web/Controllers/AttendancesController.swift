import HTTP
import Model
import Rules

/// A user's own attendances.
struct AttendancesController: Sendable {
    let services: Services

    func create(_ call: Call) async throws -> Response {
        let user = try await services.authentication.user(of: call.request)
        guard let eventID = try call.parameters()["event", "id"].recordID else {
            throw RequestError.notFound
        }
        let attendance = try await services.attendances.findOrCreate(
            userID: user.id,
            eventID: eventID
        )
        return IDView.response(attendance.id)
    }

    func destroy(_ call: Call) async throws -> Response {
        let user = try await services.authentication.user(of: call.request)
        // There is no GET of an attendance, so it has no entity tag.
        let precondition = call.request.precondition { (_: Attendance) in nil }
        try await services.attendances.delete(call.id(), userID: user.id, if: precondition)
        return Response(.noContent)
    }
}
