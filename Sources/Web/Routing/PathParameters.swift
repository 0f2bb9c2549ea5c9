/// The percent-decoded values of a pattern's parameters, and whether the path names JSON.
package struct PathParameters: Sendable, Equatable {
    private let names: [String]
    private let values: [String]
    /// Whether the path ends with `.json` or `.json/`.
    package let namesJSON: Bool

    /// Creates parameters from names and values in the same order.
    package init(names: [String] = [], values: [String] = [], namesJSON: Bool = false) {
        self.names = names
        self.values = values
        self.namesJSON = namesJSON
    }

    /// Returns the value of this parameter; nil if the pattern doesn't have it.
    package subscript(name: String) -> String? {
        for index in values.indices where names[index] == name { return values[index] }
        return nil
    }
}
