import HTTP

extension Setting {
    /// The settings for rate limits, proxies and origins.
    static let traffic: [Setting] = [
        Setting(
            "RATE_LIMIT",
            "Whether rate limits apply.",
            details: "A client that exceeds a limit gets 429.",
            allowed: "on or off",
            default: "on",
            text: { $0.limitsRates ? "on" : "off" },
            store: { text, configuration in
                let word = text.lowercased()
                configuration.limitsRates = word == "on"
                return word == "on" || word == "off"
            }
        ),
        rate(
            "RATE_LIMIT_ADDRESS",
            "The maximum rate of requests from one IP address.",
            details: """
                A client can use the whole allowance at once. It refills evenly. IPv6 addresses \
                with the same first 64 bits count as one.
                """,
            \.address
        ),
        rate("RATE_LIMIT_TOKEN", "The maximum rate of requests with one token.", \.token),
        rate(
            "RATE_LIMIT_SIGN_UP",
            "The maximum rate of sign-ups from one IP address, including failed ones.",
            \.signUp
        ),
        rate(
            "RATE_LIMIT_SIGN_IN",
            "The maximum rate of sign-ins from one IP address, including failed ones.",
            \.signIn
        ),
        rate(
            "RATE_LIMIT_ACCOUNT",
            "The maximum rate of sign-ins to one account from any address, including failed ones.",
            \.account
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
            default: "127.0.0.1,::1",
            text: { configuration in
                let proxies = configuration.trustedProxies
                return proxies.isEmpty
                    ? "none" : proxies.map(\.description).joined(separator: ",")
            },
            store: { text, configuration in
                let texts = text.lowercased() == "none" ? [] : Setting.list(text)
                let proxies = texts.compactMap(IPNetwork.init)
                configuration.trustedProxies = proxies
                return proxies.count == texts.count
                    && (text.lowercased() == "none" || !texts.isEmpty)
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
            default: "off",
            text: { configuration in
                let origins = configuration.crossOrigins
                return origins.isEmpty ? "off" : origins.joined(separator: ",")
            },
            store: { text, configuration in
                // Addresses that are copied from a browser end with a slash, and origins don't.
                let origins = (text.lowercased() == "off" ? [] : Setting.list(text))
                    .map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
                configuration.crossOrigins = origins
                return origins.allSatisfy { isOrigin($0) || isAppOrigin($0) }
                    && (text.lowercased() == "off" || !origins.isEmpty)
            }
        ),
    ]

    private static func rate(
        _ name: String,
        _ summary: String,
        details: String = "",
        _ value: any WritableKeyPath<RateLimits, RateLimit> & Sendable
    ) -> Setting {
        Setting(
            name,
            summary,
            details: details,
            allowed: "a number from 1 to 1000000 followed by /s, /m or /h, such as 600/m",
            default: "\(RateLimits()[keyPath: value])",
            text: { "\($0.rateLimits[keyPath: value])" },
            store: { text, configuration in
                guard let limit = RateLimit(text) else { return false }
                configuration.rateLimits[keyPath: value] = limit
                return true
            }
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
                && host.utf8.allSatisfy(isHostCharacter) && hasPossiblePort(host)
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
        return scheme.utf8.allSatisfy(isSchemeCharacter)
            && scheme.utf8.first.map { $0 >= UInt8(ascii: "a") } == true
            && !schemesWithoutAppOrigin.contains(String(scheme))
            && !host.isEmpty && host.utf8.allSatisfy(isAppHostCharacter) && hasPossiblePort(host)
    }

    /// Schemes that have other rules, or whose origin browsers send as `null` or not at all.
    private static let schemesWithoutAppOrigin: Set<String> = [
        "http", "https", "ws", "wss", "ftp", "file", "data", "blob", "about", "javascript",
    ]

    /// Returns whether a scheme in lower case can contain the byte (RFC 3986, section 3.1).
    private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Returns whether the last colon precedes a port from 1 to 65535, or is part of an IPv6
    /// address.
    private static func hasPossiblePort(_ host: Substring) -> Bool {
        guard let colon = host.lastIndex(of: ":"), host.last != "]" else { return true }
        let port = Setting.decimal(String(host[host.index(after: colon)...])) ?? 0
        return (1...65535).contains(port) && colon > host.startIndex
    }

    private static func isAppHostCharacter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
            || isHostCharacter(byte)
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["),
            UInt8(ascii: "]"):
            true
        default: false
        }
    }
}
