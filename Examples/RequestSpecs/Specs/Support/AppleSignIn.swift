import Foundation

#if canImport(AuthenticationServices)
import AuthenticationServices
import CryptoKit
#endif

// `docs/sign-in.md` contains this code.

/// Signs in with Apple.
@MainActor final class AppleSignIn: NSObject, ASAuthorizationControllerDelegate {
    private var continuation: CheckedContinuation<String, any Error>?

    /// Shows Apple's sheet, and returns the ID token.
    func idToken(nonce: String) async throws -> String {
        let request = ASAuthorizationAppleIDProvider().createRequest()
        let digest = SHA256.hash(data: Data(nonce.utf8))
        request.nonce = digest.map { String(format: "%02x", $0) }.joined()
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        return try await withCheckedThrowingContinuation { continuation in
            self.continuation = continuation
            controller.performRequests()
        }
    }

    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        let credential = authorization.credential as? ASAuthorizationAppleIDCredential
        if let token = credential?.identityToken {
            continuation?.resume(returning: String(decoding: token, as: UTF8.self))
        } else {
            continuation?.resume(throwing: CocoaError(.userCancelled))
        }
        continuation = nil
    }

    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithError error: any Error
    ) {
        continuation?.resume(throwing: error)
        continuation = nil
    }
}

#if !canImport(AuthenticationServices)
// Stand-ins for Apple's types, with which the code is compiled on Linux.

final class ASAuthorizationAppleIDRequest {
    var nonce: String?
}

struct ASAuthorizationAppleIDProvider {
    func createRequest() -> ASAuthorizationAppleIDRequest { ASAuthorizationAppleIDRequest() }
}

struct ASAuthorizationAppleIDCredential {
    let identityToken: Data?
}

struct ASAuthorization {
    let credential: Any
}

@MainActor protocol ASAuthorizationControllerDelegate: AnyObject {
    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    )
    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithError error: any Error
    )
}

/// Completes with the nonce of the request in place of an ID token.
@MainActor final class ASAuthorizationController {
    weak var delegate: (any ASAuthorizationControllerDelegate)?
    private let requests: [ASAuthorizationAppleIDRequest]

    init(authorizationRequests: [ASAuthorizationAppleIDRequest]) {
        requests = authorizationRequests
    }

    func performRequests() {
        let token = requests.first?.nonce.map { Data($0.utf8) }
        let credential = ASAuthorizationAppleIDCredential(identityToken: token)
        delegate?.authorizationController(
            controller: self,
            didCompleteWithAuthorization: ASAuthorization(credential: credential)
        )
    }
}

/// Returns the bytes themselves in place of their digest.
enum SHA256 {
    static func hash(data: Data) -> Data { data }
}
#endif
