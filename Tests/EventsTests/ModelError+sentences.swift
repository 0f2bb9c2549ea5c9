import Rules

extension ModelError {
    /// The error of attributes that break these rules, each written as a sentence.
    static func invalid(_ sentences: [String]) -> ModelError {
        .invalid(sentences.map(AttributeError.init(sentence:)))
    }
}

extension AttributeError {
    /// The verbs that predicates begin with.
    private static let verbs: Set<Substring> = ["is", "has", "must", "can't"]

    fileprivate init(sentence: String) {
        let words = sentence.split(separator: " ")
        let count = words.firstIndex(where: Self.verbs.contains) ?? words.count
        self.init(
            words[..<count].joined(separator: " "),
            words[count...].joined(separator: " ")
        )
    }
}
