import CLinux
import Glibc

/// Communicates with systemd or another service manager with the same two protocols.
///
/// They are sd_listen_fds(3) and sd_notify(3).
package struct ServiceManager {
    /// Listening sockets that the service manager has opened, so that clients can connect during
    /// restarts.
    package struct InheritedSockets: Equatable {
        /// The socket for the apps.
        package var apps: Int32?
        /// The socket named `admin`.
        package var admin: Int32?
        /// Whether the environment variables are valid.
        package var isReadable = true
        /// The number of sockets that the program can't use.
        package var unusedCount = 0

        /// Reads the variables for descriptors 3 and up, which are only for the process
        /// `processID`.
        init(processID: pid_t, variable: (String) -> String?) {
            guard variable("LISTEN_PID") == String(processID), let text = variable("LISTEN_FDS")
            else { return }
            guard let count = Int32(text), (1...Self.maximumCount).contains(count) else {
                isReadable = false
                return
            }
            let names = (variable("LISTEN_FDNAMES") ?? "")
                .split(separator: ":", omittingEmptySubsequences: false)
            for index in 0..<Int(count) {
                let descriptor = Self.firstDescriptor + Int32(index)
                let isAdmin = names.indices.contains(index) && names[index] == "admin"
                if isAdmin && admin == nil {
                    admin = descriptor
                } else if !isAdmin && apps == nil {
                    apps = descriptor
                } else {
                    unusedCount += 1
                }
            }
        }

        private static let firstDescriptor: Int32 = 3
        /// A greater number must be a mistake.
        private static let maximumCount: Int32 = 64
    }

    /// The sockets that were passed to this process.
    package static var inheritedSockets: InheritedSockets {
        InheritedSockets(processID: getpid(), variable: variable)
    }

    /// Reports that the server is ready, so that units that depend on it can start.
    package static func notifyReady() {
        notify("READY=1")
    }

    /// Reports that the server is stopping.
    package static func notifyStopping() {
        notify("STOPPING=1")
    }

    /// How long to wait for a busy service manager, in s.
    private static let patience = 5

    /// Sends a datagram to the socket in `NOTIFY_SOCKET`, and ignores errors.
    private static func notify(_ message: String) {
        guard let path = variable("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@")
        else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // The last byte remains 0.
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { target in
            for (index, byte) in bytes.enumerated() { unsafe target[index] = byte }
            // Abstract names, which are not files, start with a zero byte (unix(7)).
            if bytes[0] == UInt8(ascii: "@") { unsafe target[0] = 0 }
        }
        let prefix = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        let length = socklen_t(prefix + bytes.count)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        let patienceSize = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, patienceSize)
        let text = Array(message.utf8)
        unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe sendto(descriptor, text, text.count, 0, address, length)
            }
        }
    }

    private static func variable(_ name: String) -> String? {
        // The string belongs to the environment, so it is copied immediately.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
