// The part of Apple's AuthenticationServices that our code for apps uses, as it is documented.

public import SwiftUI

public protocol ASAuthorizationCredential {}
public class ASAuthorizationAppleIDCredential: ASAuthorizationCredential {
    public var user: String { fatalError() }
    public var identityToken: Data? { fatalError() }
}
public class ASAuthorization {
    public var credential: any ASAuthorizationCredential { fatalError() }
}

public class ASAuthorizationRequest {}
public class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
    public var nonce: String? {
        get { fatalError() }
        set {}
    }
}
public class ASAuthorizationAppleIDRequest: ASAuthorizationOpenIDRequest {}
public class ASAuthorizationAppleIDProvider {
    public init() {}
    public func createRequest() -> ASAuthorizationAppleIDRequest { fatalError() }
}

@MainActor public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
    // Optional in Objective-C.
    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    )
    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithError error: any Error
    )
}
@MainActor public class ASAuthorizationController {
    public init(authorizationRequests: [ASAuthorizationRequest]) {}
    public weak var delegate: (any ASAuthorizationControllerDelegate)?
    public func performRequests() {}
}

public struct SignInWithAppleButton: _Drawn {
    public struct Label: Sendable { public static let signIn = Label() }
    public init(
        _ label: Label = .signIn,
        onRequest: @escaping (ASAuthorizationAppleIDRequest) -> Void,
        onCompletion: @escaping (Result<ASAuthorization, any Error>) -> Void
    ) {}
}
