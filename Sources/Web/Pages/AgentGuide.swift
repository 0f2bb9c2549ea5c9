import Model

/// The guide at `/llms.txt`, for programs that write apps, in the form of <https://llmstxt.org>.
enum AgentGuide {
    /// The rule that a server without issuers leaves out; it is the last one.
    private static let signInRule = "\n16. Sign-in"

    /// Returns the guide with marks for the server's address; O(n).
    static func text(_ description: APIDescription, version: String) -> String {
        let patterns = Set(description.routes.map(\.pattern))
        let hasHumon = patterns.contains("/v1/events")
        let summary =
            hasHumon
            ? """
            Backend for location-based apps: events with a place and a time, found by distance, \
            area, time, words and tags.
            """
            : "Backend of published apps."
        let origin = String(OriginTemplate.mark)
        let query = hasHumon ? "?system=humon" : ""
        var text = "# Humon\n\n> \(summary) This server is Humon \(version) at \(origin).\n\n"
        if hasHumon { text += rules(hasSignIn: patterns.contains("/v1/sessions")) }
        text += published(description)
        text += """
            ## API

            - [Documentation](\(origin)/docs): every endpoint with its parameters and errors
            - [OpenAPI 3.1](\(origin)/openapi.json\(query)): the same for programs

            """
        if hasHumon {
            text += """
                - [Client for JavaScript](\(origin)/humon.js): a module for browsers, Node.js and \
                React Native
                - [Types of the client](\(origin)/humon.d.ts): all its operations and records

                """
        }
        let pages = [
            ("/map", "Map", "the events in a browser"),
            ("/account/delete", "Deletion", "people without the app delete their data there"),
        ].filter { patterns.contains($0.0) }
        if !pages.isEmpty { text += "\n## Optional\n\n" }
        for (path, name, use) in pages { text += "- [\(name)](\(origin)\(path)): \(use)\n" }
        return text
    }

    /// Returns the rules of the Humon API with commands.
    private static func rules(hasSignIn: Bool) -> String {
        let text = PageFiles.text(of: "llms.txt")
            .split(separator: "{origin}", omittingEmptySubsequences: false)
            .joined(separator: String(OriginTemplate.mark))
        guard !hasSignIn else { return text }
        return text.split(separator: signInRule, maxSplits: 1).enumerated().map { index, part in
            index == 0 ? part : part.drop { $0 != "\n" }
        }.joined()
    }

    /// Returns a list of the other APIs, or an empty text if there are none.
    private static func published(_ description: APIDescription) -> String {
        let systems = Set(description.routes.compactMap(\.system)).subtracting([.humon])
        let items = ServedSystem.allCases.filter(systems.contains).map { system in
            "- \(APIDescription.name(of: system)): \(APIDescription.meaning(of: system))\n"
        }
        guard !items.isEmpty else { return "" }
        return "For published apps, this server also has these APIs. New apps don't need them.\n\n"
            + items.joined() + "\n"
    }
}
