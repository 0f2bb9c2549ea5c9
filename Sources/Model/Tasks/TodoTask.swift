package import Time

/// A task of a Todo account.
package struct TodoTask: Equatable, Sendable {
    package let id: Int64
    package let accountID: Int64
    package let title: String
    package let isCompleted: Bool
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package init(
        id: Int64,
        accountID: Int64,
        title: String,
        isCompleted: Bool,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.id = id
        self.accountID = accountID
        self.title = title
        self.isCompleted = isCompleted
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// The changes to a task; nil keeps a value.
package struct TodoTaskChange: Equatable, Sendable {
    package let title: String?
    package let isCompleted: Bool?

    package init(title: String? = nil, isCompleted: Bool? = nil) {
        self.title = title
        self.isCompleted = isCompleted
    }
}

/// The values that a client sent for a task, before validation.
package struct TodoTaskDraft: Equatable, Sendable {
    package var title: Input
    package var isCompleted: Input

    package init(title: Input = .absent, isCompleted: Input = .absent) {
        self.title = title
        self.isCompleted = isCompleted
    }

    private static let maximumTitle = 255

    /// Returns the change with these values.
    ///
    /// A null title is empty, a blank completion is false, and absent values are kept. Throws
    /// `ModelError.invalid` with the attributes that break a rule, `title` before `completed`.
    package func change() throws(ModelError) -> TodoTaskChange {
        var validation = Validation()
        let title = validation.optional(
            "title",
            title == .null ? .text("") : title,
            .text(maximum: Self.maximumTitle)
        )
        let isCompleted = validation.optional(
            "completed",
            isCompleted.nullIfBlank == .null ? .boolean(false) : isCompleted,
            .boolean
        )
        guard validation.errors.isEmpty else { throw .invalid(validation.errors) }
        return TodoTaskChange(title: title, isCompleted: isCompleted)
    }
}
