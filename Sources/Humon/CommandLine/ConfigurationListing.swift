/// The output of `humon config`: each setting in effect and where it comes from.
package enum ConfigurationListing {
    /// Returns a line for each setting, with only the number of secrets.
    package static func text(of resolved: ResolvedConfiguration) -> String {
        TextTable.text(
            Settings.all.map { setting in
                [
                    setting.name, setting.text(resolved.configuration),
                    "\(resolved.origin(of: setting))",
                ]
            }
        )
    }
}
