import Events
import HTTPClient
import Model
import Operations
import Rules
import Settings
import Sodium
import System
import Time
import Web
import Webhooks

extension Commands {
    /// The command that adds a receiver of changes.
    private static let addWebhook = CommandRow(
        "webhook add",
        arguments: "URL",
        "Send changes of public events to a URL.",
        notes: [
            """
            The filters are those of GET /v1/events, in a circle of 200 km at most. Without one,
            all public events are sent.
            """,
            "Set WEBHOOK_KEY first, for this command and for all servers.",
        ],
        options: [
            .init(
                name: "types",
                value: "TYPES",
                meaning: "What to send: event, attendance or event,attendance. By default, event."
            ),
            .init(
                name: "batch",
                value: "N",
                meaning: "Send at most N changes in a message, 1 to 100. By default, 100."
            ),
            .init(name: "snapshot", meaning: "Begin with all events that match the filter."),
            .init(
                name: "allow-private",
                meaning: "Allow http and private addresses, such as 127.0.0.1 and 10.0.0.1."
            ),
        ]
            + EventParameterName.ofChanges.map { name in
                .init(
                    name: name.text,
                    value: name.text.uppercased(),
                    meaning: "A filter of GET /v1/events."
                )
            }
    ) { arguments in
        let allowsPrivate = arguments.has("allow-private")
        let url = try url(arguments.only("URL"), allowsPrivate: allowsPrivate)
        let types = (arguments.options["types"] ?? "event").split(separator: ",")
        let kinds = types.compactMap { Webhook.Kind(rawValue: String($0)) }
        guard !kinds.isEmpty, kinds.count == types.count else {
            throw UsageError("--types must be event, attendance or event,attendance.")
        }
        guard let batch = Int(arguments.options["batch"] ?? "100"), 1...100 ~= batch else {
            throw UsageError("--batch must be a whole number from 1 to 100.")
        }
        let filter = RegionQuery.text(
            of: arguments.typedOptions.compactMap { option in
                EventParameterName(option.name).map { ($0, option.value) }
            }
        )
        let snapshotID: Int64? = arguments.has("snapshot") ? 0 : nil
        return StoreWork(settings: webhookSettings) { configuration in
            _ = try canonicalFilter(filter, configuration)
            _ = try configuration.signer()
        } body: { stores, configuration in
            let salt = RandomBytes.make(count: 16)
            let settings = Webhook.Settings(
                url: url,
                salt: salt,
                kinds: Set(kinds),
                filter: try canonicalFilter(filter, configuration),
                batch: batch,
                allowsPrivate: allowsPrivate
            )
            let id = try await stores.webhooks.add(
                settings,
                Webhook.Progress(after: stores.changes.latest(), snapshotID: snapshotID),
                limit: configuration.webhooks,
                by: Machine.actor
            )
            return """
                webhook \(id) added. Its secret, which the receiver needs (humon webhook secret \
                \(id) prints it again):
                \(try configuration.signer().secret(of: id, salt: salt))
                """
        }
    }

    /// Returns a URL to which messages can be sent.
    private static func url(_ text: String, allowsPrivate: Bool) throws(UsageError) -> String {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "https" || scheme == "http" && allowsPrivate else {
            throw UsageError(
                "The URL must begin with https://, or with --allow-private with http://."
            )
        }
        let authority = text.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
        let port = authority.hasSuffix("]") ? nil : authority.lastIndex(of: ":")
        let host = authority[..<(port ?? authority.endIndex)]
        let number = port.map { UInt16(authority[$0...].dropFirst()) ?? 0 }
        let isHost = number != 0 && authority.contains("[") == authority.contains("]")
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard text.dropFirst(scheme.count).hasPrefix("://"), isPlain, !text.contains("#"),
            host.contains(where: { $0.isLetter || $0.isNumber }), !authority.contains("@"),
            isHost,
            text.utf8.count <= Webhook.Settings.longestURL
        else {
            throw UsageError(
                "The URL must have a host, no user name, no fragment, a port from 1 to 65535 if "
                    + "any, and 2000 characters at most. Encode other characters, such as spaces."
            )
        }
        return text
    }

    private static func canonicalFilter(
        _ filter: String,
        _ configuration: Configuration
    ) throws -> String {
        do {
            let filter = try Composition.webhookFilter(filter, configuration).text
            if filter.utf8.count <= Webhook.Settings.longestFilter { return filter }
        } catch ModelError.invalid(let errors) {
            throw UsageError(errors.map { $0.sentence + "." }.joined(separator: " "))
        }
        throw UsageError("The filter is too long (maximum is 4000 characters).")
    }

