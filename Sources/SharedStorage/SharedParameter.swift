import Model
import Rules
import Time

/// A value that statements take as a parameter.
package protocol SharedParameter: Sendable {
    var parameter: SharedValue { get }
}

extension SharedValue: SharedParameter {
    package var parameter: SharedValue { self }
}

extension Int64: SharedParameter {
    package var parameter: SharedValue { .integer(self) }
}

extension String: SharedParameter {
    package var parameter: SharedValue { .text(self) }
}

extension String?: SharedParameter {
    package var parameter: SharedValue { .text(self) }
}

extension Timestamp: SharedParameter {
    package var parameter: SharedValue { .integer(milliseconds) }
}

extension TokenDigest: SharedParameter {
    package var parameter: SharedValue { .bytes(bytes) }
}

/// An element of a list that is one parameter.
package protocol ListedParameter {
    static func parameter(of list: [Self]) -> SharedValue
}

extension Array: SharedParameter where Element: ListedParameter {
    package var parameter: SharedValue { Element.parameter(of: self) }
}

extension Int64: ListedParameter {
    package static func parameter(of list: [Int64]) -> SharedValue { .integers(list) }
}

extension UInt8: ListedParameter {
    package static func parameter(of list: [UInt8]) -> SharedValue { .bytes(list) }
}

extension SharedSession {
    /// Performs a statement, and returns its rows with columns of these kinds.
    func rows(
        _ sql: SharedSQL,
        _ values: any SharedParameter...,
        kinds: [ColumnKind]
    ) throws -> [SharedRow] {
        try rows(sql, values.map(\.parameter), kinds)
    }

    /// Performs a statement, and returns its rows of `count` integers.
    func integers(
        _ sql: SharedSQL,
        _ values: any SharedParameter...,
        count: Int = 1
    ) throws -> [SharedRow] {
        try rows(sql, values.map(\.parameter), .integers(count))
    }

    /// Performs a statement, and returns the integer of its first row; nil without a row.
    func integer(_ sql: SharedSQL, _ values: any SharedParameter...) throws -> Int64? {
        try rows(sql, values.map(\.parameter), [.integer]).first?.optionalInteger(0)
    }

    /// Performs a statement without a result.
    func run(_ sql: SharedSQL, _ values: any SharedParameter...) throws {
        _ = try rows(sql, values.map(\.parameter), [])
    }
}

extension SharedDatabase {
    /// Performs a query, and returns its rows with columns of these kinds.
    func rows(
        _ sql: SharedSQL,
        _ values: any SharedParameter...,
        kinds: [ColumnKind]
    ) async throws -> [SharedRow] {
        try await rows(sql, values.map(\.parameter), kinds)
    }

    /// Performs a query, and returns its rows of `count` integers.
    func integers(
        _ sql: SharedSQL,
        _ values: any SharedParameter...,
        count: Int = 1
    ) async throws -> [SharedRow] {
        try await rows(sql, values.map(\.parameter), .integers(count))
    }
}
