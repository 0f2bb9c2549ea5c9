// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled alike: Swift 6, memory-safe, and no warning passes.
let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func layer(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    plugins: [Target.PluginUsage] = []
) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings, plugins: plugins)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name)] + dependencies,
        swiftSettings: settings
    )
}

let package = Package(
    name: "humon",
    products: [.executable(name: "humon", targets: ["Humon"])],
    targets: [
        // Leaves: values and C libraries.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .systemLibrary(
            name: "CSodium",
            pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]
        ),
        layer("Bytes"),
        layer("Randomness"),
        layer("Threads"),
        layer("Addresses"),
        layer("RateLimiting", ["Threads"]),
        layer("Metrics", ["Threads"]),
        layer("HTTP", ["Addresses", "Bytes"]),
        layer("JSON"),
        layer("Model", ["Bytes"]),
        layer("Logging", ["Bytes", "JSON", "Model", "Threads"]),
        layer("Sodium", ["CSodium", "Metrics", "Threads"]),
        layer("Files", ["CLinux", "Metrics"]),
        layer("SQLite", ["CLinux", "CSQLite", "Metrics", "Threads"]),

        // What stands on them.
        layer("Routing", ["HTTP"]),
        layer("OpenAPI", ["HTTP", "JSON"]),
        layer("HTTPServer", ["Addresses", "HTTP", "CLinux", "Threads"]),
        layer("SQLiteStorage", ["Model", "SQLite", "Threads"]),
        layer("Conformance", ["Model", "Randomness"]),
        layer("Formats", ["Files", "JSON", "Model"]),
        layer(
            "Web",
            [
                "Addresses", "Bytes", "Model", "HTTP", "Routing", "JSON", "OpenAPI",
                "RateLimiting", "Sodium", "Logging", "Metrics", "Threads",
            ],
            plugins: ["EmbedResources"]
        ),

        layer(
            "Settings",
            [
                "Addresses", "Files", "HTTP", "Logging", "Model", "RateLimiting", "Sodium", "Web",
            ]
        ),
        layer(
            "Operations",
            [
                "Addresses", "CLinux", "Files", "HTTP", "HTTPServer", "Logging", "Metrics", "Model",
                "Settings", "Sodium", "Threads", "Web",
            ]
        ),

        // The one place where all of them meet.
        .executableTarget(
            name: "Humon",
            dependencies: [
                "Addresses", "CLinux", "Files", "Formats", "HTTP", "HTTPServer", "Routing", "JSON",
                "Model", "Logging", "Metrics", "Operations", "Settings", "RateLimiting", "Sodium",
                "SQLiteStorage", "Threads", "Web",
            ],
            swiftSettings: settings,
            plugins: ["EmbedResources"]
        ),

        // Puts migrations/ and pages/ into the binary.
        .executableTarget(name: "EmbedFiles", swiftSettings: settings),
        .plugin(
            name: "EmbedResources",
            capability: .buildTool(),
            dependencies: ["EmbedFiles"]
        ),

        tests(of: "Addresses"),
        tests(of: "Threads"),
        tests(of: "Logging", ["Model", "Threads"]),
        tests(of: "RateLimiting"),
        tests(of: "HTTP"),
        tests(of: "JSON", ["Randomness"]),
        tests(of: "Model"),
        tests(of: "HTTPServer", ["Addresses", "CLinux", "HTTP", "Threads"]),
        tests(of: "Routing", ["HTTP"]),
        tests(of: "Sodium"),
        tests(of: "SQLite", ["CSQLite", "Randomness", "Threads"]),
        tests(of: "SQLiteStorage", ["Model", "SQLite", "StorageSupport", "Threads"]),
        tests(of: "Conformance", ["Model", "SQLite", "SQLiteStorage", "StorageSupport"]),
        tests(of: "Metrics"),
        tests(of: "Web", ["HTTP", "Logging", "Metrics", "Model", "Sodium"]),
        tests(
            of: "Humon",
            ["HTTP", "Logging", "Model", "Sodium", "SQLite", "SQLiteStorage", "Support", "Threads"]
        ),

        // The stores on a database of their own.
        .target(
            name: "StorageSupport",
            dependencies: ["Model", "SQLite", "SQLiteStorage"],
            path: "Tests/StorageSupport",
            swiftSettings: settings
        ),

        // The API as its clients see it: in process, and the very same over a socket.
        .target(
            name: "Support",
            dependencies: [
                "Addresses", "HTTP", "HTTPServer", "Humon", "JSON", "Logging", "Metrics", "Model",
                "RateLimiting", "Sodium", "SQLite", "SQLiteStorage", "Threads", "Web",
            ],
            path: "Tests/Support",
            swiftSettings: settings
        ),
        .testTarget(
            name: "RequestSpecs",
            dependencies: [
                "Support", "Humon", "HTTP", "JSON", "Logging", "Model", "RateLimiting", "Sodium",
                "Web",
            ],
            exclude: ["RecordedExchanges.jsonl"],
            swiftSettings: settings
        ),
        // The program as a process of its own, killed and started again.
        .testTarget(
            name: "CrashTests",
            dependencies: ["Support", "Humon", "SQLite", "Threads"],
            swiftSettings: settings
        ),
        .testTarget(name: "LayeringTests", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
