/// Header fields of requests that come from nobody.
package enum Strangers {
    /// Those that bring no token.
    package static let withoutToken: [KeyValuePairs<String, String>] = [
        [:], ["tb-auth-token": ""], ["tb-device-token": ""], ["X-DEVICE-TOKEN": ""],
        ["Authorization": "Bearer abc"],
    ]

    /// Those that bring a token that nobody has.
    package static let withUnknownToken: [KeyValuePairs<String, String>] = [
        ["tb-auth-token": "unknown"], ["tb-device-token": "unknown"],
        ["X-DEVICE-TOKEN": "unknown"],
    ]

    package static let all = withoutToken + withUnknownToken
}
