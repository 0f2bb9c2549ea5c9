import Glibc

/// SIGTERM, SIGINT and SIGQUIT, which stop the program, and signals that must not end the server.
struct TerminationSignals {
    /// Signals that make other programs reopen files or change their log level.
    ///
    /// Log rotation and people send them out of habit.
    private static let ignorable = [SIGHUP, SIGUSR1, SIGUSR2]
    private static let names = [
        SIGTERM: "SIGTERM", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGHUP: "SIGHUP",
        SIGUSR1: "SIGUSR1", SIGUSR2: "SIGUSR2",
    ]

    private let stopping: [Int32]
    private let ignored: [Int32]

    /// Blocks SIGTERM and SIGINT, which stay pending until `wait`.
    init() {
        self.init(stopping: [SIGTERM, SIGINT], ignored: [])
    }

    /// Blocks these and SIGQUIT for a server, and SIGHUP, SIGUSR1 and SIGUSR2, which don't end it
    /// either.
    ///
    /// - Parameter isInteractive: Whether the server belongs to a terminal, which sends SIGHUP when
    ///   it is closed; SIGHUP then stops the server, too.
    init(ofServer isInteractive: Bool) {
        let stopping = [SIGTERM, SIGINT, SIGQUIT] + (isInteractive ? [SIGHUP] : [])
        self.init(stopping: stopping, ignored: Self.ignorable.filter { !stopping.contains($0) })
    }

    /// Ignores the signals for writes to closed pipes and sockets and beyond RLIMIT_FSIZE.
    ///
    /// The call fails, and its caller handles the error.
    private init(stopping: [Int32], ignored: [Int32]) {
        self.stopping = stopping
        self.ignored = ignored
        Self.mask(SIG_BLOCK, stopping + ignored)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Blocks until a signal arrives that stops the program, and returns its name.
    ///
    /// A second one then ends the process. It calls `ignore` with the name of each ignored signal
    /// before.
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
