extension Setting {
    /// The key and the number of webhooks.
    static let webhooks: [Setting] = [
        Setting(
            "WEBHOOK_KEY",
            "The key from which the secrets of webhooks are made.",
            details: """
                Generate one with `openssl rand -hex 32`. Another key changes all secrets. Without \
                a key, nothing is sent to webhooks. WEBHOOK_KEY_FILE can name a file to read it \
                from.
                """,
            allowed: "off, or 64 hexadecimal digits",
            isSecret: true,
            \.webhookKey,
            text: { $0.isEmpty ? "off" : "(set)" },
            parse: { text in
                if text.lowercased() == "off" { return [] }
                let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
                guard digits.count == 64, text.utf8.count == 64 else { return nil }
                return stride(from: 0, to: 64, by: 2).map { index in
                    UInt8(truncatingIfNeeded: digits[index] << 4 | digits[index + 1])
                }
            }
        ),
        .integer(
            "LIMIT_WEBHOOKS",
            "The maximum number of webhooks, each of which has a thread.",
            in: 1...100,
            \.webhooks
        ),
    ]
}
