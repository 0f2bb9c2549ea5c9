import Events
import Formats
import HTTP
import Model
import Rules

/// The attendances of an event, and a user's own ones.
struct AttendancesController: Controller {
    let services: Services

    func index(_ call: Call) async throws -> Response {
        let id = try call.id()
        return try await services.response(to: call) { viewer in
            try await services.attendances.all(ofEvent: id, for: viewer)
        } _: { attendances in
            await AttendanceView.body(of: attendances).response(.ofJSON)
        }
    }

    func create(_ call: Call) async throws -> Response {
        let user = try await services.authentication.publisher(of: call.request)
        let parameters = try call.parameters()
        let event = parameters["event", "id"]
        // In a URL, a code would stay in logs.
        let code = parameters.ofBody["code"]
        if !code.isBlank {
            let isAny = parameters["event"].isBlank && event == .absent
            return try await join(code, isAny ? nil : event, user, call)
        }
        guard let eventID = event.recordID else { throw RequestError.notFound }
        let attendance = try await services.attendances.findOrCreate(
            userID: user.id,
            eventID: eventID
        )
        let response = IDView.response(attendance.id)
        return try await self.response(to: call, with: attendance, of: user, otherwise: response)
    }

    /// Returns the response with an attendance and its event, if the client prefers it.
    private func response(
        to call: Call,
        with attendance: Attendance,
        of user: User,
        otherwise usual: Response
    ) async throws -> Response {
        guard call.request.prefersRepresentation,
            let event = try await services.events.findDated(attendance.eventID, for: user.id)
        else { return usual }
        let body = AttendanceView.json(attendance, EventRepresentation.json.event(event.event))
        return .record(body, at: nil, call.request.method)
    }

    /// Records that the user attends the event with a code, which must be this event if one is
    /// given.
    private func join(
        _ code: Input,
        _ event: Input?,
        _ user: User,
        _ call: Call
    ) async throws -> Response {
        guard let code = code.spelling.flatMap(SecretCode.init),
            event == nil || event?.recordID != nil
        else { throw RequestError.notFound }
        let attendance = try await services.invitations.join(
            TokenDigest(of: code.secret),
            eventID: event?.recordID,
            userID: user.id
        )
        let response = AttendanceView.response(attendance)
        return try await self.response(to: call, with: attendance, of: user, otherwise: response)
    }

    func destroy(_ call: Call) async throws -> Response {
        let user = try await services.authentication.user(of: call.request)
        // There is no GET of an attendance, so it has no entity tag.
        let precondition = call.request.precondition { (_: Attendance) in nil }
        try await services.attendances.delete(call.id(), userID: user.id, if: precondition)
        return Response(.noContent)
    }
}
