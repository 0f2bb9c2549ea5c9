import Foundation
import PackagePlugin

/// Has `EmbedFiles` write folders of the package into the target it is applied to.
@main
struct EmbedResources: BuildToolPlugin {
    /// A folder, the type that holds its files, and what their names end with.
    private struct Resource {
        let folder: String
        let type: String
        let suffixes: [String]
    }

    /// The folders of each target that has any.
    private static let resources: [String: [Resource]] = [
        "Humon": [
            Resource(
                folder: "migrations/sqlite",
                type: "EmbeddedSQLiteMigrations",
                suffixes: [".sql"]
            ),
            Resource(
                folder: "migrations/postgresql",
                type: "EmbeddedPostgreSQLMigrations",
                suffixes: [".sql"]
            ),
        ],
        "Web": [
            Resource(
                folder: "pages",
                type: "EmbeddedPages",
                suffixes: [".css", ".js", ".svg", ".ts", ".txt"]
            ),
            Resource(
                folder: "pages/map",
                type: "EmbeddedMap",
                suffixes: [".css", ".html", ".js", ".txt"]
            ),
            Resource(
                folder: "pages/admin",
                type: "EmbeddedAdmin",
                suffixes: [".css", ".html", ".js"]
            ),
        ],
    ]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        try (Self.resources[target.name] ?? []).map { try command(for: $0, context) }
    }

    private func command(for resource: Resource, _ context: PluginContext) throws -> Command {
        let folder = context.package.directoryURL.appending(path: resource.folder)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.path(percentEncoded: false)
        )
        let files = names.filter { name in resource.suffixes.contains { name.hasSuffix($0) } }
        let output = context.pluginWorkDirectoryURL.appending(path: "\(resource.type).swift")
        return .buildCommand(
            displayName: "Embedding \(resource.folder)",
            executable: try context.tool(named: "EmbedFiles").url,
            arguments: [
                resource.type, output.path(percentEncoded: false),
                folder.path(percentEncoded: false),
            ] + resource.suffixes,
            // The folder too: the list of files is made only when the package is planned,
            // which a new file in a folder that is no target's does not bring about.
            inputFiles: [folder] + files.map { folder.appending(path: $0) },
            outputFiles: [output]
        )
    }
}
