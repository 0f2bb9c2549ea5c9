/// The text of `humon config`: each setting in force and where it comes from.
package enum ConfigurationListing {
    /// A line for each setting; of secrets only how many there are.
    package static func text(of resolved: ResolvedConfiguration) -> String {
        let rows = Settings.all.map { setting in
            (setting.name, setting.text(resolved.configuration), resolved.origin(of: setting))
        }
        let nameWidth = rows.map(\.0.count).max() ?? 0
        let valueWidth = rows.map(\.1.count).max() ?? 0
        return rows.map { name, value, origin in
            padded(name, to: nameWidth) + "  " + padded(value, to: valueWidth) + "  \(origin)"
        }.joined(separator: "\n")
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }
}
