/// What a path has at the places where its pattern has parameters, percent-decoded.
package struct PathParameters: Sendable, Equatable {
    private let names: [String]
    private let values: [String]

    /// Parameters of these names with the values at the same positions.
    package init(names: [String] = [], values: [String] = []) {
        self.names = names
        self.values = values
    }

    /// The value of the parameter of this name; nil if the pattern has none.
    package subscript(name: String) -> String? {
        for (index, value) in values.enumerated() where names[index] == name { return value }
        return nil
    }
}
