public import Foundation

/// Reporting events and users to the operator.
///
/// While a report is open, another one of the same record replaces it.
public struct Reports: Sendable {
    let transport: Transport

    /// Reports an event, with a note of up to 1,000 characters.
    @concurrent public func report(
        event id: Event.ID,
        reason: ReportReason,
        note: String? = nil
    ) async throws(HumonError) {
        try await report("events/\(id)/reports", reason, note)
    }

    /// Reports a user, with a note of up to 1,000 characters.
    @concurrent public func report(
        user id: User.ID,
        reason: ReportReason,
        note: String? = nil
    ) async throws(HumonError) {
        try await report("users/\(id)/reports", reason, note)
    }

    private func report(
        _ path: String,
        _ reason: ReportReason,
        _ note: String?
    ) async throws(HumonError) {
        let body = ["reason": reason.rawValue, "note": note].compactMapValues(\.self)
        _ = try await transport.send(Call("POST", path, .harmless).with(body))
    }
}

/// Blocking users, whose events the token's user then doesn't see.
public struct Blocks: Sendable {
    let transport: Transport

    /// Blocks a user, and returns the user's id.
    @discardableResult
    @concurrent public func block(user id: User.ID) async throws(HumonError) -> User.ID {
        try await block(["user": ["id": id]])
    }

    /// Blocks the owner of an event, and returns the owner's id.
    @discardableResult
    @concurrent public func block(ownerOf id: Event.ID) async throws(HumonError) -> User.ID {
        try await block(["event": ["id": id]])
    }

    private func block(_ body: [String: [String: Int64]]) async throws(HumonError) -> User.ID {
        let call = try Call("POST", "users/me/blocks", .harmless).with(body)
        return try await transport.send(call).decode(Identified.self).id
    }

    /// Ends a block.
    @concurrent public func unblock(_ id: User.ID) async throws(HumonError) {
        _ = try await transport.send(.delete("users/me/blocks/\(id)"))
    }

    /// Returns the blocks of the token's user, oldest first.
    @concurrent public func list() async throws(HumonError) -> [Block] {
        struct List: Decodable { let blocks: [Block] }
        let reply = try await transport.send(.get("users/me/blocks", needsToken: true))
        return try reply.decode(List.self).blocks
    }
}

/// A block of a user.
public struct Block: Hashable, Sendable, Decodable {
    /// The blocked user.
    public let user: User
    /// The time of the block.
    public let createdAt: Date

    private enum CodingKeys: String, CodingKey {
        case user
        case createdAt = "created_at"
    }
}
