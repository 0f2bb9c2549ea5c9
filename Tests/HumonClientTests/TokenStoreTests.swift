import Foundation
import Testing

@testable import HumonClient

/// The stores that run everywhere.
@Suite struct TokenStoreTests {
    private let ana = StoredToken(current: "a", pending: "p", userID: 1)
    private let bob = StoredToken(current: "b")

    private static func key(_ text: String = "https://a.example") -> TokenKey {
        // The texts of these tests are URLs.
        TokenKey(URL(string: text) ?? URL(filePath: "/"))
    }

    @Test(arguments: [true, false])
    func `keeps a token for each server`(isFile: Bool) throws {
        let folder = TestFolder()
        let store: any TokenStore =
            isFile ? FileTokenStore(folder: folder.url) : MemoryTokenStore()
        let other = Self.key("http://localhost:3000")

        #expect(try store.token(for: Self.key()) == nil)
        try store.set(nil, for: Self.key())
        try store.set(ana, for: Self.key())
        try store.set(bob, for: other)
        #expect(try store.token(for: Self.key()) == ana)
        #expect(try store.token(for: Self.key("https://a.example/")) == ana)
        #expect(try store.token(for: other) == bob)
        try store.set(bob, for: Self.key())
        #expect(try store.token(for: Self.key()) == bob)
        try store.set(nil, for: Self.key())
        #expect(try store.token(for: Self.key()) == nil)
        #expect(try store.token(for: other) == bob)
    }

    @Test func `lets only the owner read the files`() throws {
        let folder = TestFolder()
        let store = FileTokenStore(folder: folder.url.appending(path: "b/c"))

        try store.set(ana, for: Self.key("https://a.example:8/x?y=%20"))

        let files = try folder.files("b/c")
        #expect(files == ["https:=2F=2Fa.example:8=2Fx=3Fy=3D=2520.json"])
        #expect(try folder.permissions("b/c/" + files[0]) == 0o600)
        #expect(try folder.permissions("b/c") == 0o700)
    }

    @Test(arguments: [
        "", "{", "{}", "[]", "null", "7", #"{"token":"a"}"#, #"{"current":7}"#, "\0\0\0\0",
        "<html>",
    ])
    func `throws for another program's file`(text: String) async throws {
        let folder = TestFolder()
        let store = FileTokenStore(folder: folder.url)
        try store.set(ana, for: Self.key())
        let file = try #require(try folder.files().first)
        try Data(text.utf8).write(to: folder.url.appending(path: file))
        let humon = HumonClient(try HumonClient.test().configuration, tokens: store)

        #expect(throws: (any Error).self) { try store.token(for: Self.key()) }
        #expect(
            try #require(throws: HumonError.self) { try humon.session.hasToken }.kind == .tokenStore
        )
        let error = await #expect(throws: HumonError.self) { try await humon.session.signUp() }
        #expect(error?.kind == .tokenStore)
        #expect(try Data(contentsOf: folder.url.appending(path: file)) == Data(text.utf8))
    }

    @Test func `throws for a file that is cut at any byte`() throws {
        let folder = TestFolder()
        let store = FileTokenStore(folder: folder.url)
        try store.set(ana, for: Self.key())
        let file = folder.url.appending(path: try #require(try folder.files().first))
        let data = try Data(contentsOf: file)

        for count in data.indices {
            try data.prefix(count).write(to: file)
            #expect(throws: (any Error).self) { try store.token(for: Self.key()) }
        }
    }

    @Test func `throws for a folder that can't be read`() throws {
        let folder = TestFolder()
        let file = folder.url.appending(path: "file")
        try Data().write(to: file)
        let store = FileTokenStore(folder: file.appending(path: "b"))

        #expect(throws: (any Error).self) { try store.token(for: Self.key()) }
        #expect(throws: (any Error).self) { try store.set(ana, for: Self.key()) }
    }

    #if os(Linux)
    @Test func `keeps the old token on a full disk`() async {
        await #expect(processExitsWith: .success) {
            let folder = TestFolder()
            let store = FileTokenStore(folder: folder.url)
            try store.set(StoredToken(current: "old"), for: Self.key())
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(1), &limit)
            let unlimited = limit
            // A file can have this many bytes, so that a write fails as it does on a full disk.
            limit.rlim_cur = 8
            setrlimit(__rlimit_resource_t(1), &limit)
            let result = Result { try store.set(StoredToken(current: "new"), for: Self.key()) }
            limit = unlimited
            setrlimit(__rlimit_resource_t(1), &limit)

            #expect(throws: (any Error).self) { try result.get() }
            #expect(try store.token(for: Self.key())?.current == "old")
            #expect(try folder.files().count == 1)
        }
    }

    @Test func `is whole for 16 processes`() async throws {
        let folder = TestFolder("\(getpid())")
        let store = FileTokenStore(folder: folder.url)
        try store.set(StoredToken(current: "first", pending: "first"), for: Self.key())

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        let store = FileTokenStore(folder: TestFolder.url("\(getppid())"))
                        let text = String(repeating: "\(getpid()) ", count: Int.random(in: 1...99))
                        for _ in 0..<50 {
                            let read = try store.token(for: Self.key())
                            #expect(read?.current != nil && read?.current == read?.pending)
                            try store.set(
                                StoredToken(current: text, pending: text),
                                for: Self.key()
                            )
                        }
                    }
                }
            }
        }

        #expect(try folder.files().count == 1)
    }
    #endif
}

/// A folder that ends with the test.
final class TestFolder: Sendable {
    let url: URL

    init(_ name: String = UUID().uuidString) { url = Self.url(name) }

    deinit { try? FileManager.default.removeItem(at: url) }

    static func url(_ name: String) -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: "humon-client-" + name)
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    func files(_ folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.appending(path: folder).path)
    }

    func permissions(_ file: String) throws -> Int? {
        let path = url.appending(path: file).path
        return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
