import Foundation
import PackagePlugin

/// Has `EmbedFiles` write a folder of the package into the target it is applied to.
@main
struct EmbedResources: BuildToolPlugin {
    /// The folder of each target that has one, the type that holds it, and what its files end with.
    private static let resources: [String: (folder: String, type: String, suffixes: [String])] = [
        "Humon": ("migrations", "EmbeddedMigrations", [".sql"]),
        "Web": ("pages", "EmbeddedPages", [".css", ".js"]),
    ]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let resource = Self.resources[target.name] else { return [] }
        let folder = context.package.directoryURL.appending(path: resource.folder)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.path(percentEncoded: false)
        )
        let files = names.filter { name in resource.suffixes.contains { name.hasSuffix($0) } }
        let output = context.pluginWorkDirectoryURL.appending(path: "\(resource.type).swift")
        return [
            .buildCommand(
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
        ]
    }
}
