import Foundation
import Glibc
import Support

/// Starts and stops the program as systemd does: it listens for it, and is told how it goes
/// (sd_listen_fds(3), sd_notify(3)).
final class ActivatedService {
    let port: UInt16
    private let folder: URL
    private let listener: FileHandle
    private let notices: FileHandle

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("humon-restart-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        listener = FileHandle(fileDescriptor: try Self.listen(), closeOnDealloc: true)
        port = Self.port(of: listener.fileDescriptor)
        notices = FileHandle(
            fileDescriptor: try Self.bind(to: folder.path + "/notify"),
            closeOnDealloc: true
        )
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the program, and returns once it says that it serves.
    func start() throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The number of the process is known only once it is there.
        process.arguments = [
            "-c", #"LISTEN_PID=$$ exec "$0" serve 3<&0 </dev/null"#,
            try HumonProcess.executable.path,
        ]
        process.currentDirectoryURL = folder
        process.environment = Sanitizers.environment(with: [
            "LISTEN_FDS": "1", "NOTIFY_SOCKET": folder.path + "/notify", "TB_APP_SECRET": "secret",
            "ADMIN_PORT": "off", "RATE_LIMIT": "off", "LOG_LEVEL": "warning",
        ])
        process.standardInput = listener
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        guard notice() == "READY=1" else {
            throw CrashTestError("the server did not say that it is ready")
        }
        return process
    }

    /// Asks the program to stop and returns its exit code, or -1 if it did not say that it stops.
    func stop(_ process: Process) -> Int32 {
        process.terminate()
        let said = notice()
        process.waitUntilExit()
        return said == "STOPPING=1" ? process.terminationStatus : -1
    }

    /// Asks the program to stop while there is no room for what it says, and returns its exit code.
    func stopUnheard(_ process: Process) throws -> Int32 {
        let filler = FileHandle(
            fileDescriptor: socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0),
            closeOnDealloc: true
        )
        let code = unsafe Self.withAddress(of: folder.path + "/notify") { address, size in
            unsafe connect(filler.fileDescriptor, address, size)
        }
        guard code == 0 else { throw CrashTestError("no socket: \(errno)") }
        while unsafe send(filler.fileDescriptor, "x", 1, Int32(MSG_DONTWAIT)) == 1 {}
        guard errno == EAGAIN else { throw CrashTestError("no room, but for \(errno)") }
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// What the program says next; waits for it for 120 s.
    private func notice() -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let descriptor = notices.fileDescriptor
        let count = unsafe buffer.withUnsafeMutableBytes { buffer in
            unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
        }
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    private static func listen() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe Glibc.bind(descriptor, address, size)
            }
        }
        guard code == 0, Glibc.listen(descriptor, 4096) == 0 else {
            throw CrashTestError("no socket: \(errno)")
        }
        return descriptor
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe getsockname(descriptor, address, &size)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func bind(to path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        let patienceSize = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, patienceSize)
        let code = unsafe withAddress(of: path) { address, size in
            unsafe Glibc.bind(descriptor, address, size)
        }
        guard code == 0 else { throw CrashTestError("no socket at \(path): \(errno)") }
        return descriptor
    }

    private static func withAddress(
        of path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { target in
            unsafe target.copyBytes(from: path.utf8.prefix(target.count - 1))
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe body(address, size)
            }
        }
    }
}
