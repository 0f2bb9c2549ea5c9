import Model
import Settings

extension Diagnosis {
    /// Returns what prevents webhooks from getting changes; nothing without webhooks.
    static func webhooks(_ facts: Facts) -> [Finding] {
        let webhooks = facts.storage.webhooks
        if webhooks.isEmpty { return [] }
        var findings: [Finding] = []
        if facts.configuration.webhookKey.isEmpty {
            findings += .problem(
                "webhooks",
                "WEBHOOK_KEY is not set, so nothing is sent",
                "Set it to the key with which the webhooks were added."
            )
        }
        for (id, state) in webhooks where state == "disabled" {
            findings += .problem(
                "webhooks",
                "webhook \(id) is disabled, because its receiver failed for 7 days or sent 410",
                "Fix the receiver and run `humon webhook resume \(id)`, or remove the webhook."
            )
        }
        for (id, state) in webhooks where state == "lost" {
            findings += .warning(
                "webhooks",
                "changes were deleted before webhook \(id) got them, so it starts with a reset",
                "If that happens again, raise LIMIT_CHANGES, or check why the receiver is slow."
            )
        }
        return findings.isEmpty ? .ok("webhooks", "none is disabled") : findings
    }
}
