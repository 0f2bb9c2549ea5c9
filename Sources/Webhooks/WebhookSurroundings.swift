package import Events
package import HTTPClient
package import Model
package import Time

/// The surroundings of a delivery: stores, clock, sender and settings.
package struct WebhookSurroundings: Sendable {
    /// A message, which the type of the JSON names.
    package struct Content: Sendable {
        package let type: String
        package let timestamp: Timestamp
        package let webhookID: Int64
        /// Nil if the type has none.
        package let changes: [RecordChange]?

        package init(
            type: String,
            timestamp: Timestamp,
            webhookID: Int64,
            changes: [RecordChange]? = nil
        ) {
            (self.type, self.timestamp) = (type, timestamp)
            (self.webhookID, self.changes) = (webhookID, changes)
        }
    }

    /// The result of an attempt to send a message.
    package enum Outcome: Equatable, Sendable {
        case delivered
        case failed
        /// The receiver gets no more messages.
        case disabled
    }

    /// Sends a message; throws `HTTPClientError` without a response.
    package typealias Send =
        @Sendable (
            _ webhook: Webhook, _ fields: [String], _ body: [UInt8]
        ) throws -> HTTPClient.Response

    package typealias Report = @Sendable (Webhook, Webhook.Progress, Outcome) -> Void

    package var webhooks: any WebhookStore
    package var changes: any ChangeStore
    /// Identifies the server among those of the database.
    package var node: String
    package var signer: WebhookSigner
    package var version: String
    /// Returns the filter that a text in the database describes.
    package var filter: @Sendable (String) throws -> EventFilter
    package var render: @Sendable (Content) -> [UInt8]
    package var send: Send
    package var now: @Sendable () -> Timestamp
    /// Returns a random number from 0.8 to 1.2, by which delays are multiplied.
    package var jitter: @Sendable () -> Double
    /// Is told of each attempt, with the webhook before it and its progress afterwards.
    package var report: Report

    package init(
        webhooks: any WebhookStore,
        changes: any ChangeStore,
        node: String,
        signer: WebhookSigner,
        version: String,
        filter: @escaping @Sendable (String) throws -> EventFilter,
        render: @escaping @Sendable (Content) -> [UInt8],
        send: @escaping Send,
        now: @escaping @Sendable () -> Timestamp = { .now() },
        jitter: @escaping @Sendable () -> Double = { .random(in: 0.8...1.2) },
        report: @escaping Report = { _, _, _ in }
    ) {
        self.webhooks = webhooks
        self.changes = changes
        self.node = node
        self.signer = signer
        self.version = version
        self.filter = filter
        self.render = render
        self.send = send
        self.now = now
        self.jitter = jitter
        self.report = report
    }

    /// Sends a message, and returns the response; throws what `send` throws.
    package func post(
        _ content: Content,
        id: String,
        to webhook: Webhook
    ) throws -> HTTPClient.Response {
        let body = render(content)
        let fields = ["Content-Type: application/json", "User-Agent: Humon/\(version)"]
        return try send(
            webhook,
            fields + signer.fields(of: webhook, id: id, body: body, at: now()),
            body
        )
    }
}
