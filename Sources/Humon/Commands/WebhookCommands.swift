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

/// `humon webhook add`: adds a receiver of changes.
struct AddWebhookCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "webhook add",
        arguments: "URL",
        summary: "Send changes of public events to a URL.",
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
    )

    let url: String
    let kinds: Set<Webhook.Kind>
    let batch: Int
    let hasSnapshot: Bool
    let allowsPrivate: Bool
    /// The filter as the query of a URL.
    let filter: String

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
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
        return Self(
            url: url,
            kinds: Set(kinds),
            batch: batch,
            hasSnapshot: arguments.has("snapshot"),
            allowsPrivate: allowsPrivate,
            filter: filter
        )
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

    func run(in context: CommandContext) async throws -> ExitCode {
        let configuration = try context.webhookConfiguration(for: "humon webhook add")
        let filter = try canonicalFilter(configuration)
        let (signer, salt) = (try configuration.signer(), RandomBytes.make(count: 16))
        let settings = Webhook.Settings(
            url: url,
            salt: salt,
            kinds: kinds,
            filter: filter,
            batch: batch,
            allowsPrivate: allowsPrivate
        )
        let id = try await context.withStores(for: "humon webhook add") { stores in
            try await stores.webhooks.add(
                settings,
                Webhook.Progress(
                    after: stores.changes.latest(),
                    snapshotID: hasSnapshot ? 0 : nil
                ),
                limit: configuration.webhooks,
                by: Machine.actor
            )
        }
        Terminal.output.write(
            """
            webhook \(id) added. Its secret, which the receiver needs (humon webhook secret \(id) \
            prints it again):
            \(signer.secret(of: id, salt: salt))

            """
        )
        return .success
    }

    private func canonicalFilter(_ configuration: Configuration) throws -> String {
        do {
            let filter = try Composition.webhookFilter(filter, configuration).text
            if filter.utf8.count <= Webhook.Settings.longestFilter { return filter }
        } catch ModelError.invalid(let errors) {
            throw UsageError(errors.map { $0.sentence + "." }.joined(separator: " "))
        }
        throw UsageError("The filter is too long (maximum is 4000 characters).")
    }
}

/// `humon webhook list`: prints a table of webhooks.
struct ListWebhooksCommand: PlainCommand {
    static let description = CommandDescription(
        name: "webhook list",
        summary: "List the webhooks, and how far each is behind."
    )

    func run(in context: CommandContext) async throws -> ExitCode {
        let all = try await context.withStores(for: "humon webhook list") { stores in
            try await stores.webhooks.all()
        }
        let rows = all.map { webhook, backlog in
            let kinds = Webhook.Kind.allCases.filter(webhook.settings.kinds.contains)
            let progress = webhook.progress
            let state =
                progress.disabledAt != nil
                ? "disabled" : progress.failingSince.map { "failing since \($0.text)" } ?? "active"
            return [
                String(webhook.id), webhook.settings.url,
                kinds.map(\.rawValue).joined(separator: ","),
                webhook.settings.filter.isEmpty ? "-" : webhook.settings.filter,
                String(backlog.changes), state,
                TextTable.printable(progress.lastResult ?? "-"),
            ]
        }
        let header = ["ID", "URL", "TYPES", "FILTER", "BEHIND", "STATE", "LAST RESULT"]
        Terminal.output.write(TextTable.text([header] + rows) + "\n")
        return .success
    }
}

/// A command about one webhook.
protocol WebhookCommand: ProgramCommand {
    var id: Int64 { get }

    init(id: Int64)

    /// Does its work, and returns what it prints.
    func run(_ stores: Stores, _ configuration: Configuration) async throws -> String
}

extension WebhookCommand {
    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(id: try Arguments.id(of: "a webhook", arguments.only("ID")))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let name = "humon \(Self.description.name)"
        let configuration = try context.webhookConfiguration(for: name)
        let text = try await context.withStores(for: name) { stores in
            try await run(stores, configuration)
        } unlessFound: {
            "There is no webhook \(id)."
        }
        Terminal.output.write(text + "\n")
        return .success
    }

    /// Returns the webhook; throws `ModelError.notFound` if it doesn't exist.
    func webhook(in stores: Stores) async throws -> Webhook {
        let all = try await stores.webhooks.all()
        guard let found = all.first(where: { $0.webhook.id == id }) else {
            throw ModelError.notFound
        }
        return found.webhook
    }
}

