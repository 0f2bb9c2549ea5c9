import Glibc

/// SIGTERM and SIGINT, which ask the server to stop.
struct TerminationSignals {
    private let set: sigset_t

    /// Keeps the signals from ending the process; they wait until they are asked for.
    ///
    /// A write to a pipe or socket that nobody reads is no reason to end either, and neither is one
    /// to a file that may not grow (RLIMIT_FSIZE): the call fails, and is answered for.
    init() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGTERM)
        unsafe sigaddset(&set, SIGINT)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        self.set = set
    }

    /// Blocks until one of them arrives and returns its name; a second one then ends the process.
    func wait() -> String {
        var set = set
        var number: Int32 = 0
        unsafe sigwait(&set, &number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        return number == SIGINT ? "SIGINT" : "SIGTERM"
    }
}
