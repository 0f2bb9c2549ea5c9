import CSodium

/// Comparisons in constant time.
package enum ConstantTime {
    /// Returns whether both texts are equal.
    ///
    /// It compares their digests, so that the duration doesn't reveal the length of a secret
    /// either.
    package static func areEqual(_ one: String, _ other: String) -> Bool {
        let one = SHA256.digest(of: one)
        let other = SHA256.digest(of: other)
        return unsafe sodium_memcmp(one, other, one.count) == 0
    }
}
