extension Node {
    /// The messages to webhooks, which an operator adds with `humon webhook add`.
    static let webhooks: Node = .object(
        [
            message(
                "changes",
                "What has changed in the events and attendances that the webhook follows."
            ),
            message(
                "reset",
                "Changes may be lost: forget all events. Messages of the type snapshot follow."
            ),
            message("snapshot", "The next events of the whole view, by id."),
            message("test", "A message of `humon webhook test`."),
        ]
    )

    private static func message(_ type: String, _ meaning: String) -> Member {
        let fields = [
            ("webhook-id", "Identifies the message. Ignore messages whose id you know."),
            ("webhook-timestamp", "The time of the attempt, in seconds since 1970."),
            ("webhook-signature", "One or two signatures by Standard Webhooks 1.0."),
        ]
        let operation: Node = [
            "operationId": .text("receive" + type.prefix(1).uppercased() + type.dropFirst()),
            "summary": .text("Message \(type)"), "description": .text(meaning),
            "parameters": .list(
                fields.map { name, meaning in
                    [
                        "name": .text(name), "in": "header", "description": .text(meaning),
                        "required": .boolean(true), "schema": Schema.text().node,
                    ]
                }
            ),
            "requestBody": [
                "required": .boolean(true),
                "content": ["application/json": ["schema": Schema.webhookMessage.node]],
            ],
            "responses": [
                "2XX": ["description": "The message is stored. Otherwise, it is sent again."],
                "410": ["description": "The receiver wants no more messages."],
            ],
        ]
        return (type, ["post": operation])
    }
}

extension Schema {
    fileprivate static let webhookMessage = Schema.record([
        "type": .text(oneOf: ["changes", "reset", "snapshot", "test"]), "timestamp": .time,
        "data": Schema.object(
            required: ["webhook"],
            ["webhook": .integer(from: 1), "changes": .array(of: .change)]
        ).named("WebhookData"),
    ]).named("WebhookMessage")
}
