import SignIn

extension Setting {
    /// Whose ID tokens people can sign in with, and how their keys are fetched.
    static let signIn: [Setting] = [
        Setting(
            "AUTH_ISSUERS",
            "The issuers whose ID tokens people can sign in with.",
            details: """
                An entry is ISSUER AUDIENCES KEYS and optionally the word nonce, separated by \
                spaces; entries are separated by semicolons or line ends. ISSUER is the https URL \
                in the tokens. AUDIENCES are the ids of your apps at the issuer, separated by \
                commas. KEYS is the https URL or the file of its JSON Web Key Set. With nonce, \
                each sign-in must prove that the app requested the token. AUTH_ISSUERS_FILE can \
                name a file to read the entries from.
                """,
            allowed: "off, or 1 to 16 entries",
            canBeInFile: true,
            \.issuers,
            text: { $0.isEmpty ? "off" : $0.map(\.text).joined(separator: "; ") },
            parse: { try? Issuer.list($0) },
            fault: { text in
                do throws(KeyError) {
                    _ = try Issuer.list(text)
                    return nil
                } catch {
                    return error.reason
                }
            }
        ),
        Setting(
            "AUTH_KEYS_REFRESH",
            "How often the keys of issuers are fetched, give or take 10 %.",
            details: """
                It is also the longest time that a key is accepted after its issuer withdrew it. \
                Key files are checked once a minute.
                """,
            allowed: "an interval from 5m to 24h such as 30m or 6h",
            \.keyRefreshMinutes,
            text: { BackupSchedule.every(minutes: $0).text },
            parse: { text in
                guard case .every(let minutes) = BackupSchedule(text) else { return nil }
                return 5...1440 ~= minutes ? minutes : nil
            }
        ),
        Setting(
            "CA_FILE",
            "The PEM file of the certificate authorities that HTTPS requests trust.",
            details: "Set it for issuers with certificates of your own authority.",
            allowed: "system, or the path of a file",
            \.authoritiesPath,
            text: { $0 ?? "system" },
            parse: { text in
                if text.lowercased() == "system" { return .some(nil) }
                return text.utf8.contains(0) ? nil : .some(text)
            }
        ),
    ]
}
