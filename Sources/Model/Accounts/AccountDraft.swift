/// What a client says of a new account, before the rules are applied.
package struct AccountDraft: Equatable, Sendable {
    package var email: Input
    package var password: Input
    package var name: Input

    package init(email: Input = .absent, password: Input = .absent, name: Input = .absent) {
        self.email = email
        self.password = password
        self.name = name
    }

    /// Characters that a password may have.
    private static let passwordLength = 8...128
    private static let maximumName = 255

    /// The address, if it is a valid one.
    package var emailAddress: EmailAddress? {
        email.spelling.flatMap(EmailAddress.init)
    }

    /// The account that is all this.
    ///
    /// - Parameter isEmailTaken: Whether another account has the address.
    /// - Throws: `ModelError.invalid` with the attributes that break a rule, in the order `email`,
    ///   `password`, `name`.
    /// - Returns: The account.
    package func account(isEmailTaken: Bool) throws(ModelError) -> NewAccount {
        var validation = Validation()
        let email = validation.required(NewAccount.emailAttribute, email, .emailAddress)
        if email != nil, isEmailTaken {
            validation.report(.taken, of: NewAccount.emailAttribute)
        }
        let password = validation.required(
            "password",
            password,
            .text(in: Self.passwordLength)
        )
        let name = validation.optional("name", name.nullIfBlank, .text(maximum: Self.maximumName))
        guard validation.errors.isEmpty, let email, let password else {
            throw .invalid(validation.errors)
        }
        return NewAccount(email: email, name: name ?? "", password: password)
    }
}

/// An account that keeps all rules and does not exist yet.
package struct NewAccount: Equatable, Sendable {
    /// What an error calls the e-mail address.
    fileprivate static let emailAttribute = "email"

    package let email: EmailAddress
    package let name: String
    /// As the person typed it; never stored, only its hash is.
    package let password: String

    /// What is thrown where another account has the address.
    package static let emailIsTaken = ModelError.invalid([AttributeError(emailAttribute, .taken)])
}
