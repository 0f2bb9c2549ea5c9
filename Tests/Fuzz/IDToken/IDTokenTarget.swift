import HTTP
import SignIn

/// ID tokens whose signature counts as valid: claims that are accepted name a person and an app.
///
/// The first byte chooses between a whole token, and claims that may have a nonce after them.
func fuzzIDToken(_ input: inout FuzzInput) {
    let now: Int64 = 1_800_000_000
    let isWhole = input.choice(below: 2) == 0
    let texts = input.texts()
    let claims = Array((texts.first ?? "").utf8)
    let nonce = texts.count > 1 ? texts[1] : nil
    let header = Base64.encode(Array(#"{"alg":"RS256"}"#.utf8), .url)
    let text =
        isWhole ? texts.first ?? "" : "\(header).\(Base64.encode(claims, .url)).AAAA"
    guard let issuer = issuers.first, let token = try? IDToken(text) else { return }
    let rows = IDTokenVerifier.rows(of: text)
    expect(text.utf8.count <= 8192, "\(text.utf8.count) bytes")
    guard let identity = try? token.checkedClaims(issuer, nonce: nonce, now: now) else { return }
    expect(identity.issuer == "https://issuer.example", identity.issuer)
    expect((1...255).contains(identity.subject.utf8.count), identity.subject)
    expect(identity.subject.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, identity.subject)
    let names = Set(rows.compactMap(\.first))
    expect(names.isSuperset(of: ["aud", "sub", "iat", "exp"]), "\(rows)")
    let audience = rows.first { $0.first == "aud" }?.last ?? ""
    expect(audience.contains("app-1") || audience.contains("app-2"), audience)
    let other = try? token.checkedClaims(issuer, nonce: nonce, now: now + 86_520 + 60)
    expect(other == nil, "it is valid for more than 24 hours")
}

private let issuers: [Issuer] =
    (try? Issuer.list("https://issuer.example app-1,app-2 https://issuer.example/keys")) ?? []
