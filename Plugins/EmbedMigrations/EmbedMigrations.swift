import Foundation
import PackagePlugin

/// Has `EmbedFiles` write the migrations into the target it is applied to.
@main
struct EmbedMigrations: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = context.package.directoryURL.appending(path: "migrations")
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.path(percentEncoded: false)
        )
        let files = names.filter { $0.hasSuffix(".sql") }.map { folder.appending(path: $0) }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedMigrations.swift")
        return [
            .buildCommand(
                displayName: "Embedding the migrations",
                executable: try context.tool(named: "EmbedFiles").url,
                arguments: [
                    "EmbeddedMigrations", output.path(percentEncoded: false),
                    folder.path(percentEncoded: false),
                ],
                // The folder too: the list of files is made only when the package is planned,
                // which a new file in a folder that is no target's does not bring about.
                inputFiles: [folder] + files,
                outputFiles: [output]
            )
        ]
    }
}
