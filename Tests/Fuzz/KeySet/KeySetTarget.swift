import SignIn

/// Key sets: usable keys have a name and an allowed size, and without one, nothing is accepted.
func fuzzKeySet(_ input: inout FuzzInput) {
    let document = input.rest()
    let issuers = (try? Issuer.list("https://a.example app https://a.example/keys")) ?? []
    let verifier = try? IDTokenVerifier(issuers, refreshMinutes: 60, fetch: { _ in document })
    guard let verifier else { finding("libcrypto is missing") }
    verifier.refresh()
    guard let status = verifier.statuses.first else { finding("the issuer is missing") }
    let usable = status.keys.filter { $0.problem == nil }
    expect((status.error == nil) == !usable.isEmpty, status.error ?? "no usable key")
    expect(Set(usable.map { Array($0.name.utf8) }).count == usable.count, "a name twice")
    for key in usable {
        expect((1...255).contains(key.name.utf8.count), key.name)
        switch key.type {
        case "RSA": expect((2048...4096).contains(key.bits ?? 0), "\(key)")
        default: expect(key.type == "EC" && key.bits == 256, "\(key)")
        }
    }
}
