/// The reference of all settings, in each format that `humon settings` writes.
package enum SettingsReference {
    /// A format of the reference.
    package enum Format: String, CaseIterable, Sendable {
        /// For a terminal.
        case text
        /// For `docs/settings.md`.
        case markdown
        /// For `.env.example`.
        case env
    }

    /// Returns the reference, without a final newline.
    package static func text(as format: Format) -> String {
        switch format {
        case .text: plain
        case .markdown: markdown
        case .env: example
        }
    }

    private static var plain: String {
        let blocks = Setting.all.map { setting in
            let lines = wrapped(setting.description, width: 96).map { "  " + $0 }
            return """
                \(setting.name)  (\(setting.flag))
                \(lines.joined(separator: "\n"))
                  Allowed: \(setting.allowed).
                  Default: \(setting.shownDefault).
                """
        }
        return """
            \(wrapped(precedence, width: 98).joined(separator: "\n"))

            \(blocks.joined(separator: "\n\n"))
            """
    }

    /// Where settings come from, in sentences.
    package static let precedence = """
        Every setting can be a flag, an environment variable or a line in .env. Flags override \
        environment variables, and environment variables override .env. If there is no .env in \
        the working directory, /etc/humon/humon.env is read. An empty value counts as not set.
        """

    private static var markdown: String {
        let sections = Setting.groups.map { group in
            let rows = group.settings.map { setting in
                let value = setting.shownDefault
                let isWords = setting.defaultText.isEmpty || value.contains(" ")
                let shown = isWords ? value : "`\(value)`"
                let allowed = setting.allowed.replacing("|", with: "\\|")
                return "| `\(setting.name)` | \(shown) "
                    + "| \(setting.description) Allowed: \(allowed). |"
            }
            return """
                ## \(group.title)

                | setting | default | description |
                | --- | --- | --- |
                \(rows.joined(separator: "\n"))
                """
        }
        return """
            # Settings

            Every setting can be a flag (`--port 8080`), an environment variable (`PORT=8080`) or
            a line in `.env`. Flags override environment variables, and environment variables
            override `.env`. If there is no `.env` in the working directory, `/etc/humon/humon.env`
            is read. An empty value counts as not set. If a value is not allowed, the server
            doesn't start and names the setting.

            `humon config` shows the settings in effect and where each one comes from.
            `humon settings` prints this list.

            \(sections.joined(separator: "\n\n"))
            """
    }

    private static var example: String {
        let blocks = Setting.all.map { setting in
            let words = "\(setting.description) Allowed: \(setting.allowed)."
            let comment = wrapped(words, width: 98).map { "# " + $0 }.joined(separator: "\n")
            let hash = setting.defaultText.isEmpty ? "" : "#"
            return "\(comment)\n\(hash)\(setting.name)=\(setting.example)"
        }
        return """
            # Humon's settings. Copy this file to .env and change what you need.
            # Flags (--port 8080) and environment variables override this file.
            # Lines that are commented out show the defaults. `humon config` shows the settings in
            # effect.

            \(blocks.joined(separator: "\n\n"))
            """
    }

    /// Wraps text to lines of at most `width` characters, unless a word is longer.
    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let line = lines.last, line.count + 1 + word.count <= width {
                lines[lines.count - 1] = line + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
