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

func tests(
    of name: String,
    _ dependencies: [Target.Dependency] = [],
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name)] + dependencies,
        exclude: exclude,
        swiftSettings: settings
    )
}

/// Returns an environment variable as a string in C.
///
/// bin/version sets the variables from the tag. Other characters than those of versions are left out.
func quoted(_ variable: String, default value: String) -> String {
    let text = Context.environment[variable] ?? value
    return
        "\"\(text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || ".+-~".contains($0)) })\""
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
        // The version and the commit of the build.
        .target(
            name: "CBuild",
            cSettings: [
                .define("HUMON_VERSION", to: quoted("HUMON_VERSION", default: "0.0.0-dev")),
                .define("HUMON_COMMIT", to: quoted("HUMON_COMMIT", default: "")),
            ]
        ),
        // Declares libpq, which is loaded when a PostgreSQL database is opened.
        .systemLibrary(name: "CPostgreSQL"),
        layer("Bytes"),
        layer("Cells"),
        layer("Migrations", ["Bytes"]),
        layer("Threads"),
        layer("Time"),
        layer("Addresses"),
        layer("RateLimiting", ["Threads"]),
        layer("Metrics", ["Threads", "Time"]),
        layer("HTTP", ["Addresses", "Bytes", "Time"]),
        layer("JSON", ["Bytes"]),
        layer("Logging", ["Bytes", "JSON", "Threads", "Time"]),
        layer("Sodium", ["CSodium", "Metrics", "Threads"]),
        layer("Files", ["CLinux", "Time"]),
        layer("TimeZones", ["Files", "Threads", "Time"]),
        layer("Model", ["Bytes", "Time", "TimeZones"]),
        layer(
            "SQLite",
            ["CLinux", "CSQLite", "Files", "Metrics", "Migrations", "Threads", "Time"]
        ),
        layer("EventLoops", ["CLinux", "Threads"]),
        layer(
            "PostgreSQL",
            ["Bytes", "CPostgreSQL", "EventLoops", "Metrics", "Migrations", "Threads", "Time"]
        ),

        // What stands on them.
        layer("Routing", ["HTTP"]),
        layer("OpenAPI", ["HTTP", "JSON"]),
        layer(
            "HTTPServer",
            ["Addresses", "Bytes", "EventLoops", "HTTP", "CLinux", "Threads", "Time"]
        ),
        layer("EventIndex", ["Cells", "Model", "Threads", "Time"]),
        layer(
            "SQLiteStorage",
            ["Cells", "CLinux", "EventIndex", "Migrations", "Model", "SQLite", "Threads", "Time"]
        ),
        layer(
            "PostgreSQLStorage",
            [
                "Cells", "CLinux", "EventIndex", "Migrations", "Model", "PostgreSQL", "Threads",
                "Time",
            ]
        ),
        layer("Formats", ["Bytes", "Files", "JSON", "Model", "Time"]),
        layer(
            "Web",
            [
                "Addresses", "Bytes", "EventLoops", "Formats", "Model", "HTTP", "Routing", "JSON",
                "OpenAPI", "RateLimiting", "Sodium", "Logging", "Metrics", "Threads", "Time",
                "TimeZones",
            ],
            plugins: ["EmbedResources"]
        ),

        layer(
            "Settings",
            [
                "Addresses", "Files", "HTTP", "Logging", "Model", "RateLimiting", "Sodium", "Time",
            ]
        ),
        layer(
            "Operations",
            [
                "Addresses", "CBuild", "CLinux", "Files", "Formats", "HTTP", "HTTPServer",
                "Logging", "Metrics", "Model", "Settings", "Sodium", "Threads", "Time",
            ]
        ),

        // The one place where all of them meet.
        .executableTarget(
            name: "Humon",
            dependencies: [
                "Files", "Formats", "HTTP", "HTTPServer", "JSON", "Logging", "Model", "Operations",
                "PostgreSQLStorage", "Settings", "Sodium", "SQLiteStorage", "Threads", "Time",
                "Web",
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
        tests(of: "Bytes"),
        tests(of: "Cells", ["Model", "Randomness", "SphereSupport"]),
        tests(of: "Threads"),
        tests(of: "Time"),
        tests(of: "TimeZones", ["Files", "Randomness", "Time"]),
        tests(of: "Logging", ["Threads", "Time"]),
        tests(of: "RateLimiting"),
        tests(of: "HTTP", ["Time"]),
        tests(of: "JSON", ["Randomness"]),
        tests(of: "Model", ["Time", "TimeZones"]),
        tests(of: "HTTPServer", ["Addresses", "CLinux", "EventLoops", "HTTP", "Threads"]),
        tests(of: "Routing", ["HTTP"]),
        tests(of: "Sodium"),
        tests(of: "SQLite", ["CSQLite", "Migrations", "Randomness", "Threads", "Time"]),
        tests(
            of: "PostgreSQL",
            ["HTTP", "HTTPServer", "Migrations", "PostgreSQLSupport", "Threads"]
        ),
        tests(
            of: "SQLiteStorage",
            [
                "CSQLite", "EventIndex", "Migrations", "Model", "Randomness", "SQLite",
                "StorageSupport",
                "Threads", "Time",
            ]
        ),
        tests(
            of: "Conformance",
            [
                "EventIndex", "Model", "PostgreSQL", "PostgreSQLStorage", "PostgreSQLSupport",
                "SQLite", "SQLiteStorage", "StorageSupport", "Time",
            ]
        ),
        tests(
            of: "PostgreSQLStorage",
            [
                "Model", "PostgreSQL", "PostgreSQLSupport", "SQLite", "SQLiteStorage",
                "StorageSupport", "Threads", "Time",
            ]
        ),
        tests(of: "EventIndex", ["Cells", "Model", "Randomness", "SphereSupport"]),
        tests(of: "Metrics", ["Time"]),
        tests(
            of: "Web",
            [
                "Formats", "HTTP", "JSON", "Logging", "Metrics", "Model", "Randomness", "Sodium",
                "Support", "Time",
            ],
            exclude: ["Search/Examples"]
        ),
        tests(of: "Formats", ["Files", "Model", "Support", "Time"]),
        tests(
            of: "Settings",
            ["Files", "HTTP", "Logging", "Model", "RateLimiting", "Support", "Time"]
        ),
        tests(of: "Operations", ["Addresses", "Model", "Settings", "Threads", "Time"]),
        tests(
            of: "Humon",
            [
                "Files", "Formats", "HTTP", "Logging", "Model", "Operations",
                "PostgreSQL", "PostgreSQLSupport", "Settings", "Sodium", "SQLite",
                "SQLiteStorage", "StorageSupport", "Support", "Threads", "Time",
            ]
        ),

        // A server of PostgreSQL that ends with the tests.
        .target(
            name: "PostgreSQLSupport",
            dependencies: ["PostgreSQL", "Threads"],
            path: "Tests/PostgreSQLSupport",
            swiftSettings: settings
        ),

        // Random numbers that are the same in every run.
        .target(name: "Randomness", path: "Tests/Randomness", swiftSettings: settings),

        // What every implementation of the stores must do.
        .target(
            name: "Conformance",
            dependencies: ["Model", "Randomness", "Time"],
            path: "Tests/Conformance",
            swiftSettings: settings
        ),

        // Random points on the sphere.
        .target(
            name: "SphereSupport",
            dependencies: ["Cells", "Randomness"],
            path: "Tests/SphereSupport",
            swiftSettings: settings
        ),

        // The stores on a database of their own.
        .target(
            name: "StorageSupport",
            dependencies: [
                "EventIndex", "Model", "PostgreSQL", "PostgreSQLStorage", "PostgreSQLSupport",
                "SQLite", "SQLiteStorage", "Threads", "Time",
            ],
            path: "Tests/StorageSupport",
            swiftSettings: settings
        ),

        // The API as its clients see it: in process, and the very same over a socket.
        .target(
            name: "Support",
            dependencies: [
                "Addresses", "HTTP", "HTTPServer", "Humon", "JSON", "Logging", "Metrics", "Model",
                "PostgreSQL", "PostgreSQLSupport", "RateLimiting", "Settings", "Sodium", "SQLite",
                "SQLiteStorage", "StorageSupport", "Threads", "Time", "Web",
            ],
            path: "Tests/Support",
            swiftSettings: settings
        ),
        .testTarget(
            name: "RequestSpecs",
            dependencies: [
                "Support", "Humon", "HTTP", "JSON", "Logging", "Model", "Operations",
                "PostgreSQLSupport", "Randomness", "RateLimiting", "Settings", "Sodium",
                "StorageSupport", "Time", "Web",
            ],
            exclude: ["RecordedExchanges.jsonl"],
            swiftSettings: settings
        ),
        // The program as a process of its own, killed and started again.
        .testTarget(
            name: "CrashTests",
            dependencies: [
                "Support", "Humon", "Migrations", "Model", "SQLite", "SQLiteStorage", "Threads",
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "LayeringTests", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
