import CLinux
import CSQLite
import Glibc
import struct Synchronization.Atomic
import System

/// The WAL's index (`<database>-shm`) as mapped by one connection.
///
/// All processes that use the database map that file. If the file system has no space for a page at
/// the moment of a write, the kernel sends SIGBUS. Therefore:
///
/// - Space for each part is reserved when it is mapped, so that a full disk is an error then. That
///   is enough on ext4, XFS and tmpfs, with any block size.
/// - Copy-on-write file systems (btrfs, or a copy made with `--reflink`) need new space for each
///   page again and again. There, the signal is caught, and the connection continues with a private
///   copy of the index. For all other processes it looks as if this one had been killed at that
///   moment, which SQLite handles. The connection gets no more locks, so its transaction fails. It
///   must be closed, and `isDetached` must be checked after each COMMIT.
///
/// For that purpose, each connection maps the pages a second time, because all connections of the
/// process share SQLite's own mapping.
final class MappedIndex: Sendable {
    private let detached = Atomic(false)

    /// The result code for a connection that can't have the index: no space for it.
    static let failure = ResultCode.walIndexFull.rawValue

    /// Whether other connections can no longer see what this one writes to the index.
    var isDetached: Bool { detached.load(ordering: .acquiring) }

    /// Returns a part that was mapped before.
    func part(_ number: Int32) -> UnsafeMutableRawPointer? {
        let address = Self.parts.withLock { parts in
            parts.first { $0.index === self && $0.number == number }?.address
        }
        return unsafe address.flatMap { unsafe UnsafeMutableRawPointer(bitPattern: $0) }
    }

    /// Maps the pages of a part of SQLite's mapping a second time.
    ///
    /// - Returns: The new mapping, or nil if the pages must fit on the disk and don't. If they
    ///   can't be mapped again, it returns SQLite's own mapping, which is not guarded.
    func map(
        _ number: Int32,
        _ shared: UnsafeMutableRawPointer,
        _ size: Int,
        mustFit: Bool
    ) -> UnsafeMutableRawPointer? {
        guard BusErrors.areCaught, let own = unsafe humon_map_again(shared, size),
            unsafe own != MAP_FAILED
        else { return unsafe shared }
        // Kernels before 5.14 don't support it; there, only the signal shows a full disk.
        let isFull = unsafe madvise(own, size, Self.populateForWriting) != 0 && errno == EFAULT
        if isFull, mustFit {
            unsafe munmap(own, size)
            return nil
        }
        let part = Part(index: self, number: number, address: UInt(bitPattern: own), size: size)
        Self.parts.withLock { $0.append(part) }
        return unsafe own
    }

    /// Unmaps every part.
    func removeAll() {
        let own = Self.parts.withLock { parts in
            let own = parts.filter { $0.index === self }
            parts.removeAll { $0.index === self }
            return own
        }
        for part in own { unsafe munmap(part.pointer, part.size) }
    }

    /// Gives the connection whose index contains this address a private copy of it.
    ///
    /// Returns false if there is no such connection, or if copying fails.
    fileprivate static func detach(at address: UInt) -> Bool {
        // The thread is inside SQLite, not in a method of this type, so it does not hold the mutex.
        parts.withLock { parts in
            guard let hit = parts.first(where: { $0.holds(address) }) else { return false }
            hit.index.detached.store(true, ordering: .releasing)
            // The first part is replaced first. It announces changes in the others, so that a
            // partial change is never visible to other processes.
            return parts.filter { $0.index === hit.index }.sorted { $0.number < $1.number }
                .allSatisfy { $0.makePrivate() }
        }
    }

    /// `MADV_POPULATE_WRITE` (madvise(2)).
    private static let populateForWriting: Int32 = 23
    /// The parts of all connections.
    private static let parts = Mutex<[Part]>([])
}

/// A part of an index and its mapping.
private struct Part: Sendable {
    let index: MappedIndex
    let number: Int32
    let address: UInt
    let size: Int

    var pointer: UnsafeMutableRawPointer? {
        unsafe UnsafeMutableRawPointer(bitPattern: address)
    }

    func holds(_ other: UInt) -> Bool {
        other >= address && other - address < UInt(size)
    }

    /// Replaces the shared pages by a copy.
    func makePrivate() -> Bool {
        guard let shared = unsafe pointer,
            let copy = unsafe mmap(
                nil,
                size,
                PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS,
                -1,
                0
            ),
            unsafe copy != MAP_FAILED
        else { return false }
        for offset in stride(from: 0, to: size, by: Self.pageSize) {
            let count = min(Self.pageSize, size - offset)
            unsafe Self.copyPage(from: shared + offset, to: copy + offset, count)
        }
        return unsafe humon_move_mapping(copy, size, shared) != MAP_FAILED
    }

    /// Copies a page if it can be read; a page beyond the end of the file stays zero.
    private static func copyPage(
        from source: UnsafeMutableRawPointer,
        to target: UnsafeMutableRawPointer,
        _ count: Int
    ) {
        var local = unsafe iovec(iov_base: target, iov_len: count)
        var remote = unsafe iovec(iov_base: source, iov_len: count)
        let copied = unsafe process_vm_readv(getpid(), &local, 1, &remote, 1, 0)
        // Containers can forbid the call.
        if copied < 0, errno != EFAULT {
            unsafe target.copyMemory(from: source, byteCount: count)
        }
    }

    private static let pageSize = 4096
}

/// Handles SIGBUS.
private enum BusErrors {
    // Initialised before the handler is installed, and never changed.
    private nonisolated(unsafe) static let previous: UnsafeMutablePointer<sigaction> = {
        let previous = UnsafeMutablePointer<sigaction>.allocate(capacity: 1)
        unsafe previous.initialize(to: sigaction())
        return unsafe previous
    }()

    /// Whether SIGBUS is caught; the first access installs the handler.
    static let areCaught: Bool = {
        let previous = unsafe Self.previous
        var action = sigaction()
        action.sa_flags = SA_SIGINFO
        unsafe action.__sigaction_handler.sa_sigaction = { _, information, _ in
            guard let information = unsafe information else { return BusErrors.pass() }
            let address = unsafe information.pointee._sifields._sigfault.si_addr
            // Signals from processes have no address.
            guard unsafe information.pointee.si_code > 0,
                MappedIndex.detach(at: UInt(bitPattern: address))
            else { return BusErrors.pass() }
        }
        return unsafe sigaction(SIGBUS, &action, previous) == 0
    }()

    /// Restores the previous action and raises the signal again.
    private static func pass() {
        unsafe sigaction(SIGBUS, previous, nil)
        // The signal is delivered when the handler returns.
        raise(SIGBUS)
    }
}
