import Rules
import Words

extension EventParameterReader {
    private static let maximumTextLength = 100
    private static let maximumWords = 8
    private static let maximumTags = 5
    /// The number of categories or tags that are separated by commas.
    private static let maximumAlternatives = 20

    mutating func readTerms(
        into parameters: inout EventParameters,
        _ context: EventParameterContext
    ) {
        if values[.q] != nil, !context.searchesText {
            report("Q", "is switched off on this server (TEXT_SEARCH)")
        } else if let text = check("Q", .q, .text(maximum: Self.maximumTextLength)) {
            let query = WordQuery(text)
            if query.count > Self.maximumWords {
                report("Q", "is too long (maximum is \(Self.maximumWords) words)")
            }
            parameters.filter.terms += query.words.map { word in
                TermCondition(terms: [.word(word.text)], isPrefix: word.isPrefix)
            }
        }
        if let text = values[.category] { readCategories(text, into: &parameters) }
        readTags(into: &parameters)
        readStatus(into: &parameters, context)
        if values[.series] != nil {
            let series = check("Series", .series, EventColumn.seriesID.rule)
            if values[.owner] == nil { report("Series", "needs owner") }
            if let series { parameters.filter.terms.append(.init(terms: [.series(series)])) }
        }
    }

    private mutating func readCategories(
        _ text: String,
        into parameters: inout EventParameters
    ) {
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        let categories = names.compactMap { name in
            try? EventColumn.category.rule.check(.text(String(name)))
        }
        guard categories.count == names.count, names.count <= Self.maximumAlternatives else {
            return report(
                "Category",
                "must be 1 to \(Self.maximumAlternatives) categories such as live-music, "
                    + "separated by commas"
            )
        }
        parameters.filter.terms.append(.init(terms: categories.map(EventTerm.category)))
    }

    private mutating func readTags(into parameters: inout EventParameters) {
        let texts = values.all(.tag)
        guard texts.count <= Self.maximumTags else {
            return report("Tag", "is repeated too often (maximum is \(Self.maximumTags))")
        }
        for text in texts {
            let tags = try? Tag.list(Tag.split(text), maximum: Self.maximumAlternatives)
            guard let tags, !tags.isEmpty else {
                return report(
                    "Tag",
                    "must be 1 to \(Self.maximumAlternatives) tags of up to \(Tag.maximumLength) "
                        + "characters, separated by commas"
                )
            }
            parameters.filter.terms.append(.init(terms: tags.map(EventTerm.tag)))
        }
    }

    private mutating func readStatus(
        into parameters: inout EventParameters,
        _ context: EventParameterContext
    ) {
        // An event that vanishes from "my events" explains nothing.
        let isOfMe = values[.owner] == "me" || values[.attendee] == "me"
        parameters.filter.statuses = isOfMe || context.isForAdmin ? .any : .scheduled
        guard let text = values[.status] else { return }
        if text == "any" { return parameters.filter.statuses = .any }
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        let statuses = names.compactMap { EventStatus(rawValue: String($0)) }
        guard statuses.count == names.count else {
            let all = EventStatus.allCases.map(\.rawValue).joined(separator: ", ")
            return report("Status", "must be any or among \(all)")
        }
        parameters.filter.statuses = EventStatuses(statuses.map { EventStatuses($0) })
    }
}
