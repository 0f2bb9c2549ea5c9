/// Finding and changing events.
///
/// Writes with `ifMatch` succeed only if the event still has that version; otherwise they throw
/// `preconditionFailed`.
public struct Events: Sendable {
    let transport: Transport

    /// Returns the events of a search; this sends no request until they are read.
    ///
    /// A page has 100 events, unless the query has a limit.
    public func search(_ query: EventQuery) -> EventSequence {
        EventSequence(self, query)
    }

    /// Returns one page of a search.
    @concurrent public func page(
        _ query: EventQuery,
        after cursor: Cursor? = nil
    ) async throws(HumonError) -> EventPage {
        let call = Call.search("events", query.setting("cursor", cursor?.rawValue))
        return try await transport.send(call).decode()
    }

    /// Counts the events in each cell of a map, for at most 4,096 cells of 64 pixels.
    ///
    /// The zoom level of the map is 0 to 22.
    @concurrent public func clusters(
        _ query: EventQuery = .all,
        in box: Box,
        zoom: Int
    ) async throws(HumonError) -> [Cluster] {
        struct Clusters: Decodable { let clusters: [Cluster] }
        let call = Call.search("events/clusters", query.in(box).setting("zoom", "\(zoom)"))
        return try await transport.send(call).decode(Clusters.self).clusters
    }

    /// Returns an event with its version.
    @concurrent public func event(_ id: Event.ID) async throws(HumonError) -> Event {
        let reply = try await transport.send(.get("events/\(id)"))
        var event = try reply.decode(Event.self)
        event.version = reply.version
        return event
    }

    /// Creates an event, which the token's user owns, and returns its id.
    @concurrent public func create(_ draft: EventDraft) async throws(HumonError) -> Event.ID {
        let call = try Call("POST", "events", .key).with(draft)
        return try await transport.send(call).decode(Identified.self).id
    }

    /// Changes attributes of an event of the token's user.
    @concurrent public func update(
        _ id: Event.ID,
        _ changes: EventChanges,
        ifMatch version: String? = nil
    ) async throws(HumonError) {
        try await write(Call("PATCH", "events/\(id)", .key).with(changes), version)
    }

    /// Replaces an event of the token's user; absent attributes are removed.
    @concurrent public func replace(
        _ id: Event.ID,
        with draft: EventDraft,
        ifMatch version: String? = nil
    ) async throws(HumonError) {
        try await write(Call("PUT", "events/\(id)", .key).with(draft), version)
    }

    /// Deletes an event of the token's user, with its attendances.
    @concurrent public func delete(
        _ id: Event.ID,
        ifMatch version: String? = nil
    ) async throws(HumonError) {
        try await write(.delete("events/\(id)", .key), version)
    }

    private func write(_ call: Call, _ version: String?) async throws(HumonError) {
        _ = try await transport.send(call.header("If-Match", version))
    }

    /// Makes a code with which users can join the event, even if it is private.
    ///
    /// The server doesn't store the code, so the request is sent once. If its response is lost,
    /// make another code. Replacing closes all earlier codes.
    @concurrent public func invite(
        to id: Event.ID,
        replacing isReplacing: Bool = false
    ) async throws(HumonError) -> String {
        struct Invitation: Decodable { let code: String }
        let call = try Call("POST", "events/\(id)/invitation", .unsafe)
            .with(["replace": isReplacing])
        return try await transport.send(call).decode(Invitation.self).code
    }

    /// Closes all codes of an event; guests stay guests.
    @concurrent public func closeInvitations(to id: Event.ID) async throws(HumonError) {
        _ = try await transport.send(Call("DELETE", "events/\(id)/invitation", .harmless))
    }
}

extension Call {
    /// Returns a call that reads the events of a query.
    package static func search(_ path: String, _ query: EventQuery) -> Call {
        var call = Call.get(path, needsToken: query.needsToken)
        call.query = query.parameters
        return call
    }
}
