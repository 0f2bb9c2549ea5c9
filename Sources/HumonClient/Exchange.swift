import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A value to which a session delivers what comes of a task.
protocol Receiver: AnyObject, Sendable {
    /// Adds a response without its body.
    func add(_ response: URLResponse)
    /// Adds a part of the body; false if it is too large.
    func add(_ part: Data) -> Bool
    /// Ends with the response, or with the error.
    func complete(_ error: (any Error)?)
}

/// A request in flight, and what has come of its response.
final class Exchange: Receiver {
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

    func add(_ response: URLResponse) {
        state.withLock { $0.response = response as? HTTPURLResponse }
    }

    func add(_ part: Data) -> Bool {
        let isTooLarge = state.withLock { state in
            let isTooLarge = state.body.count + part.count > Self.mostBytes
            if !isTooLarge { state.body.append(part) }
            return isTooLarge
        }
        if isTooLarge { finish(.failure(HumonError(.decoding, "The response is too large."))) }
        return !isTooLarge
    }

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
    /// A receiver, whose user holds it: a stream ends when nobody reads it.
    private struct Entry {
        weak var receiver: (any Receiver)?
    }

    private let entries = Locked<[Int: Entry]>([:])

    func add(_ receiver: any Receiver, to task: URLSessionTask) {
        entries.withLock { $0[task.taskIdentifier] = Entry(receiver: receiver) }
    }

    func remove(_ task: URLSessionTask) {
        entries.withLock { $0[task.taskIdentifier] = nil }
    }

    private func receiver(of task: URLSessionTask) -> (any Receiver)? {
        entries.withLock { $0[task.taskIdentifier]?.receiver }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        receiver(of: task)?.add(response)
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        receiver(of: dataTask)?.add(response)
        completionHandler(.allow)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive data: Data
    ) {
        if receiver(of: dataTask)?.add(data) == false { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        receiver(of: task)?.complete(error)
        remove(task)
    }
}
