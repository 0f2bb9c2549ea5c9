import HTTP

extension Setting {
    /// The settings for rate limits, proxies and origins.
    static let traffic: [Setting] = [
        .onOff(
            "RATE_LIMIT",
            "Whether rate limits apply.",
            details: "A client that exceeds a limit gets 429.",
            \.limitsRates
        ),
        rate(
            "RATE_LIMIT_ADDRESS",
            "The maximum rate of requests from one IP address.",
            details: """
                A client can use the whole allowance at once. It refills evenly. IPv6 addresses \
                with the same first 64 bits count as one.
                """,
            \.rateLimits.address
        ),
        rate(
            "RATE_LIMIT_TOKEN",
            "The maximum rate of requests with one token.",
            \.rateLimits.token
        ),
        rate(
            "RATE_LIMIT_SIGN_UP",
            "The maximum rate of sign-ups from one IP address, including failed ones.",
            \.rateLimits.signUp
        ),
        rate(
            "RATE_LIMIT_SIGN_IN",
            "The maximum rate of sign-ins from one IP address, including failed ones.",
            \.rateLimits.signIn
        ),
        rate(
            "RATE_LIMIT_ACCOUNT",
            "The maximum rate of sign-ins to one account from any address, including failed ones.",
            \.rateLimits.account
        ),
        rate(
            "RATE_LIMIT_REPORT",
            "The maximum rate of reports with one token, and of those from one IP address.",
            \.rateLimits.report
        ),
        Setting(
            "TRUSTED_PROXIES",
            """
            Proxies whose X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Prefix headers are \
            trusted.
            """,
            details: """
                Limits per address don't apply to connections from a trusted proxy, or to its \
                requests without X-Forwarded-For.
                """,
            allowed: "none, or addresses and networks such as 10.0.0.0/8, separated by commas",
            \.trustedProxies,
            text: { $0.isEmpty ? "none" : $0.map(\.description).joined(separator: ",") },
            parse: { text in
                let texts = text.lowercased() == "none" ? [] : list(text)
                let proxies = texts.compactMap(IPNetwork.init)
                let isEmpty = texts.isEmpty && text.lowercased() != "none"
                return proxies.count == texts.count && !isEmpty ? proxies : nil
            }
        ),
        Setting(
            "CORS_ORIGINS",
            "Origins whose web pages can read responses (CORS).",
            details: """
                This includes apps and browser extensions that are web pages, such as \
                capacitor://localhost.
                """,
            allowed: """
                off, or origins such as https://example.com or capacitor://localhost, \
                comma-separated
                """,
            \.crossOrigins,
            text: { $0.isEmpty ? "off" : $0.joined(separator: ",") },
            parse: { text in
                // Addresses that are copied from a browser end with a slash, and origins don't.
                let origins = (text.lowercased() == "off" ? [] : list(text))
                    .map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
                let isEmpty = origins.isEmpty && text.lowercased() != "off"
                let areValid = origins.allSatisfy { isOrigin($0) || isAppOrigin($0) }
                return areValid && !isEmpty ? origins : nil
            }
        ),
    ]

    private static func rate(
        _ name: String,
        _ summary: String,
        details: String = "",
        _ property: any WritableKeyPath<Configuration, RateLimit> & Sendable
    ) -> Setting {
        Setting(
            name,
            summary,
            details: details,
            allowed: "a number from 1 to 1000000 followed by /s, /m or /h, such as 600/m",
            property,
            text: { $0.description },
            parse: { RateLimit($0) }
        )
    }

    /// Returns whether the text is an origin as browsers send it (RFC 6454, section 6.2).
    ///
    /// That is a scheme, a host in lower case, and optionally a port other than the scheme's
    /// default.
    static func isOrigin(_ text: String) -> Bool {
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where text.hasPrefix(scheme) {
            let host = text.dropFirst(scheme.count)
            return !host.isEmpty && !host.hasSuffix(port)
                && host.utf8.allSatisfy { isLowercase($0, or: ".-:[]") }
                && hasPossiblePort(host)
        }
        return false
    }

    /// Returns whether the text is the origin of an app or an extension that is a web page, such as
    /// `capacitor://localhost` or `chrome-extension://abcdefghijklmnop`.
    ///
    /// Browsers leave the letters of these hosts as they are.
    private static func isAppOrigin(_ text: String) -> Bool {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let scheme = parts.first, let host = parts.last else {
            return false
        }
        // Schemes: RFC 3986, section 3.1.
        return scheme.utf8.allSatisfy { isLowercase($0, or: "+-.") }
            && scheme.utf8.first.map { $0 >= UInt8(ascii: "a") } == true
            && !schemesWithoutAppOrigin.contains(String(scheme))
            && !host.isEmpty && hasPossiblePort(host)
            && host.utf8.allSatisfy { byte in
                byte != UInt8(ascii: "~") && (byte.isUnreserved || ":[]".utf8.contains(byte))
            }
    }

    /// Schemes that have other rules, or whose origin browsers send as `null` or not at all.
    private static let schemesWithoutAppOrigin: Set<String> = [
        "http", "https", "ws", "wss", "ftp", "file", "data", "blob", "about", "javascript",
    ]

    /// Returns whether the last colon precedes a port from 1 to 65535, or is part of an IPv6
    /// address.
    private static func hasPossiblePort(_ host: Substring) -> Bool {
        guard let colon = host.lastIndex(of: ":"), host.last != "]" else { return true }
        let port = Setting.decimal(String(host[host.index(after: colon)...])) ?? 0
        return (1...65535).contains(port) && colon > host.startIndex
    }

    /// Returns whether a byte is a letter or a digit as origins write them, or one of `others`.
    private static func isLowercase(_ byte: UInt8, or others: String) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: others.utf8.contains(byte)
        }
    }
}
