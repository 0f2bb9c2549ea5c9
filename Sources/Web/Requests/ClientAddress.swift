import HTTP

extension Request {
    /// Returns the client's address: that of the connection, or behind a proxy the one in
    /// `X-Forwarded-For`.
    ///
    /// Returns nil if a proxy names only proxies, because then the request is its own. Each proxy
    /// appends the address of its client, so the list is trusted from its end as long as the
    /// addresses are proxies. The client may have made up anything before that. If an element is
    /// malformed, the proxy counts as the client.
    func clientAddress(behind proxies: [IPNetwork]) -> IPAddress? {
        if let peerAddress, !isForwarded(by: proxies) { return peerAddress }
        for field in headers.fields.reversed() where field.name == "x-forwarded-for" {
            for element in field.value.split(separator: ",").reversed() {
                guard let address = IPAddress(forwarded: element) else {
                    return peerAddress ?? .unknown
                }
                if !Self.isProxy(address, in: proxies) { return address }
            }
        }
        return nil
    }

    /// Returns whether the request comes from one of these proxies, so that its forwarding headers
    /// can be trusted.
    ///
    /// A connection without an address comes from this machine, and counts as one from a proxy.
    func isForwarded(by proxies: [IPNetwork]) -> Bool {
        peerAddress.map { Self.isProxy($0, in: proxies) } ?? true
    }

    /// Returns whether the client used HTTPS, as one of these proxies says.
    func isSecure(behind proxies: [IPNetwork]) -> Bool {
        isForwarded(by: proxies) && headers["x-forwarded-proto"]?.lowercased() == "https"
    }

    private static func isProxy(_ address: IPAddress, in proxies: [IPNetwork]) -> Bool {
        proxies.contains { $0.contains(address) }
    }
}

extension IPAddress {
    /// Parses an element of `X-Forwarded-For`: an address with optional brackets and port.
    fileprivate init?(forwarded element: Substring) {
        let text = element.trimmed
        if let address = IPAddress(String(text)) {
            self = address
            return
        }
        if text.first == "[", let end = text.firstIndex(of: "]") {
            self.init(String(text[text.index(after: text.startIndex)..<end]))
        } else {
            self.init(String(text.prefix { $0 != ":" }))
        }
    }
}
