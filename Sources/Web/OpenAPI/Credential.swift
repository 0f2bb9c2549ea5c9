/// A method of authentication (OpenAPI 3.1, Security Scheme Object).
package struct Credential: Sendable {
    package enum Place: Sendable {
        case header(String)
        case query(String)
        /// The header `Authorization: Bearer`.
        case bearer
    }

    /// The name, unique among all credentials.
    package let name: String
    package let place: Place
    let meaning: String

    package init(_ name: String, in place: Place, _ meaning: String) {
        self.name = name
        self.place = place
        self.meaning = meaning
    }
}
