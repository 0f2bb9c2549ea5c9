public import Foundation

/// A place in which the device's token is stored.
///
/// The token is the device's only key to its records. A store that can't be read now, such as a
/// keychain of a locked phone, must throw; nil means that there is no token.
public protocol TokenStore: Sendable {
    /// Returns what is stored for a server, or nil.
    func token(for key: TokenKey) throws -> StoredToken?
    /// Stores a value for a server, so that it is there after a crash; nil removes it.
    func set(_ token: StoredToken?, for key: TokenKey) throws
}

/// The server whose token is stored.
public struct TokenKey: Hashable, Sendable {
    /// The address without a slash at its end, such as `https://events.example.com`.
    public let address: String

    /// Creates the key of a server.
    public init(_ baseURL: URL) {
        let text = baseURL.absoluteString
        address = text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}

/// The token of a device, and one that a sign-in is about to make.
public struct StoredToken: Codable, Hashable, Sendable {
    /// The token that requests send, or nil.
    public var current: String?
    /// A token that was sent to the server, which has not confirmed it, or nil.
    ///
    /// The next sign-in sends it again, so that a lost response makes no second device.
    public var pending: String?
    /// The user of the current token, or of one that has ended, if it is known.
    public var userID: Int64?
    /// The users whose records have moved to that user by a merge, while the token stayed.
    public var formerUserIDs: [Int64] = []

    /// Creates a value.
    public init(current: String? = nil, pending: String? = nil, userID: Int64? = nil) {
        (self.current, self.pending, self.userID) = (current, pending, userID)
    }

    /// Stores the token and the user of a sign-in.
    mutating func begin(_ token: String?, _ userID: Int64) {
        var new = StoredToken(current: token, userID: userID)
        if current == token {
            // The same token of another user: the two were merged, perhaps by a lost response.
            let former = formerUserIDs + [self.userID].compactMap(\.self)
            new.formerUserIDs = former.filter { $0 != userID }
        }
        self = new
    }
}

#if canImport(Security)
extension TokenStore where Self == KeychainTokenStore {
    /// The usual store of the platform: the keychain.
    public static var automatic: KeychainTokenStore { KeychainTokenStore() }
}
#else
extension TokenStore where Self == FileTokenStore {
    /// The usual store of the platform: files of the user.
    public static var automatic: FileTokenStore { FileTokenStore() }
}
#endif

/// A store in memory, for tests and for apps that keep no token.
public final class MemoryTokenStore: TokenStore {
    private let tokens = Locked<[TokenKey: StoredToken]>([:])

    /// Creates an empty store.
    public init() {}

    public func token(for key: TokenKey) -> StoredToken? { tokens.withLock { $0[key] } }

    public func set(_ token: StoredToken?, for key: TokenKey) {
        tokens.withLock { $0[key] = token }
    }
}

/// A store with a file for each server, which only its owner can read.
public struct FileTokenStore: TokenStore {
    private let folder: URL

    /// Creates a store in a folder; by default `humon` in the user's folder for state
    /// (XDG Base Directory Specification 0.8).
    public init(folder: URL? = nil) {
        let variable = ProcessInfo.processInfo.environment["XDG_STATE_HOME"] ?? ""
        let state = variable.hasPrefix("/") ? variable : NSHomeDirectory() + "/.local/state"
        self.folder = folder ?? URL(filePath: state).appending(path: "humon")
    }

    public func token(for key: TokenKey) throws -> StoredToken? {
        do {
            let data = try Data(contentsOf: file(of: key))
            let token = try JSONDecoder().decode(StoredToken.self, from: data)
            // Another program's file must not look like that of a device without a token.
            guard token != StoredToken() else { throw CocoaError(.fileReadCorruptFile) }
            return token
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        }
    }

    public func set(_ token: StoredToken?, for key: TokenKey) throws {
        let files = FileManager.default
        guard let token else {
            do { try files.removeItem(at: file(of: key)) } catch CocoaError.fileNoSuchFile {}
            return
        }
        try files.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        // Nobody else may read the file, not even for a moment before it has its name.
        let new = folder.appending(path: "\(UUID()).new")
        _ = files.createFile(
            atPath: new.path,
            contents: nil,
            attributes: [.posixPermissions: 0o600]
        )
        // After the end it has its name, unless something has failed.
        defer { try? files.removeItem(at: new) }
        let handle = try FileHandle(forWritingTo: new)
        try handle.write(contentsOf: JSONEncoder().encode(token))
        try handle.synchronize()
        try handle.close()
        let code = rename(new.path, file(of: key).path)
        guard code == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    private func file(of key: TokenKey) -> URL {
        folder.appending(path: key.address.percentEncoded.replacing("%", with: "=") + ".json")
    }
}
