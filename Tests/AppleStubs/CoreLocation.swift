// The part of Apple's CoreLocation that our code for apps uses, as it is documented.

@_exported import Foundation

public typealias CLLocationDegrees = Double
public typealias CLLocationDistance = Double
public struct CLLocationCoordinate2D: Sendable {
    public var latitude: CLLocationDegrees
    public var longitude: CLLocationDegrees
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) { fatalError() }
}
public class CLLocation: @unchecked Sendable {
    public var coordinate: CLLocationCoordinate2D { fatalError() }
}
public enum CLAuthorizationStatus: Sendable { case notDetermined, restricted, denied }

public class CLLocationManager {
    public init() {}
    public var authorizationStatus: CLAuthorizationStatus { fatalError() }
    public func requestWhenInUseAuthorization() {}
    public func requestAlwaysAuthorization() {}
}

public struct CLLocationUpdate: Sendable {
    public var location: CLLocation? { fatalError() }
    public static func liveUpdates() -> Updates { fatalError() }
    public struct Updates: AsyncSequence {
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async throws -> CLLocationUpdate? { fatalError() }
        }
        public func makeAsyncIterator() -> AsyncIterator { fatalError() }
    }
}

public protocol CLCondition: Sendable {}
extension CLMonitor {
    public struct CircularGeographicCondition: CLCondition {
        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {}
    }
}

public actor CLMonitor {
    public init(_ name: String) async {}
    public var identifiers: [String] { fatalError() }
    public var events: Events { get async { fatalError() } }
    public func add(_ condition: any CLCondition, identifier: String) {}
    public func remove(_ identifier: String) {}

    public struct Event: Sendable {
        public enum State: Sendable { case unknown, satisfied, unsatisfied, unmonitored }
        public var identifier: String { fatalError() }
        public var state: State { fatalError() }
    }
    public struct Events: AsyncSequence, Sendable {
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async throws -> Event? { fatalError() }
        }
        public func makeAsyncIterator() -> AsyncIterator { fatalError() }
    }
}
