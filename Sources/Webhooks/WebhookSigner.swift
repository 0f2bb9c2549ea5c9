import HTTP
package import Model
import Sodium
package import Time

/// The secrets of webhooks and their signatures, by Standard Webhooks 1.0.
package struct WebhookSigner: Sendable {
    /// How long the former secret signs messages as well, in ms.
    package static let rotationMilliseconds: Int64 = 86_400_000

    private let key: [UInt8]

    /// Creates the signer for WEBHOOK_KEY, which has 32 bytes.
    package init(key: [UInt8]) {
        self.key = key
    }

    /// Returns the secret of a webhook, as its receiver needs it.
    package func secret(of id: Int64, salt: [UInt8]) -> String {
        "whsec_" + Base64.encode(secretBytes(id, salt))
    }

    /// Returns the header fields that identify and sign a message.
    package func fields(
        of webhook: Webhook,
        id: String,
        body: [UInt8],
        at time: Timestamp
    ) -> [String] {
        let seconds = time.milliseconds / 1000
        let former = webhook.former.flatMap { $0.until > time ? $0.salt : nil }
        let signatures = ([webhook.settings.salt] + (former.map { [$0] } ?? [])).map { salt in
            let content = Array("\(id).\(seconds).".utf8) + body
            let code = HMACSHA256.code(of: content, key: secretBytes(webhook.id, salt))
            return "v1,\(Base64.encode(code))"
        }
        return [
            "webhook-id: \(id)", "webhook-timestamp: \(seconds)",
            "webhook-signature: \(signatures.joined(separator: " "))",
        ]
    }

    private func secretBytes(_ id: Int64, _ salt: [UInt8]) -> [UInt8] {
        HMACSHA256.code(of: Array("humon webhook \(id) ".utf8) + salt, key: key)
    }
}