/// `humon webhook remove`: deletes a webhook.
struct RemoveWebhookCommand: WebhookCommand {
    static let description = CommandDescription(
        name: "webhook remove",
        arguments: "ID",
        summary: "Stop sending changes to a webhook, and delete it."
    )

    let id: Int64

    func run(_ stores: Stores, _ configuration: Configuration) async throws -> String {
        try await stores.webhooks.remove(id, by: Machine.actor)
        return "webhook \(id) removed."
    }
}

/// `humon webhook test`: sends a message of the type `test`.
struct TestWebhookCommand: WebhookCommand {
    static let description = CommandDescription(
        name: "webhook test",
        arguments: "ID",
        summary: "Send a message of the type test, and print the response.",
        notes: ["It fails unless the status is 200 to 299."]
    )

    let id: Int64

    func run(_ stores: Stores, _ configuration: Configuration) async throws -> String {
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
        let webhook = try await webhook(in: stores)
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

/// `humon webhook secret`: prints the secret of a webhook.
struct ShowWebhookSecretCommand: WebhookCommand {
    static let description = CommandDescription(
        name: "webhook secret",
        arguments: "ID",
        summary: "Print the secret with which a receiver verifies messages."
    )

    let id: Int64

    func run(_ stores: Stores, _ configuration: Configuration) async throws -> String {
        let signer = try configuration.signer()
        let salt = try await webhook(in: stores).settings.salt
        try await stores.moderation.note(.secret, kind: "webhook", id, by: Machine.actor)
        return signer.secret(of: id, salt: salt)
    }
}

/// `humon webhook rotate`: replaces the secret of a webhook.
struct RotateWebhookCommand: WebhookCommand {
    static let description = CommandDescription(
        name: "webhook rotate",
        arguments: "ID",
        summary: "Replace the secret of a webhook, and print the new one.",
        notes: ["For 24 hours, messages have the signatures of both secrets."]
    )

    let id: Int64

    func run(_ stores: Stores, _ configuration: Configuration) async throws -> String {
        let (signer, salt) = (try configuration.signer(), RandomBytes.make(count: 16))
        let end = Timestamp.now().milliseconds + WebhookSigner.rotationMilliseconds
        try await stores.webhooks.rotate(
            id,
            salt: salt,
            until: Timestamp(milliseconds: end),
            by: Machine.actor
        )
        return signer.secret(of: id, salt: salt)
    }
}

/// `humon webhook resume`: ends the failures of a webhook.
struct ResumeWebhookCommand: WebhookCommand {
    static let description = CommandDescription(
        name: "webhook resume",
        arguments: "ID",
        summary: "Resume a webhook that is failing or disabled.",
        options: [.init(name: "skip", meaning: "Skip the message that failed.")]
    )

    let id: Int64
    var skips = false

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        var command = Self(id: try Arguments.id(of: "a webhook", arguments.only("ID")))
        command.skips = arguments.has("skip")
        return command
    }

    init(id: Int64) {
        self.id = id
    }

    func run(_ stores: Stores, _ configuration: Configuration) async throws -> String {
        let epoch = skips ? try await stores.changes.latest().log : nil
        try await stores.webhooks.resume(id, skippingIn: epoch, by: Machine.actor)
        return "webhook \(id) resumed."
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

extension CommandContext {
    /// Reads the settings of the database and of webhooks.
    fileprivate func webhookConfiguration(for command: String) throws -> Configuration {
        let names = Setting.namesOfDatabase.union([
            "WEBHOOK_KEY", "LIMIT_WEBHOOKS", "CA_FILE", "OPEN_END_HOURS",
        ])
        let settings = try settings(only: names)
        try settings.check(.humon, for: command)
        try UserChange.apply(settings.configuration)
        return settings.configuration
    }
}
