/// The percent-decoded values of a pattern's parameters.
package struct PathParameters: Sendable, Equatable {
    private let names: [String]
    private let values: [String]

    /// Creates parameters from names and values in the same order.
    package init(names: [String] = [], values: [String] = []) {
        self.names = names
        self.values = values
    }

    /// Returns the value of this parameter; nil if the pattern doesn't have it.
    package subscript(name: String) -> String? {
        for index in values.indices where names[index] == name { return values[index] }
        return nil
    }
}
