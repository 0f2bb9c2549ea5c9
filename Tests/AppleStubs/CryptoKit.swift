// The part of Apple's CryptoKit that our code for apps uses, as it is documented.

public import Foundation

public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
}
public struct SHA256: Sendable {
    public static func hash(data: some DataProtocol) -> SHA256Digest { fatalError() }
}
