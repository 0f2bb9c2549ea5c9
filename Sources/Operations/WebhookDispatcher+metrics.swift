import Logging
import Model
import Time
import Webhooks

extension WebhookDispatcher {
    /// Appends measurements of each webhook, if there is one.
    func append(to text: inout MetricsText) {
        let statuses = statuses
        if statuses.isEmpty { return }
        let now = Timestamp.now().milliseconds
        text.begin(
            "humon_webhook_attempts_total",
            .counter,
            "Attempts of this server to send a message, by result."
        )
        for status in statuses {
            let id = ("webhook", String(status.id))
            text.sample([id, ("result", "succeeded")], status.successes)
            text.sample([id, ("result", "failed")], status.failures)
        }
        func gauge(_ name: String, _ help: String, _ value: (Status) -> Int64) {
            text.begin(name, .gauge, help)
            for status in statuses {
                text.sample([("webhook", String(status.id))], value(status))
            }
        }
        gauge("humon_webhook_behind_changes", "Changes in the log after those that were sent.") {
            $0.backlog.changes
        }
        gauge("humon_webhook_behind_seconds", "Age of the first change that was not sent, or 0.") {
            max(0, $0.backlog.oldest.map { (now - $0.milliseconds) / 1000 } ?? 0)
        }
        gauge("humon_webhook_disabled", "Whether the webhook is disabled.") {
            $0.isDisabled ? 1 : 0
        }
    }
}
