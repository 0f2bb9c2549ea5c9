public import Foundation

/// A client of a Humon server.
///
/// Create one for each server, and keep it for the life of the app. Its methods are in groups, such
/// as `humon.events`. A method sends one request, and repeats it while the network or the server
/// isn't there, if a repetition does no harm.
///
/// All methods throw `HumonError`, such as `notFound` if an older server doesn't know the method.
public final class HumonClient: Sendable {
    /// The settings.
    public let configuration: HumonConfiguration
    package let transport: Transport

    /// Creates a client that stores the device's token in `tokens`; this sends no request.
    public init(_ configuration: HumonConfiguration, tokens: any TokenStore = .automatic) {
        self.configuration = configuration
        transport = Transport(configuration, tokens)
    }

    /// Signing up, in and out.
    public var session: Session { Session(transport: transport) }
    /// The token's user.
    public var users: Users { Users(transport: transport) }
    /// Finding and changing events.
    public var events: Events { Events(transport: transport) }
    /// Attending events.
    public var attendances: Attendances { Attendances(transport: transport) }
    /// Reporting events and users to the operator.
    public var reports: Reports { Reports(transport: transport) }
    /// Blocking users.
    public var blocks: Blocks { Blocks(transport: transport) }
    /// Following what changes.
    public var changes: Changes { Changes(transport: transport) }
}

/// The settings of a client.
public struct HumonConfiguration: Sendable {
    /// The address of the server, with or without a slash at its end, such as
    /// `https://events.example.com`.
    public var baseURL: URL
    /// The secret of the app, which `signUp` needs unless the server allows sign-up without it.
    ///
    /// Apps that only sign in with ID tokens leave it out, so that nobody can read it in the app.
    public var appSecret: String?
    /// The maximum time of a call with all its repetitions.
    public var timeout: Duration
    /// The number of repetitions.
    public var retry: RetryPolicy
    /// Whether `http:` is allowed for every host.
    ///
    /// Without it, only hosts of this machine, `10.0.2.2` and names in `.local` are allowed.
    public var allowsPlainHTTP: Bool
    /// A function that returns the `traceparent` header of a request, or nil for none.
    public var traceparent: (@Sendable () -> String?)?

    /// Creates settings.
    public init(
        baseURL: URL,
        appSecret: String? = nil,
        timeout: Duration = .seconds(30),
        retry: RetryPolicy = .standard,
        allowsPlainHTTP: Bool = false,
        traceparent: (@Sendable () -> String?)? = nil
    ) {
        (self.baseURL, self.appSecret, self.timeout) = (baseURL, appSecret, timeout)
        (self.retry, self.allowsPlainHTTP, self.traceparent) = (retry, allowsPlainHTTP, traceparent)
    }
}

/// The number of times that a failed request is repeated.
///
/// The pause before a repetition is 0.25 to 0.5 s at first, then doubles up to a minute, and is
/// never shorter than the server's `Retry-After`.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of repetitions.
    public var maximumRepetitions: Int

    /// Creates a policy.
    public init(maximumRepetitions: Int) { self.maximumRepetitions = maximumRepetitions }

    /// Up to three repetitions.
    public static let standard = RetryPolicy(maximumRepetitions: 3)
    /// No repetitions.
    public static let never = RetryPolicy(maximumRepetitions: 0)
}
