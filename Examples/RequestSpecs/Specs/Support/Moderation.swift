import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// `docs/moderation.md` contains this code.

extension EventClient {
    /// Sends a request that changes something, and returns the body of the response.
    func send(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws -> Data {
        var request = URLRequest(url: server.appending(path: path))
        request.httpMethod = method
        request.setValue(token, forHTTPHeaderField: "tb-auth-token")
        request.httpBody = try body.map { try JSONSerialization.data(withJSONObject: $0) }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse, 200..<300 ~= response.statusCode else {
            throw try JSONDecoder().decode(EventError.self, from: data)
        }
        return data
    }

    /// Reports an event.
    ///
    /// `reason` is one of spam, offensive, illegal, child_safety, wrong and other.
    func report(event id: Int, reason: String, note: String = "") async throws {
        _ = try await send("POST", "v1/events/\(id)/reports", ["reason": reason, "note": note])
    }

    /// Blocks the owner of an event.
    ///
    /// Remove the owner's events from the screen afterwards.
    func blockOwner(ofEvent id: Int) async throws {
        _ = try await send("POST", "v1/users/me/blocks", ["event": ["id": id]])
    }

    /// Deletes everything that the user has stored.
    func deleteMyData() async throws {
        _ = try await send("DELETE", "v1/users/me")
    }
}

/// What people need to delete their data without the app.
struct DeletionCode: Decodable {
    let code: String
    let url: URL
}

extension EventClient {
    /// Returns a new code.
    ///
    /// Earlier codes stop working.
    func makeDeletionCode() async throws -> DeletionCode {
        let body = try await send("POST", "v1/users/me/deletion_code")
        return try JSONDecoder().decode(DeletionCode.self, from: body)
    }
}
