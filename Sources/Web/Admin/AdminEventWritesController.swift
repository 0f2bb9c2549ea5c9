import Events
import HTTP
import Model

/// Changes of events by admins.
struct AdminEventWritesController: AdminController {
    let services: AdminServices

    /// Changes the given attributes.
    func update(_ call: AdminCall) async throws -> Response {
        let draft = EventDraft(try call.call.objectParameters())
        guard draft != EventDraft() else {
            throw RequestError.nothingToChange(keys: EventDraft.keys)
        }
        let id = try call.call.id()
        let done = try await services.moderation.edit(
            id,
            by: call.admin.name,
            if: call.request.precondition(AdminEventView.etag)
        ) { attributes in try draft.merged(onto: attributes) }
        if done != nil { services.log(.edit, "event", "\(id)", by: call.admin) }
        return try await response(with: id).noting(done)
    }

    func hide(_ call: AdminCall) async throws -> Response { try await perform(.hide, call) }

    func show(_ call: AdminCall) async throws -> Response { try await perform(.show, call) }

    private func perform(_ action: AdminAction, _ call: AdminCall) async throws -> Response {
        let id = try call.call.id()
        let done = try await services.perform(action, .event(id), by: call.admin)
        return try await response(with: id).noting(done)
    }

    func destroy(_ call: AdminCall) async throws -> Response {
        let id = try call.call.id()
        if let precondition = call.request.precondition(AdminEventView.etag) {
            let events = AdminEventsController(services: services.api)
            guard let row = try await events.events([id])[id] else { throw RequestError.notFound }
            try precondition(row.event.event)
        }
        let done = try await services.perform(.delete, .event(id), by: call.admin)
        return Response(.noContent).noting(done)
    }

    private func response(with id: Int64) async throws -> Response {
        try await AdminServices.response(toChangeOf: id) {
            try await AdminEventsController(services: services.api).response(with: id)
        }
    }
}
