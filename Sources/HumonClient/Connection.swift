import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request in flight, and the part of its response that was not read yet.
final class Connection: Sendable {
    /// The limits beyond which a connection is closed.
    struct Limits {
        /// The maximum size of the part that was not read yet, in bytes.
        let bytes: Int
        /// The maximum time in seconds.
        let seconds: Double
        /// Whether the time begins again with each part, and counts while the device sleeps.
        var isSilence = false
    }

    private struct State {
        var task: URLSessionTask?
        var response: HTTPURLResponse?
        var unread = Data()
        var end: Result<Void, HumonError>?
        var isReady: @Sendable (State) -> Bool = { _ in false }
        var reader: CheckedContinuation<Void, Never>?
    }

    private let limits: Limits
    private let state = Locked(State())
    // The interval of a request ends only after a silence, so that a trickle would never end, and a
    // cancelled `Task.sleep` stays in memory until its time. Dispatch allows calls of a source from
    // all threads.
    private nonisolated(unsafe) let timer = DispatchSource.makeTimerSource()

    init(_ limits: Limits) {
        self.limits = limits
        timer.setEventHandler { [weak self] in self?.close(.timeout) }
        schedule()
        timer.resume()
    }

    deinit { close(.cancelled) }

    private func schedule() {
        if limits.isSilence {
            timer.schedule(wallDeadline: .now() + limits.seconds)
        } else {
            timer.schedule(deadline: .now() + limits.seconds)
        }
    }

    /// Starts the task, and returns the response without its body.
    func start(_ task: URLSessionTask) async throws(HumonError) -> HTTPURLResponse {
        let hasEnded = state.withLock { state in
            state.task = task
            return state.end != nil
        }
        hasEnded ? task.cancel() : task.resume()
        await wait { $0.response != nil }
        let (response, end) = state.withLock { ($0.response, $0.end) }
        if let response { return response }
        try end?.get()
        throw .notOfServer(nil)
    }

    /// Returns the next part, or nil when the connection has ended.
    func next() async -> Data? {
        await wait { !$0.unread.isEmpty }
        return state.withLock { state in
            defer { state.unread = Data() }
            return state.unread.isEmpty ? nil : state.unread
        }
    }

    /// Returns all that comes until the end.
    func rest() async throws(HumonError) -> Data {
        await wait { _ in false }
        let (body, end) = state.withLock { ($0.unread, $0.end) }
        try end?.get()
        return body
    }

    /// Waits for something, or for the end.
    private func wait(for isReady: @escaping @Sendable (State) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                update { ($0.isReady, $0.reader) = (isReady, continuation) }
            }
        } onCancel: {
            close(.cancelled)
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state)
            guard state.end != nil || state.isReady(state) else { return nil }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    private func close(_ error: HumonError) {
        timer.cancel()
        let task = state.withLock { $0.end == nil ? $0.task : nil }
        update { $0.end = $0.end ?? .failure(error) }
        task?.cancel()
    }

    fileprivate func add(_ response: URLResponse) {
        update { $0.response = response as? HTTPURLResponse }
    }

    fileprivate func add(_ part: Data) {
        let isTooMuch = state.withLock { $0.unread.count + part.count > limits.bytes }
        if isTooMuch { return close(HumonError(.decoding, "The response is too large.")) }
        if limits.isSilence { schedule() }
        // A cancelled task can still deliver data, which would follow a gap.
        update { if $0.end == nil { $0.unread.append(part) } }
    }

    fileprivate func complete(_ error: (any Error)?) {
        update { $0.end = $0.end ?? error.map { .failure(HumonError($0)) } ?? .success(()) }
    }
}

/// The connections of a session, to which it delivers what comes.
///
/// Redirects are refused: the session would send the token to the other host.
final class Connections: NSObject, URLSessionDataDelegate, Sendable {
    /// A connection, which its reader holds: a stream ends when nobody reads it.
    private struct Entry {
        weak var connection: Connection?
    }

    private let entries = Locked<[Int: Entry]>([:])

    func add(_ connection: Connection, of task: URLSessionTask) {
        entries.withLock { $0[task.taskIdentifier] = Entry(connection: connection) }
    }

    private func connection(of task: URLSessionTask) -> Connection? {
        entries.withLock { $0[task.taskIdentifier]?.connection }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        connection(of: task)?.add(response)
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        connection(of: dataTask)?.add(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        connection(of: dataTask)?.add(data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        connection(of: task)?.complete(error)
        entries.withLock { $0[task.taskIdentifier] = nil }
    }
}
