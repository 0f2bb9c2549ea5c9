import HTTP
import Model

extension Setting {
    /// The settings for reports and blocked words, and what pages say about the operator.
    static let moderation: [Setting] = [
        .integer(
            "REPORTS_HIDE",
            "The number of users whose reports hide an event.",
            details: """
                0 is off. Users are easy to create, so with a low number, a few people can hide \
                any event until an admin shows it again.
                """,
            in: 0...1000,
            \.storageLimits.hidingReports
        ),
        .optional(
            "BLOCKED_WORDS_FILE",
            "The file with words and phrases that hide an event which is created or edited.",
            details: """
                An admin can show the event again. See `humon help words` for the format. A \
                relative path starts at the working directory. The server reads the file when it \
                starts.
                """,
            allowed: "none, or the path of a file",
            \.blockedWordsPath
        ) { !$0.utf8.contains(0) },
        .optional(
            "CONTACT_EMAIL",
            "The operator's e-mail address for users, shown on / and in OpenAPI.",
            details: "The page /account/delete and the responses to banned users have it, too.",
            allowed: "none, or an e-mail address such as help@example.com",
            \.contactEmail
        ) { text in
            // The page links to it with mailto:, which gives other characters a meaning.
            EmailAddress(text) != nil
                && text.utf8.allSatisfy { $0.isUnreserved || "@+".utf8.contains($0) }
        },
        .optional(
            "TERMS_URL",
            "The URL of the terms of use, shown on /, on /account/delete and in OpenAPI.",
            allowed: "none, or an http or https URL such as https://example.com/terms",
            \.termsURL,
            isAllowed: isWebURL
        ),
        Setting(
            "APP_NAME",
            "The name of the app as the stores list it.",
            details: "Pages for the users of the app show it.",
            allowed: "1 to 60 characters",
            \.appName,
            text: \.self,
            parse: { name in
                let scalars = name.unicodeScalars
                let isShown = scalars.allSatisfy {
                    ![.control, .format].contains($0.properties.generalCategory)
                }
                let isBlank = scalars.allSatisfy(\.properties.isWhitespace)
                return isShown && !isBlank && scalars.count <= 60 ? name : nil
            }
        ),
    ]

    /// Creates a setting for a text that is absent by default, and as `none`.
    private static func optional(
        _ name: String,
        _ summary: String,
        details: String = "",
        allowed: String,
        _ property: any WritableKeyPath<Configuration, String?> & Sendable,
        isAllowed: @escaping @Sendable (String) -> Bool
    ) -> Setting {
        Setting(
            name,
            summary,
            details: details,
            allowed: allowed,
            property,
            text: { $0 ?? "none" },
            parse: { $0.lowercased() == "none" ? .some(nil) : isAllowed($0) ? .some($0) : nil }
        )
    }

    /// Returns whether the text is an http or https URL.
    @Sendable private static func isWebURL(_ text: String) -> Bool {
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return false }
        // The characters of paths, queries and fragments (RFC 3986, appendix A).
        return isOrigin(parts[0...2].joined(separator: "/").lowercased())
            && text.utf8.allSatisfy { $0.isUnreserved || ":/?@!$&()*+,;=%#[]".utf8.contains($0) }
    }
}
