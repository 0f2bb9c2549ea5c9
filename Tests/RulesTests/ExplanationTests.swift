import Rules
import Testing

@Suite struct ExplanationTests {
    @Test func `is what the error says of itself`() {
        #expect(Explanation.text(of: OperatorError("Do this.")) == "Do this.")
        #expect(Explanation.text(of: ModelError.notFound) == "The record doesn't exist.")
    }

    @Test func `is the description of other errors`() {
        #expect(Explanation.text(of: CancellationError()) == "CancellationError()")
    }

    @Test func `has no control characters but newlines`() {
        let error = OperatorError("a\u{1B}[31mb\u{7F}c\u{9B}d\re\nf\tg")

        #expect(Explanation.text(of: error) == "a?[31mb?c?d?e\nf?g")
    }
}