    /// The commands about webhooks.
    static let webhooks = [
        addWebhook,
        CommandRow("webhook list", "List the webhooks, and how far each is behind.") { _ in
            StoreWork { stores, _ in
                let rows = try await stores.webhooks.all().map { webhook, backlog in
                    let (settings, progress) = (webhook.settings, webhook.progress)
                    let kinds = Webhook.Kind.allCases.filter(settings.kinds.contains)
                    let failure = progress.failingSince.map { "failing since \($0.text)" }
                    return [
                        String(webhook.id), settings.url,
                        kinds.map(\.rawValue).joined(separator: ","),
                        settings.filter.isEmpty ? "-" : settings.filter, String(backlog.changes),
                        progress.disabledAt != nil ? "disabled" : failure ?? "active",
                        TextTable.printable(progress.lastResult ?? "-"),
                    ]
                }
                let header = ["ID", "URL", "TYPES", "FILTER", "BEHIND", "STATE", "LAST RESULT"]
                return TextTable.text([header] + rows)
            }
        },
        webhook("remove", "Stop sending changes to a webhook, and delete it.") {
            id,
            stores,
            _ in
            try await stores.webhooks.remove(id, by: Machine.actor)
            return "webhook \(id) removed."
        },
        webhook(
            "test",
            "Send a message of the type test, and print the response.",
            notes: ["It fails unless the status is 200 to 299."],
            test
        ),
        webhook("secret", "Print the secret with which a receiver verifies messages.") {
            id,
            stores,
            configuration in
            let signer = try configuration.signer()
            let salt = try await webhook(id, in: stores).settings.salt
            try await stores.moderation.note(.secret, kind: "webhook", id, by: Machine.actor)
            return signer.secret(of: id, salt: salt)
        },
        webhook(
            "rotate",
            "Replace the secret of a webhook, and print the new one.",
            notes: ["For 24 hours, messages have the signatures of both secrets."]
        ) { id, stores, configuration in
            let (signer, salt) = (try configuration.signer(), RandomBytes.make(count: 16))
            let end = Timestamp.now().milliseconds + WebhookSigner.rotationMilliseconds
            try await stores.webhooks.rotate(
                id,
                salt: salt,
                until: Timestamp(milliseconds: end),
                by: Machine.actor
            )
            return signer.secret(of: id, salt: salt)
        },
        CommandRow(
            "webhook resume",
            arguments: "ID",
            "Resume a webhook that is failing or disabled.",
            options: [.init(name: "skip", meaning: "Skip the message that failed.")]
        ) { arguments in
            let skips = arguments.has("skip")
            return try work(arguments) { id, stores, _ in
                let epoch = skips ? try await stores.changes.latest().log : nil
                try await stores.webhooks.resume(id, skippingIn: epoch, by: Machine.actor)
                return "webhook \(id) resumed."
            }
        },
    ]

    /// The settings that these commands read besides those of the database.
    private static let webhookSettings: Set = [
        "WEBHOOK_KEY", "LIMIT_WEBHOOKS", "CA_FILE", "OPEN_END_HOURS",
    ]

    private typealias WebhookWork = @Sendable (Int64, Stores, Configuration) async throws -> String

    /// Returns a command about one webhook.
    private static func webhook(
        _ verb: String,
        _ summary: String,
        notes: [String] = [],
        _ body: @escaping WebhookWork
    ) -> CommandRow {
        CommandRow("webhook \(verb)", arguments: "ID", summary, notes: notes) { arguments in
            try work(arguments, body)
        }
    }

    private static func work(
        _ arguments: Arguments,
        _ body: @escaping WebhookWork
    ) throws(UsageError) -> StoreWork {
        let id = try Arguments.id(of: "a webhook", arguments.only("ID"))
        return StoreWork(settings: webhookSettings, missing: "There is no webhook \(id).") {
            stores,
            configuration in
            try await body(id, stores, configuration)
        }
    }

    /// Returns the webhook; throws `ModelError.notFound` if it doesn't exist.
    private static func webhook(_ id: Int64, in stores: Stores) async throws -> Webhook {
        let all = try await stores.webhooks.all()
        guard let found = all.first(where: { $0.webhook.id == id }) else {
            throw ModelError.notFound
        }
        return found.webhook
    }

    /// Sends a message of the type `test`, and returns its result.
    @Sendable private static func test(
        _ id: Int64,
        _ stores: Stores,
        _ configuration: Configuration
    ) async throws -> String {
        _ = try configuration.signer()
        guard let client = HTTPClient(authorities: configuration.authoritiesPath) else {
            throw OperatorError("Install libcurl4 to use webhooks.")
        }
        let surroundings = Composition.webhookSurroundings(configuration, stores) {
            webhook,
            fields,
            body in
            try client.post(
                webhook.settings.url,
                fields: fields,
                body: body,
                allowsPrivate: webhook.settings.allowsPrivate
            )
        }
        let webhook = try await webhook(id, in: stores)
        let (now, start) = (Timestamp.now(), MonotonicClock.milliseconds())
        let content = WebhookSurroundings.Content(type: "test", timestamp: now, webhookID: id)
        let epoch = try await stores.changes.latest().log
        do {
            let response = try surroundings?.post(
                content,
                id: "msg_\(epoch)_\(id)_test_\(now.milliseconds)",
                to: webhook
            )
            let status = response?.status ?? 0
            let text = "\(status) after \(MonotonicClock.milliseconds() - start) ms"
            guard 200..<300 ~= status else { throw OperatorError("The test failed: \(text).") }
            return text
        } catch let error as HTTPClientError {
            throw OperatorError("The test failed: \(error.reason).")
        }
    }
}

extension Configuration {
    /// Returns the signer; throws if WEBHOOK_KEY is not set.
    fileprivate func signer() throws -> WebhookSigner {
        guard !webhookKey.isEmpty else {
            throw OperatorError(
                "WEBHOOK_KEY is not set. Make a key with `openssl rand -hex 32`, and set it for "
                    + "this command and for all servers."
            )
        }
        return WebhookSigner(key: webhookKey)
    }
}
