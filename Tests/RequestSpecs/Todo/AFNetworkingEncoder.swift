/// The form encoding of AFNetworking 2, which the published Todo app sends everything in.
enum AFNetworkingEncoder {
    /// What the app may put into its dictionaries.
    indirect enum Parameter {
        case text(String)
        case number(Int)
        /// NSNull.
        case null
        case array([Parameter])
        case dictionary([String: Parameter])
    }

    /// Pairs in the order of their sorted keys, joined by `&`.
    static func encode(_ parameters: [String: Parameter]) -> String {
        pairs(of: .dictionary(parameters), named: nil).joined(separator: "&")
    }

    private static func pairs(of value: Parameter, named name: String?) -> [String] {
        switch value {
        case .dictionary(let members):
            members.keys.sorted().flatMap { key in
                let inner = name.map { "\($0)[\(key)]" } ?? key
                return members[key].map { pairs(of: $0, named: inner) } ?? []
            }
        case .array(let elements):
            elements.flatMap { pairs(of: $0, named: (name ?? "") + "[]") }
        case .text(let text): [escaped(key: name ?? "") + "=" + escaped(value: text)]
        case .number(let number): [escaped(key: name ?? "") + "=\(number)"]
        case .null: [escaped(key: name ?? "")]
        }
    }

    /// Leaves brackets and dots as they are.
    static func escaped(key: String) -> String {
        escaped(key, leaving: unreserved + "[].")
    }

    static func escaped(value: String) -> String {
        escaped(value, leaving: unreserved)
    }

    /// All that Core Foundation leaves alone, without `:/?&=;+!@#$()',*`, which are always escaped.
    private static let unreserved =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

    private static func escaped(_ text: String, leaving legal: String) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            if byte < 0x80, legal.contains(character) { return String(character) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
