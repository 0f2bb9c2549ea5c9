package import Rules

/// A valid account that is not stored yet.
package struct NewAccount: Equatable, Sendable {
    /// The name of the e-mail address in errors.
    private static let emailAttribute = "email"
    /// The allowed lengths of a password, in characters.
    private static let passwordLength = 8...128
    private static let maximumName = 255

    package let email: EmailAddress
    package let name: String
    /// The password as `Password` prepares it; only its hash is stored.
    package let password: String

    /// The error for an address that another account has.
    package static let emailIsTaken = ModelError.invalid([AttributeError(emailAttribute, .taken)])

    /// Validates the values that a client sent.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - password: The password.
    ///   - name: The name, which can be blank.
    ///   - isEmailTaken: Whether another account has the address.
    /// - Throws: `ModelError.invalid` with the attributes that break a rule, in the order `email`,
    ///   `password`, `name`.
    package init(
        email: Input,
        password: Input,
        name: Input = .absent,
        isEmailTaken: Bool = false
    ) throws(ModelError) {
        var validation = Validation()
        let email = validation.required(Self.emailAttribute, email, .emailAddress)
        if email != nil, isEmailTaken { validation.report(.taken, of: Self.emailAttribute) }
        let password = validation.required(
            "password",
            password.spelling.map { .text(Password.prepared($0)) } ?? password,
            .text(in: Self.passwordLength)
        )
        let name = validation.optional("name", name.nullIfBlank, .text(maximum: Self.maximumName))
        guard validation.errors.isEmpty, let email, let password else {
            throw .invalid(validation.errors)
        }
        self.email = email
        self.name = name ?? ""
        self.password = password
    }
}

/// Passwords that are equal even if different keyboards type them.
package enum Password {
    /// Longer texts are no passwords, in whichever form: a character has at most 4 bytes, and
    /// preparation makes at most a few of them one.
    private static let maximumBytes = 8192

    /// Returns a password in the form that is hashed and compared (RFC 8265 section 4.2.2).
    ///
    /// Every space of another kind becomes U+0020, and the text is in Unicode normalization form C.
    /// O(n).
    package static func prepared(_ text: String) -> String {
        let bytes = text.utf8
        guard bytes.count <= maximumBytes, !bytes.allSatisfy({ $0 < 0x80 }) else { return text }
        let scalars = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .spaceSeparator ? " " : scalar
        }
        return String(String.UnicodeScalarView(scalars)).normalized
    }
}
