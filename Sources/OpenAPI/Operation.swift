import HTTP

/// What a method does at a path: all that a client has to know to use it.
package struct Operation: Sendable {
    /// Unique among all operations, such as `createEvent`.
    package let id: String
    /// A few words for a list.
    package let summary: String
    /// Sentences on what it does and what is special about it.
    package let details: String
    /// Who may: one of these is enough; empty where anybody may.
    package let credentials: [Credential]
    /// Whether anybody may although there are credentials.
    private(set) var isOpen = false
    package private(set) var parameters: [Parameter]
    package let body: RequestBody?
    /// The answers that are its own, without those that every operation may give.
    package private(set) var responses: [PossibleResponse]

    package init(
        _ id: String,
        _ summary: String,
        _ details: String,
        credentials: [Credential] = [],
        parameters: [Parameter] = [],
        body: RequestBody? = nil,
        responses: [PossibleResponse]
    ) {
        self.id = id
        self.summary = summary
        self.details = details
        self.credentials = credentials
        self.parameters = parameters
        self.body = body
        self.responses = responses
    }

    /// The same with these parameters and answers besides; one of a status that it has already adds
    /// its content to that.
    package func adding(
        parameters more: [Parameter] = [],
        responses others: [PossibleResponse]
    ) -> Operation {
        var operation = self
        operation.parameters += more.filter { parameter in
            !parameters.contains { $0.name == parameter.name && $0.place == parameter.place }
        }
        for response in others {
            let known = operation.responses.firstIndex { $0.status == response.status }
            if let known {
                operation.responses[known] = operation.responses[known].merged(with: response)
            } else {
                operation.responses.append(response)
            }
        }
        operation.responses.sort { $0.status.code < $1.status.code }
        return operation
    }

    /// The same with other answers in the place of its own.
    package func replacing(responses: [PossibleResponse]) -> Operation {
        var operation = self
        operation.responses = responses
        return operation
    }

    /// The two that share a method and a path, as one.
    func merged(with other: Operation) -> Operation {
        var merged = Operation(
            id + "Or" + other.id.prefix(1).uppercased() + other.id.dropFirst(),
            "\(summary), or: \(other.summary)",
            details + "\n\n" + other.details,
            credentials: credentials + other.credentials,
            parameters: parameters,
            body: body?.merged(with: other.body) ?? other.body,
            responses: responses
        )
        // What one of them wants, the other may do without.
        merged.isOpen = credentials.isEmpty != other.credentials.isEmpty
        return merged.adding(parameters: other.parameters, responses: other.responses)
    }
}
