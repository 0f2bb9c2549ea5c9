import Glibc

/// SIGTERM and SIGINT, which ask the program to stop, and signals that must not end the server.
struct TerminationSignals {
    /// Other programs reopen files or change their log level at these, so log rotation and people
    /// send them out of habit.
    private static let ignorable = [SIGHUP, SIGUSR1, SIGUSR2]
    private static let names = [
        SIGTERM: "SIGTERM", SIGINT: "SIGINT", SIGHUP: "SIGHUP", SIGUSR1: "SIGUSR1",
        SIGUSR2: "SIGUSR2",
    ]

    private let stopping: [Int32]
    private let ignored: [Int32]

    /// Keeps SIGTERM and SIGINT from ending the process; they wait until they are asked for.
    init() {
        self.init(stopping: [SIGTERM, SIGINT], ignored: [])
    }

    /// Does the same for a server, which SIGHUP, SIGUSR1 and SIGUSR2 do not end either.
    ///
    /// - Parameter isInteractive: Whether the server belongs to a terminal, which sends SIGHUP when
    ///   it is closed: then SIGHUP asks to stop, too.
    init(ofServer isInteractive: Bool) {
        let stopping = [SIGTERM, SIGINT] + (isInteractive ? [SIGHUP] : [])
        self.init(
            stopping: stopping,
            ignored: Self.ignorable.filter { !stopping.contains($0) }
        )
    }

    /// A write to a pipe or socket that nobody reads is no reason to end either, and neither is one
    /// to a file that may not grow (RLIMIT_FSIZE): the call fails, and is answered for.
    private init(stopping: [Int32], ignored: [Int32]) {
        self.stopping = stopping
        self.ignored = ignored
        Self.mask(SIG_BLOCK, stopping + ignored)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Blocks until one arrives that asks to stop, and returns its name; a second one then ends the
    /// process.
    ///
    /// Calls `ignore` with the name of each that arrives before and is ignored.
    func wait(_ ignore: (String) -> Void = { _ in }) -> String {
        var set = Self.set(of: stopping + ignored)
        while true {
            var number: Int32 = 0
            unsafe sigwait(&set, &number)
            let name = Self.names[number] ?? "signal \(number)"
            if stopping.contains(number) {
                Self.mask(SIG_UNBLOCK, stopping)
                return name
            }
            ignore(name)
        }
    }

    private static func mask(_ change: Int32, _ numbers: [Int32]) {
        var set = set(of: numbers)
        unsafe pthread_sigmask(change, &set, nil)
    }

    private static func set(of numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        return set
    }
}
