import Model

/// The guide at `/llms.txt`, for programs that write apps, in the form of <https://llmstxt.org>.
enum AgentGuide {
    /// The rule that a server without issuers leaves out; it is the last one.
    private static let signInRule = "\n16. Sign-in"

    /// The pages for authors of apps in the folder `docs` of the repository.
    private static let guides: KeyValuePairs = [
        "api/humon.md": ("Humon API", "every endpoint, with requests and responses"),
        "api/find-events.md": ("Recipes", "lists, maps, calendars, feeds and infinite scroll"),
        "api/changes.md": ("Offline-first", "repeatable writes, changes and streams"),
        "swift.md": ("Swift package", "HumonClient, for iPhone, Mac and Linux"),
        "offline.md": ("HumonOutbox", "writes that an app makes offline"),
        "javascript.md": ("JavaScript client", "humon.js"),
        "clients.md": ("Clients", "generators for TypeScript, Python, Kotlin and Swift"),
        "sign-in.md": ("Sign-in", "Apple, Google and other issuers"),
        "moderation.md": ("Moderation", "reports, blocks and what app stores require"),
        "geofences.md": ("Geofences", "notifications near an event"),
        "webhooks.md": ("Webhooks", "pushes after changes"),
        "testing-your-app.md": ("Testing your app", "a throw-away server"),
    ]

    /// Returns the guide with marks for the server's address; O(n).
    ///
    /// - Parameters:
    ///   - description: The API of the server.
    ///   - version: The version of the server.
    ///   - folder: The URL of the folder `docs` of this version; empty to link no guides.
    /// - Returns: The text.
    static func text(
        _ description: APIDescription,
        version: String,
        guides folder: String
    ) -> String {
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
        if hasHumon, !folder.isEmpty {
            text += "\n## Guides\n\n"
            for (path, page) in guides {
                text += "- [\(page.0)](\(folder)/\(path)): \(page.1)\n"
            }
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
