/// Attending events.
public struct Attendances: Sendable {
    let transport: Transport

    /// Attends an event; attending it again changes nothing.
    @discardableResult
    @concurrent public func attend(_ id: Event.ID) async throws(HumonError) -> Attendance.ID {
        let call = try Call("POST", "attendances", .key).with(["event": ["id": id]])
        return try await transport.send(call).decode(Identified.self).id
    }

    /// Attends an event with an invitation code, even if it is private.
    ///
    /// Letter case, hyphens and spaces of the code don't matter.
    @concurrent public func join(code: String) async throws(HumonError) -> Attendance {
        let call = try Call("POST", "attendances", .key).with(["code": code])
        return try await transport.send(call.header("Prefer", "return=representation")).decode()
    }

    /// Ends an attendance of the token's user, or one of a guest of the user's private event.
    @concurrent public func cancel(_ id: Attendance.ID) async throws(HumonError) {
        _ = try await transport.send(.delete("attendances/\(id)", .key))
    }

    /// Returns the attendances of an event, oldest first.
    @concurrent public func list(_ id: Event.ID) async throws(HumonError) -> AttendanceList {
        try await transport.send(.get("events/\(id)/attendances")).decode()
    }
}

/// A user's attendance of an event.
public struct Attendance: Identifiable, Hashable, Sendable {
    /// The id, for `cancel`.
    public let id: Int64
    /// The user who attends.
    public let user: User
    /// The id of the event; nil in the list of an event.
    public let eventID: Event.ID?
    /// The event, of an attendance of the token's user.
    public let event: Event?
}

extension Attendance: Decodable {
    private enum Key: CodingKey { case id, user, event }

    /// The event, of which some responses have the id alone.
    private struct Part: Decodable {
        let id: Int64
        let name: String?
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        id = try values.decode(Int64.self, forKey: .id)
        user = try values.decode(User.self, forKey: .user)
        let part = try values.decodeIfPresent(Part.self, forKey: .event)
        eventID = part?.id
        event = part?.name == nil ? nil : try values.decode(Event.self, forKey: .event)
    }
}

/// The attendances of an event.
public struct AttendanceList: Hashable, Sendable, Decodable {
    /// The number of all attendances.
    public let count: Int
    /// The attendances, without those of blocked users.
    public let attendances: [Attendance]
}
