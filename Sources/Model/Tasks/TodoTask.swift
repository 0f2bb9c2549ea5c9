package import Time

/// Something that the owner of an account has to do.
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

/// What changes of a task; nil keeps what it has.
package struct TodoTaskChange: Equatable, Sendable {
    package let title: String?
    package let isCompleted: Bool?

    package init(title: String? = nil, isCompleted: Bool? = nil) {
        self.title = title
        self.isCompleted = isCompleted
    }
}

/// What a client says of a task, before the rules are applied.
package struct TodoTaskDraft: Equatable, Sendable {
    package var title: Input
    package var isCompleted: Input

    package init(title: Input = .absent, isCompleted: Input = .absent) {
        self.title = title
        self.isCompleted = isCompleted
    }

    private static let maximumTitle = 255

    /// The change that this is: a title that is null is empty, and a completion that is blank is
    /// false; what is absent is kept.
    ///
    /// Throws `ModelError.invalid` with the attributes that break a rule, `title` before
    /// `completed`.
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
