/// A task on the one list that all MyTasks apps share.
package struct SharedTask: Equatable, Sendable {
    /// What the app that made it calls it; several tasks may have the same.
    package let taskID: Int64
    package let name: String

    package init(taskID: Int64, name: String) {
        self.taskID = taskID
        self.name = name
    }

    /// The most characters of a name.
    private static let maximumName = 255

    /// The task that an app means; nil if its name or id is blank, or its id is no integer.
    ///
    /// Throws `ModelError.invalid` if its name is too long or has U+0000.
    package init?(taskID: Input, name: Input) throws(ModelError) {
        guard !name.isBlank, !Self.isInvisible(name), let taskID = Self.taskID(taskID) else {
            return nil
        }
        do throws(Violation) {
            self.init(taskID: taskID, name: try Rule.text(maximum: Self.maximumName).check(name))
        } catch {
            throw .invalid([AttributeError("Name", error)])
        }
    }

    /// Whether a name has nothing but white space, control characters and what the list of tasks
    /// leaves out; U+0000 alone is refused instead.
    private static func isInvisible(_ name: Input) -> Bool {
        guard let text = name.spelling, !text.utf8.contains(0) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
                || !scalar.isXML
        }
    }

    /// The integer that an app calls a task; nil if the input is none of 64 bits.
    package static func taskID(_ input: Input) -> Int64? {
        guard let text = input.spelling else { return nil }
        return Int64(text)
    }
}

extension Unicode.Scalar {
    /// Whether XML 1.0 allows it (<https://www.w3.org/TR/xml/#charsets>), as property lists need.
    package var isXML: Bool {
        switch value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
