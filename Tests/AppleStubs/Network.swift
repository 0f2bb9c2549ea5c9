// The part of Apple's Network that a queue of offline writes needs, as it is
// documented.

public import Dispatch

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public let status: Status
}
public final class NWPathMonitor: Sendable {
    public init() {}
    public var currentPath: NWPath { fatalError() }
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { fatalError() }
        set {}
    }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
