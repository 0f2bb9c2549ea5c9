import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// `docs/sign-in.md` contains this code.

/// The result of a sign-in.
struct SignedIn: Decodable, Equatable {
    /// The token to store in the keychain.
    let authToken: String
    /// The user.
    let id: Int
    /// One of created, signed_in, linked and merged.
    let result: String
}

/// The records of a device, when the person who signs in has another user.
///
/// Ask the person, and sign in again with `merge`.
struct UndecidedSignIn: Error, Decodable {
    struct Device: Decodable {
        let id, events, attendances: Int
    }

    let device: Device
}

extension EventClient {
    /// Signs in with an ID token.
    ///
    /// Sends the client's `token` if it has one. Create `deviceToken` once, store it, and send the
    /// same value in retries.
    func signIn(
        idToken: String,
        nonce: String? = nil,
        deviceToken: UUID,
        deviceName: String? = nil,
        merge: Bool? = nil
    ) async throws -> SignedIn {
        var values: [String: Any] = ["id_token": idToken]
        values["nonce"] = nonce
        values["device_token"] = deviceToken.uuidString.lowercased()
        values["device_name"] = deviceName
        values["merge"] = merge
        var request = URLRequest(url: server.appending(path: "v1/sessions"))
        request.httpMethod = "POST"
        request.setValue(token, forHTTPHeaderField: "tb-auth-token")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(withJSONObject: values)
        let (data, response) = try await URLSession.shared.data(for: request)
        switch (response as? HTTPURLResponse)?.statusCode {
        case 200: return try JSONDecoder.api.decode(SignedIn.self, from: data)
        case 409: throw try JSONDecoder.api.decode(UndecidedSignIn.self, from: data)
        default: throw try JSONDecoder().decode(EventError.self, from: data)
        }
    }
}
