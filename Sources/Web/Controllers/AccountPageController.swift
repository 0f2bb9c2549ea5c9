import HTTP
import Model
import Rules

/// Deletes people's data on a web page, by a code, or by the e-mail address and the password.
struct AccountPageController: Controller {
    let services: Services

    func show(_ call: Call) async throws -> Response {
        services.pages.account.response(to: call, .ok, .none)
    }

    func destroy(_ call: Call) async throws -> Response {
        let page = services.pages.account
        func rejected(_ message: String) -> Response {
            page.response(to: call, .unprocessableContent, .error(message))
        }
        do {
            // In a URL, a code and a password would stay in logs.
            let form = try call.parameters().ofBody
            let code = form["code"]
            let email = form["email"].spelling.flatMap(EmailAddress.init)
            try services.limiter?.admitSignIn(call.request, to: email)
            guard form["confirm"].spelling == "yes" else {
                return rejected("Tick the box to confirm.")
            }
            if !code.isBlank || !services.systems.contains(.todo) {
                guard try await delete(by: code) else {
                    return rejected(
                        "This code is wrong, used or expired. Get a new one in the app."
                    )
                }
            } else if try await !delete(email, password: form["password"].spelling ?? "") {
                return rejected("Wrong e-mail address or password.")
            }
            return page.response(to: call, .ok, .deleted)
        } catch {
            let answer = ErrorResponse(for: error)
            guard answer.isShown else { throw error }
            return answer.page { page.response(to: call, $0, .error($1)) }
        }
    }

    private func delete(by code: Input) async throws -> Bool {
        guard services.systems.contains(.humon),
            let code = code.spelling.flatMap(SecretCode.init)
        else { return false }
        return try await services.moderation.deleteUser(code: TokenDigest(of: code.secret))
    }

    /// Takes the same work for an unknown address as for a wrong password.
    private func delete(_ email: EmailAddress?, password: String) async throws -> Bool {
        var credentials: AccountCredentials?
        if let email { credentials = try await services.accounts.find(email: email) }
        let check = try await PasswordCheck(password, credentials?.passwordHash, services)
        guard check.isRight, let credentials else { return false }
        return try await services.moderation.deleteAccount(credentials, by: nil)
    }
}
