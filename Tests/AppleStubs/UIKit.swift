// The part of Apple's UIKit that our code for apps uses, as it is documented.

@_exported import Foundation

@MainActor public class UIDevice {
    public class var current: UIDevice { fatalError() }
    public var name: String { fatalError() }
}
