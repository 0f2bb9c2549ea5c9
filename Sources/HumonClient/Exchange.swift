import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request in flight, and what has come of its response.
final class Exchange: Sendable {
    typealias Result = Swift.Result<(HTTPURLResponse, Data), HumonError>

    /// The maximum size of a response, in bytes; a page of 1,000 events has up to 30 MB.
    private static let mostBytes = 64 * 1024 * 1024

    private struct State {
        var body = Data()
        var response: HTTPURLResponse?
        var result: Result?
        var continuation: CheckedContinuation<Result, Never>?
    }

    private let state = Locked(State())

    /// Starts the task, and returns its result.
    func result(of task: URLSessionTask) async -> Result {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                state.continuation = state.result == nil ? continuation : nil
                return state.result
            }
            if let result { continuation.resume(returning: result) } else { task.resume() }
        }
    }

    /// Ends the exchange, unless it has ended.
    func finish(_ result: Result) {
        let continuation = state.withLock { state in
            if state.result == nil { state.result = result }
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: result)
    }

    /// Adds a response without its body.
    func add(_ response: URLResponse) {
        state.withLock { $0.response = response as? HTTPURLResponse }
    }

    /// Adds a part of the body; false if it is too large.
    func add(_ part: Data) -> Bool {
        state.withLock { state in
            guard state.body.count + part.count <= Self.mostBytes else { return false }
            state.body.append(part)
            return true
        }
    }

    /// Ends the exchange with the response, or with the error.
    func complete(_ error: (any Error)?) {
        let (response, body) = state.withLock { ($0.response, $0.body) }
        if let error {
            finish(.failure(HumonError(error)))
        } else if let response {
            finish(.success((response, body)))
        } else {
            finish(.failure(HumonError(.decoding, "The response is not HTTP.")))
        }
    }
}

/// The exchanges of a session, to which it delivers what comes.
///
/// Redirects are refused: the session would send the token to the other host.
final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Locked<[Int: Exchange]>([:])

    func add(_ exchange: Exchange, to task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    func remove(_ task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = nil }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        exchange(of: task)?.add(response)
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.add(response)
        completionHandler(.allow)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive data: Data
    ) {
        guard exchange(of: dataTask)?.add(data) == false else { return }
        exchange(of: dataTask)?.finish(
            .failure(HumonError(.decoding, "The response is too large."))
        )
        dataTask.cancel()
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        exchange(of: task)?.complete(error)
    }
}
