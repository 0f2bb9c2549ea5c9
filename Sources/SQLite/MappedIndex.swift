import CLinux
import CSQLite
import Glibc
import struct Synchronization.Atomic
import Threads

/// The index of a WAL (`<database>-shm`) as one connection has it in memory.
///
/// All processes that use the database map that file. Where the filesystem can't find the room for
/// a page of it at the moment that it is written to, the system answers with SIGBUS. So:
///
/// - The room for each part is taken when it is mapped, and a full disk is an error then. This is
///   enough on ext4, XFS and tmpfs, with blocks of any size.
/// - A filesystem that never writes over what is there (btrfs, or a copy made with `--reflink`)
///   needs new room for each page time and again. There the signal is caught, and the connection
///   goes on with a private copy of the index: for all others it is as if the process had been
///   killed at that moment, which SQLite is made for. It gets no lock any more, so that its
///   transaction fails; it has to be closed, and `isDetached` has to be looked at after each
///   COMMIT.
///
/// Therefore each connection maps the pages once more, apart from SQLite's own mapping, which all
/// connections of the process share.
final class MappedIndex: Sendable {
    private let detached = Atomic(false)

    /// What a connection is told that can't have the index: that there is no room for it.
    static let failure = ResultCode.walIndexFull.rawValue

    /// Whether what the connection writes to the index reaches no other one any more.
    var isDetached: Bool { detached.load(ordering: .acquiring) }

    /// A part that was mapped before.
    func part(_ number: Int32) -> UnsafeMutableRawPointer? {
        let address = Self.parts.withLock { parts in
            parts.first { $0.index === self && $0.number == number }?.address
        }
        return unsafe address.flatMap { unsafe UnsafeMutableRawPointer(bitPattern: $0) }
    }

    /// Maps the pages of a part of SQLite's mapping once more.
    ///
    /// - Returns: Where they are; nil if they must fit on the disk and don't. Where they can't be
    ///   mapped again it is SQLite's own mapping, which is not guarded.
    func map(
        _ number: Int32,
        _ shared: UnsafeMutableRawPointer,
        _ size: Int,
        mustFit: Bool
    ) -> UnsafeMutableRawPointer? {
        guard BusErrors.areCaught, let own = unsafe humon_map_again(shared, size),
            unsafe own != MAP_FAILED
        else { return unsafe shared }
        // Kernels before 5.14 don't know it, and then only the signal tells.
        let isFull = unsafe madvise(own, size, Self.populateForWriting) != 0 && errno == EFAULT
        if isFull, mustFit {
            unsafe munmap(own, size)
            return nil
        }
        let part = Part(
            index: self,
            number: number,
            address: UInt(bitPattern: own),
            size: size
        )
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

    /// Gives the connection whose index this address belongs to a private copy of it; false if it
    /// belongs to none, or can't be copied.
    fileprivate static func detach(at address: UInt) -> Bool {
        // The thread is inside SQLite, which has called nothing of this type at that moment.
        parts.withLock { parts in
            guard let hit = parts.first(where: { $0.holds(address) }) else { return false }
            hit.index.detached.store(true, ordering: .releasing)
            // The first part, by which all others are found, goes first: nothing that is written to
            // another one is ever announced without it.
            return parts.filter { $0.index === hit.index }.sorted { $0.number < $1.number }
                .allSatisfy { $0.makePrivate() }
        }
    }

    /// `MADV_POPULATE_WRITE` (madvise(2)).
    private static let populateForWriting: Int32 = 23
    /// Those of all connections.
    private static let parts = Mutex<[Part]>([])
}

/// A part of an index, and where it is mapped.
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

    /// Puts a copy in the place of the shared pages.
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

    /// Copies what can be read; a page that was cut off the file stays zero.
    private static func copyPage(
        from source: UnsafeMutableRawPointer,
        to target: UnsafeMutableRawPointer,
        _ count: Int
    ) {
        var local = unsafe iovec(iov_base: target, iov_len: count)
        var remote = unsafe iovec(iov_base: source, iov_len: count)
        let copied = unsafe process_vm_readv(getpid(), &local, 1, &remote, 1, 0)
        // A container may forbid the call.
        if copied < 0, errno != EFAULT {
            unsafe target.copyMemory(from: source, byteCount: count)
        }
    }

    private static let pageSize = 4096
}

/// The handler of SIGBUS.
private enum BusErrors {
    // Made before the handler is installed, and never changed.
    private nonisolated(unsafe) static let previous: UnsafeMutablePointer<sigaction> = {
        let previous = UnsafeMutablePointer<sigaction>.allocate(capacity: 1)
        unsafe previous.initialize(to: sigaction())
        return unsafe previous
    }()

    /// Whether they are, since this was first asked.
    static let areCaught: Bool = {
        let previous = unsafe Self.previous
        var action = sigaction()
        action.sa_flags = SA_SIGINFO
        unsafe action.__sigaction_handler.sa_sigaction = { _, information, _ in
            guard let information = unsafe information else { return BusErrors.pass() }
            let address = unsafe information.pointee._sifields._sigfault.si_addr
            // What a process sends has no address.
            guard unsafe information.pointee.si_code > 0,
                MappedIndex.detach(at: UInt(bitPattern: address))
            else { return BusErrors.pass() }
        }
        return unsafe sigaction(SIGBUS, &action, previous) == 0
    }()

    /// Lets the signal do what it did before.
    private static func pass() {
        unsafe sigaction(SIGBUS, previous, nil)
        // It waits until the handler returns.
        raise(SIGBUS)
    }
}
