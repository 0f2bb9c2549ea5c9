import Events
import Formats
import HTTP
import Model
import Rules

/// Events, which any client can read unless they are private, and only their owner can change.
struct EventsController: Controller {
    let services: Services

    func show(_ call: Call) async throws -> Response {
        let id = try call.id()
        let token = services.authentication.viewerToken(of: call.request)
        if let event = try await services.events.representation(of: id, for: token) {
            return .json(.ok, body: event)
        }
        return try await services.response(toViewerOf: call) { viewer in
            try await services.events.findDated(id, for: viewer)
        } _: { event in
            .json(.ok, body: EventRepresentation.json.event(event.event))
        }
    }

    /// Returns the response of `show` if the event is in memory.
    func showFromMemory(_ call: Call) throws -> Response? {
        let token = services.authentication.viewerToken(of: call.request)
        return try services.events.representationInMemory(of: call.id(), for: token)
            .map { .json(.ok, body: $0) }
    }

    /// Returns an action that responds with the event as a file in this format.
    func document(_ format: EventFormat) -> Action {
        { call in
            let id = try call.id()
            return try await services.response(to: call) { viewer in
                try await services.events.findDated(id, for: viewer)
            } _: { event in
                // Only JSON tells the owner that an event is hidden.
                if event.event.hidden != nil, format != .geojson { throw RequestError.notFound }
                let installation = try await services.installation.uuid()
                let body = try format.body(of: event, installation: installation).orThrow(.notFound)
                return Response(.ok, headers: ["content-type": format.mediaType], body: body)
            }
        }
    }

    /// Creates an event.
    ///
    /// Validates before it looks up the token, so that an app with an unknown token also gets the
    /// errors of the event.
    func create(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let attributes = try EventDraft(call.parameters()).attributes()
        let id = try await services.events.create(attributes, token: token).orThrow(.unauthorized)
        return try await response(toWriteOf: id, call)
    }

    /// Changes the given attributes; PUT replaces the whole event.
    func update(_ call: Call) async throws -> Response {
        let user = try await services.authentication.publisher(of: call.request)
        let parameters = try call.parameters()
        guard !parameters.hasBody || EventDraft(parameters.ofBody) != EventDraft() else {
            throw RequestError.nothingToChange(keys: EventDraft.keys)
        }
        let draft = EventDraft(parameters)
        let id = try call.id()
        let replaces = call.request.method == .put
        let precondition = call.request.precondition(EventView.etag(ofOwnerNamed: user.name))
        try await services.events.update(id, ownerID: user.id, if: precondition) { attributes in
            replaces ? try draft.replacing(attributes) : try draft.merged(onto: attributes)
        }
        return try await response(toWriteOf: id, call)
    }

    /// Returns the id of an event that was written, or the event if the client prefers it.
    private func response(toWriteOf id: Int64, _ call: Call) async throws -> Response {
        guard call.request.prefersRepresentation else { return IDView.response(id) }
        let viewer = try await services.authentication.user(of: call.request).id
        let event = try await services.events.findDated(id, for: viewer).orThrow(.notFound)
        return .record(
            EventRepresentation.json.event(event.event),
            at: "\(call.prefix)/v1/events/\(id)",
            call.request.method
        )
    }

    func destroy(_ call: Call) async throws -> Response {
        let user = try await services.authentication.user(of: call.request)
        try await services.events.delete(
            call.id(),
            ownerID: user.id,
            if: call.request.precondition(EventView.etag(ofOwnerNamed: user.name))
        )
        return Response(.noContent)
    }
}

extension EventDraft {
    /// The keys of an event's attributes in requests.
    static let keys = EventField.attributes.map(\.rawValue)

    /// Reads the draft of an event; `end_at` is an alias of `ended_at`.
    init(_ parameters: Parameters) {
        self.init()
        for field in EventField.attributes {
            guard let column = field.column else { continue }
            self[column] =
                switch column {
                case .tags: parameters[listOf: field.rawValue]
                case .data: parameters[objectOf: field.rawValue]
                default: parameters[field.rawValue]
                }
        }
        if self[.endedAt] == .absent { self[.endedAt] = parameters["end_at"] }
    }
}
