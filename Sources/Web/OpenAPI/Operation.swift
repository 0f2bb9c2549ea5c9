import HTTP

/// The description of a method and path for clients.
package struct Operation: Sendable {
    /// The id, unique among all operations, such as `createEvent`.
    package let id: String
    /// A short summary for lists.
    package let summary: String
    /// Sentences about what it does and any special behaviour.
    package let details: String
    /// The accepted credentials, of which one is enough; empty if none is needed.
    package let credentials: [Credential]
    /// Whether new apps should use another operation.
    package private(set) var isDeprecated = false
    /// Whether requests without credentials are also accepted.
    package private(set) var isOpen: Bool
    package private(set) var parameters: [Parameter]
    package let body: RequestBody?
    /// The operation's own responses, without those that every operation has.
    package var responses: [PossibleResponse]

    /// Whether the response is a stream of events, which doesn't end by itself.
    var isStream: Bool {
        responses.contains { $0.contents.contains { $0.mediaType == "text/event-stream" } }
    }

    package init(
        _ id: String,
        _ summary: String,
        _ details: String,
        credentials: [Credential]? = nil,
        isOpen: Bool = false,
        parameters: [Parameter] = [],
        body: RequestBody? = nil,
        responses: [PossibleResponse]
    ) {
        self.id = id
        self.summary = summary
        self.details = details
        self.credentials = credentials ?? responses.flatMap(\.credentials)
        self.isOpen = isOpen
        self.parameters = parameters
        self.body = body
        self.responses = responses
    }

    /// The operation as one that new apps should not use.
    var deprecated: Operation {
        var operation = self
        operation.isDeprecated = true
        return operation
    }

    /// Returns a copy with more parameters and responses.
    ///
    /// A response with an existing status is merged with that one.
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

    /// Merges two operations with the same method and path.
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
        // If only one of them needs credentials, requests without them are accepted.
        merged.isOpen =
            isOpen || other.isOpen || credentials.isEmpty != other.credentials.isEmpty
        return merged.adding(parameters: other.parameters, responses: other.responses)
    }
}
