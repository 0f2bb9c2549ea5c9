package import Rules
package import Time

/// A person at an issuer, such as Apple or Google.
package struct Identity: Hashable, Sendable {
    /// The URL that identifies the issuer.
    package let issuer: String
    /// The issuer's name for the person, which says nothing to others.
    package let subject: String

    package init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }
}

/// A sign-in with an identity, on one device.
package struct SignIn: Sendable {
    package let identity: Identity
    /// The token that the device has sent; nil for none.
    package let present: TokenDigest?
    /// The token that the device has made; nil for none.
    package let deviceToken: TokenDigest?
    /// A token that nobody has.
    package let newToken: TokenDigest
    /// The name of the device; nil leaves it.
    package let deviceName: String?
    /// Whether the device's records move to the identity's user; nil asks.
    package let merge: Bool?

    package init(
        _ identity: Identity,
        present: TokenDigest?,
        deviceToken: TokenDigest?,
        newToken: TokenDigest,
        deviceName: String? = nil,
        merge: Bool? = nil
    ) {
        self.identity = identity
        self.present = present
        self.deviceToken = deviceToken
        self.newToken = newToken
        self.deviceName = deviceName
        self.merge = merge
    }
}

/// The outcome of a sign-in.
package enum SignInOutcome: Equatable, Sendable {
    /// The device is signed in with a token as this user.
    case done(SignInResult, SignInToken, userID: Int64)
    /// The device's user has records, and the client must say what happens to them.
    case undecided(DeviceRecords, userID: Int64)
}

/// The effect of a sign-in.
package enum SignInResult: String, Equatable, Sendable {
    /// It created a user.
    case created
    /// It found the identity's user.
    case signedIn = "signed_in"
    /// It gave the identity to the device's user.
    case linked
    /// It moved the records of the device's user to the identity's user.
    case merged
}

/// The token with which a device is signed in.
package enum SignInToken: Equatable, Sendable {
    case present, deviceToken, new
}

/// A device's user without an identity, and the numbers of the user's records.
package struct DeviceRecords: Equatable, Sendable {
    package let userID: Int64
    package let events: Int64
    package let attendances: Int64

    package init(userID: Int64, events: Int64, attendances: Int64) {
        self.userID = userID
        self.events = events
        self.attendances = attendances
    }
}

/// A token of a user, which one device has.
package struct Device: Equatable, Sendable {
    package let id: Int64
    package let name: String?
    package let createdAt: Timestamp
    /// The last day on which it was used, in days since 1970-01-01; nil if that is unknown.
    package let lastSeenOn: Int64?
    /// Whether the request came from this device.
    package let isCurrent: Bool

    package init(
        id: Int64,
        name: String?,
        createdAt: Timestamp,
        lastSeenOn: Int64?,
        isCurrent: Bool
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.lastSeenOn = lastSeenOn
        self.isCurrent = isCurrent
    }
}

/// An identity of a user, without its subject.
package struct UserIdentity: Equatable, Sendable {
    package let id: Int64
    package let issuer: String
    package let createdAt: Timestamp

    package init(id: Int64, issuer: String, createdAt: Timestamp) {
        self.id = id
        self.issuer = issuer
        self.createdAt = createdAt
    }
}

extension Rule<String> {
    /// Accepts a name that a person gives to a user or a device: up to 100 characters, some of them
    /// visible, without control characters, line ends, and characters that change the direction of
    /// writing.
    package static let displayName = Rule { input throws(Violation) in
        guard let text = input.spelling, !text.unicodeScalars.contains(where: \.isControl),
            !text.unicodeScalars.allSatisfy(\.properties.isDefaultIgnorableCodePoint)
        else {
            throw .invalid
        }
        guard text.unicodeScalars.count <= 100 else { throw .tooLong(maximum: 100) }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}
