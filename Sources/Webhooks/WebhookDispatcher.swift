import HTTPClient
package import Logging
package import Model
import System

/// The threads that send the messages of webhooks, one for each webhook.
package final class WebhookDispatcher: Sendable {
    /// The pause after an error of the database, in ms.
    private static let errorPause: Int64 = 15_000

    /// A webhook as the operator's monitoring sees it.
    package struct Status: Sendable {
        package let id: Int64
        package let isDisabled: Bool
        package let backlog: WebhookBacklog
        package let successes: UInt64
        package let failures: UInt64
    }

    private struct Worker {
        let thread: POSIXThread
        let wakeUp: Semaphore
    }

    private struct State {
        var isStopped = false
        var workers: [Int64: Worker] = [:]
        var latest: [(webhook: Webhook, backlog: WebhookBacklog)] = []
        var counts: [Int64: (successes: UInt64, failures: UInt64)] = [:]
        /// The last logged reason why nothing is delivered.
        var fault: String?
        var client: HTTPClient?
    }

    private let surroundings: WebhookSurroundings?
    private let webhooks: any WebhookStore
    private let authorities: String?
    private let logger: Logger
    private let state = Mutex(State())
    private let wakeUp = Semaphore()
    private let thread = Mutex<POSIXThread?>(nil)

    /// Creates a dispatcher without threads.
    ///
    /// - Parameters:
    ///   - webhooks: The webhooks.
    ///   - surroundings: What deliveries depend on, without `send` and `report`; nil without
    ///     WEBHOOK_KEY.
    ///   - authorities: A file with certificates of authorities; nil for those of the system.
    ///   - logger: Where failures are logged.
    package init(
        _ webhooks: any WebhookStore,
        _ surroundings: WebhookSurroundings?,
        authorities: String?,
        logger: Logger
    ) {
        self.webhooks = webhooks
        self.surroundings = surroundings
        self.authorities = authorities
        self.logger = logger
    }

    /// The webhooks as they were seen a few seconds ago.
    package var statuses: [Status] {
        state.withLock { state in
            state.latest.map { webhook, backlog in
                let counts = state.counts[webhook.id] ?? (0, 0)
                return Status(
                    id: webhook.id,
                    isDisabled: webhook.progress.disabledAt != nil,
                    backlog: backlog,
                    successes: counts.successes,
                    failures: counts.failures
                )
            }
        }
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Starts the thread that looks for webhooks; throws `ThreadError` if that is not possible.
    package func start() throws {
        let started = try POSIXThread { [self] in
            while !isStopped {
                look()
                wakeUp.wait(atMostMilliseconds: WebhookDelivery.glance)
            }
        }
        thread.withLock { $0 = started }
    }

    /// Ends all threads, which give their requests up; a message that was sent is sent again.
    package func stop() {
        state.withLock { $0.isStopped = true }
        wakeUp.signal()
        thread.withLock { $0 }?.join()
        let workers = state.withLock { Array($0.workers.values) }
        for worker in workers { worker.wakeUp.signal() }
        for worker in workers { worker.thread.join() }
    }

    /// Starts a thread for each new webhook.
    private func look() {
        do {
            let webhooks = webhooks
            let all = try WaitingThread.run { try await webhooks.all() }
            state.withLock { $0.latest = all }
            let ids = all.map(\.webhook.id)
            let new = state.withLock { state in ids.filter { state.workers[$0] == nil } }
            if new.isEmpty { return state.withLock { $0.fault = nil } }
            guard let surroundings else {
                return complain("WEBHOOK_KEY is not set: set it to the key that made the secrets")
            }
            guard let client = client() else {
                return complain("Install libcurl4 to use webhooks.")
            }
            for id in new { try start(id, surroundings, client) }
        } catch {
            complain("\(error)")
        }
    }

    /// Returns the client that all webhooks share; nil without libcurl.
    private func client() -> HTTPClient? {
        state.withLock { state in
            state.client = state.client ?? HTTPClient(authorities: authorities)
            return state.client
        }
    }

    /// Logs why nothing is delivered, unless it was logged last.
    private func complain(_ fault: String) {
        let isNew = state.withLock { state in
            defer { state.fault = fault }
            return state.fault != fault
        }
        if isNew { logger.log(.error, "webhooks not delivered", ["cause": fault]) }
    }

    private func start(
        _ id: Int64,
        _ surroundings: WebhookSurroundings,
        _ client: HTTPClient
    ) throws {
        var surroundings = surroundings
        surroundings.send = { [self] webhook, fields, body in
            do throws(HTTPClientError) {
                return try client.post(
                    webhook.settings.url,
                    fields: fields,
                    body: body,
                    allowsPrivate: webhook.settings.allowsPrivate,
                    isStopped: { self.isStopped }
                )
            } catch {
                // A request that was given up says nothing about the receiver.
                throw isStopped ? CancellationError() : error as any Error
            }
        }
        surroundings.report = { [self] in report($0, $1, $2) }
        let (delivery, wakeUp) = (WebhookDelivery(of: id, surroundings), Semaphore())
        let thread = try POSIXThread { [self] in run(delivery, id, wakeUp) }
        state.withLock { $0.workers[id] = Worker(thread: thread, wakeUp: wakeUp) }
    }

    /// Performs the steps of a webhook until it is removed or the server stops.
    private func run(_ first: WebhookDelivery, _ id: Int64, _ wakeUp: Semaphore) {
        var delivery = first
        while !isStopped {
            var pause: Int64? = Self.errorPause
            do {
                let current = delivery
                (delivery, pause) = try WaitingThread.run {
                    var delivery = current
                    let pause = try await delivery.step()
                    return (delivery, pause)
                }
            } catch {
                if isStopped { break }
                let fields: LogFields = ["webhook": String(id), "cause": "\(error)"]
                logger.log(.warning, "webhook postponed", fields)
            }
            guard let pause else {
                return state.withLock { state in
                    state.workers[id] = nil
                    state.counts[id] = nil
                }
            }
            if pause > 0 { wakeUp.wait(atMostMilliseconds: pause) }
        }
    }

    private func report(
        _ webhook: Webhook,
        _ progress: Webhook.Progress,
        _ outcome: WebhookSurroundings.Outcome
    ) {
        state.withLock { state in
            var counts = state.counts[webhook.id] ?? (0, 0)
            if outcome == .delivered { counts.successes += 1 } else { counts.failures += 1 }
            state.counts[webhook.id] = counts
        }
        let fields: LogFields = [
            "webhook": String(webhook.id), "receiver": webhook.settings.origin,
            "result": progress.lastResult ?? "",
        ]
        switch outcome {
        case .delivered:
            if webhook.progress.attempts > 0 { logger.log(.info, "webhook recovered", fields) }
        case .failed:
            if progress.attempts == 1 { logger.log(.warning, "webhook failed: retrying", fields) }
        case .disabled:
            logger.log(
                .error,
                "webhook disabled: run `humon webhook resume` when its receiver works",
                fields
            )
        }
    }
}
