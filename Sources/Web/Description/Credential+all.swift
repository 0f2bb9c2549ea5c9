import OpenAPI

extension Credential {
    /// Any of the fields that carry a user's token.
    static let userToken = [
        Credential(
            "tb-auth-token",
            in: .header("tb-auth-token"),
            "The auth_token that signing up answered."
        ),
        Credential(
            "tb-device-token",
            in: .header("tb-device-token"),
            "The token that the app made itself, or the auth_token. It wins over tb-auth-token."
        ),
        Credential(
            "X-DEVICE-TOKEN",
            in: .header("X-DEVICE-TOKEN"),
            "What older apps call tb-device-token."
        ),
    ]

    /// Either place that carries the token of an account.
    static let accessToken = [
        Credential(
            "bearer",
            in: .bearer,
            "The authentication_token that signing up or in answered."
        ),
        Credential(
            "authentication_token",
            in: .query("authentication_token"),
            "The same as a parameter, of the query or of the body; it wins over the header."
        ),
    ]
}
