import Addresses
import HTTP

extension Request {
    /// The address of the client: that of the connection, or where this is a proxy's, what it says
    /// in `X-Forwarded-For`; nil where a proxy names nobody but proxies, and so asks for itself.
    ///
    /// Each proxy appends the address it was asked from, so that the list is believed from its end
    /// on for as long as it names proxies. What stands before that, the client may have made up.
    /// Somebody whom a proxy can't name is taken for the proxy, rather than for nobody. What has no
    /// address comes from this machine, as from a proxy.
    func clientAddress(behind proxies: [IPNetwork]) -> IPAddress? {
        if let peerAddress, !Self.isProxy(peerAddress, in: proxies) { return peerAddress }
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

    private static func isProxy(_ address: IPAddress, in proxies: [IPNetwork]) -> Bool {
        proxies.contains { $0.contains(address) }
    }
}

extension IPAddress {
    /// Reads an element of `X-Forwarded-For`: an address, with or without brackets and port.
    fileprivate init?(forwarded element: Substring) {
        let text = element.trimming { $0 == " " || $0 == "\t" }
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

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        var text = drop(while: isTrimmed)
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }
}
