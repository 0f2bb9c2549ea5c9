import AuthenticationServices
import CryptoKit
import HumonClient
import SwiftUI
import UIKit

/// Signs in with Apple.
struct SignInView: View {
    let humon: HumonClient
    /// A new text for each sign-in, whose digest Apple gets.
    @State private var nonce = ""
    @State private var idToken = ""
    @State private var isAsking = false
    @State private var question = ""
    @State private var problem: String?

    var body: some View {
        List {
            SignInWithAppleButton(.signIn) { request in
                nonce = UUID().uuidString
                let digest = SHA256.hash(data: Data(nonce.utf8))
                request.nonce = digest.map { String(format: "%02x", $0) }.joined()
            } onCompletion: { result in
                receive(result)
            }
            .frame(height: 50)
            if let problem { Text(problem) }
        }
        .confirmationDialog(question, isPresented: $isAsking, titleVisibility: .visible) {
            Button("Move them") { Task { await signIn(merging: .merge) } }
            Button("Give them up", role: .destructive) {
                Task { await signIn(merging: .leave) }
            }
        }
    }

    private func receive(_ result: Result<ASAuthorization, any Error>) {
        switch result {
        case .success(let authorization):
            let credential = authorization.credential as? ASAuthorizationAppleIDCredential
            guard let token = credential?.identityToken else { return }
            idToken = String(decoding: token, as: UTF8.self)
            Task { await signIn(merging: .ask) }
        case .failure(let error):
            problem = error.localizedDescription
        }
    }

    private func signIn(merging: Merging) async {
        do {
            try await humon.session.signIn(
                idToken: idToken,
                nonce: nonce,
                deviceName: UIDevice.current.name,
                merging: merging
            )
        } catch {
            // This device has records, and the person has another user.
            if let conflict = error.conflict {
                question = """
                    This device has \(conflict.device.events) events and \
                    \(conflict.device.attendances) attendances. Move them to your account?
                    """
                isAsking = true
            } else {
                problem = error.localizedDescription
            }
        }
    }
}
