extension Credential {
    /// The headers that can contain a user's token.
    static let userToken = [
        Credential(
            "tb-auth-token",
            in: .header("tb-auth-token"),
            "The auth_token that creating the user returned."
        ),
        Credential(
            "tb-device-token",
            in: .header("tb-device-token"),
            "The token that the app created, or the auth_token. It overrides tb-auth-token."
        ),
        Credential(
            "X-DEVICE-TOKEN",
            in: .header("X-DEVICE-TOKEN"),
            "The name that older apps use for tb-device-token."
        ),
    ]

    /// The places that can contain the token of an account.
    static let accessToken = [
        Credential(
            "bearer",
            in: .bearer,
            "The authentication_token that signing up or signing in returned."
        ),
        Credential(
            "authentication_token",
            in: .query("authentication_token"),
            "The same as a parameter in the query or the body. It overrides the header."
        ),
    ]
}
