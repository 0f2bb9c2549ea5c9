#if canImport(Security)
import Foundation
import Security

/// A store in the keychain, which other devices and backups don't get.
///
/// The token can be read after the first unlock since the phone was started.
public struct KeychainTokenStore: TokenStore {
    private let service: String

    /// Creates a store for a service; the default is the one of the client.
    public init(service: String = "humon") { self.service = service }

    public func token(for key: TokenKey) throws -> StoredToken? {
        var query = item(of: key)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        try check(status)
        return try JSONDecoder().decode(StoredToken.self, from: found as? Data ?? Data())
    }

    public func set(_ token: StoredToken?, for key: TokenKey) throws {
        let query = item(of: key)
        guard let token else {
            let status = SecItemDelete(query as CFDictionary)
            if status != errSecItemNotFound { try check(status) }
            return
        }
        let values: [String: Any] = [
            kSecValueData as String: try JSONEncoder().encode(token),
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        let status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
        guard status == errSecItemNotFound else { return try check(status) }
        try check(SecItemAdd(query.merging(values) { $1 } as CFDictionary, nil))
    }

    private func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else {
            throw NSError(domain: NSOSStatusErrorDomain, code: Int(status))
        }
    }

    private func item(of key: TokenKey) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: key.address,
            kSecAttrSynchronizable as String: false,
        ]
    }
}
#endif
