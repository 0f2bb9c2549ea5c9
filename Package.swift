// swift-tools-version: 6.2
import PackageDescription

#if os(Linux)
let isLinux = true
#else
let isLinux = false
#endif

/// The server's targets are compiled alike: Swift 6, memory-safe, and no warning passes.
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
/// bin/version sets the variables. Other characters than those of versions and URLs are left out.
func quoted(_ variable: String, default value: String) -> String {
    let text = Context.environment[variable] ?? value
    return
        "\"\(text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || ".+-~:/_".contains($0)) })\""
}

/// The client's targets are compiled in apps, too.
///
/// Their builds suppress warnings, and reject settings that make warnings errors. Our own checks set
/// HUMON_STRICT.
let clientSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (Context.environment["HUMON_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// What apps use; the same on all platforms.
let clientTargets: [Target] = [
    .target(
        name: "HumonClient",
        exclude: isLinux ? ["PrivacyInfo.xcprivacy"] : [],
        resources: isLinux ? [] : [.copy("PrivacyInfo.xcprivacy")],
        swiftSettings: clientSettings
    ),
    // On Apple's platforms, SQLite is a module of the system.
    .target(
        name: "HumonOutbox",
        dependencies: ["HumonClient"] + (isLinux ? ["CSQLite"] : []),
        swiftSettings: clientSettings
    ),
    .testTarget(
        name: "HumonClientTests",
        dependencies: ["HumonClient", "HumonOutbox"],
        exclude: ["HumonClient.api"],
        swiftSettings: clientSettings
    ),
]

let sqlite = Target.systemLibrary(
    name: "CSQLite",
    pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
)

/// The server and its tests, for Linux alone.
let serverTargets: [Target] = [
    // Leaves: values and C libraries.
    .systemLibrary(name: "CLinux"),
    .systemLibrary(
        name: "CSodium",
        pkgConfig: "libsodium",
        providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]
    ),
    .systemLibrary(
        name: "CUTF8Proc",
        pkgConfig: "libutf8proc",
        providers: [.apt(["libutf8proc-dev"]), .brew(["utf8proc"])]
    ),
    // The version, the commit and the repository of the build.
    .target(
        name: "CBuild",
        cSettings: [
            .define("HUMON_VERSION", to: quoted("HUMON_VERSION", default: "0.0.0-dev")),
            .define("HUMON_COMMIT", to: quoted("HUMON_COMMIT", default: "")),
            .define("HUMON_REPOSITORY", to: quoted("HUMON_REPOSITORY", default: "")),
        ]
    ),
    // Declares libpq, which is loaded when a PostgreSQL database is opened.
    .systemLibrary(name: "CPostgreSQL"),
    layer("Bytes"),
    layer("System", ["CLinux", "Bytes"]),
    layer("Time", ["System"]),
    layer("HTTP", ["Bytes", "System", "Time"]),
    layer("JSON", ["Bytes"]),
    layer("Logging", ["Bytes", "JSON", "System", "Time"]),
    layer("Sodium", ["CSodium", "Logging", "System"]),
    // Declare libcrypto and libcurl, which are loaded when they are needed.
    .systemLibrary(name: "CCrypto"),
    .systemLibrary(name: "CCurl"),
    layer("HTTPClient", ["CCurl", "HTTP"]),
    layer("Words", ["CUTF8Proc"]),
    layer("Rules", ["Time"]),
    layer("Events", ["Rules", "System", "Time", "Words"]),
    layer("Model", ["Events", "Rules", "Time"]),
    layer(
        "SignIn",
        [
            "CCrypto", "HTTP", "HTTPClient", "JSON", "Logging", "Model", "Rules", "Sodium",
            "System", "Time",
        ]
    ),
    layer(
        "Webhooks",
        [
            "Events", "HTTP", "HTTPClient", "Logging", "Model", "Rules", "Sodium", "System",
            "Time",
        ]
    ),
    layer(
        "SQLite",
        ["CLinux", "CSQLite", "Logging", "System"]
    ),
    layer(
        "PostgreSQL",
        ["CPostgreSQL", "Bytes", "Logging", "System", "Time"]
    ),

    // What stands on them.
    layer(
        "HTTPServer",
        ["CLinux", "Bytes", "HTTP", "System", "Time"]
    ),
    layer("SharedStorage", ["Events", "JSON", "Model", "Rules", "System", "Time", "Words"]),
    layer(
        "SQLiteStorage",
        [
            "Events", "Model", "SharedStorage", "Rules", "SQLite", "System", "Time",
            "Words",
        ]
    ),
    layer(
        "PostgreSQLStorage",
        [
            "Events", "Logging", "Model", "SharedStorage", "PostgreSQL", "Rules", "System", "Time",
            "Words",
        ]
    ),
    layer("Formats", ["Events", "JSON", "Model", "Rules", "System", "Time"]),
    layer(
        "Web",
        [
            "Bytes", "Events", "Formats", "HTTP", "JSON", "Logging", "Model", "Rules", "Sodium",
            "System", "Time",
        ],
        plugins: ["EmbedResources"]
    ),

    layer(
        "Settings",
        ["HTTP", "Logging", "Model", "Rules", "SignIn", "Sodium", "System", "Time"]
    ),
    layer(
        "Operations",
        [
            "CBuild", "CLinux", "Events", "Formats", "HTTP", "HTTPServer", "Logging", "Model",
            "Rules", "Settings", "SignIn", "Sodium", "System", "Time", "Webhooks",
        ]
    ),

    // The one place where all of them meet.
    .executableTarget(
        name: "Humon",
        dependencies: [
            "Events", "Formats", "HTTP", "HTTPClient", "HTTPServer", "JSON", "Logging", "Model",
            "Operations", "PostgreSQLStorage", "Rules", "Settings", "SignIn", "Sodium",
            "SQLiteStorage", "System", "Time", "Web", "Webhooks", "Words",
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

    tests(of: "Bytes"),
    tests(of: "System"),
    tests(of: "Time", ["Randomness", "System"]),
    tests(of: "Logging", ["System", "Time"]),
    tests(of: "HTTP", ["Time"]),
    tests(of: "JSON", ["Randomness"]),
    tests(of: "Words", ["CUTF8Proc", "Randomness"], exclude: ["words.py"]),
    tests(of: "Rules", ["Model"]),
    tests(of: "Events", ["Randomness", "Rules", "Time", "Words"]),
    tests(of: "Model", ["Rules"]),
    tests(of: "HTTPServer", ["CLinux", "HTTP", "System"]),
    tests(of: "Sodium"),
    tests(
        of: "SignIn",
        ["HTTP", "HTTPClient", "JSON", "Model", "Randomness", "Rules", "System", "Time"],
        exclude: ["issuer.py", "keys.json", "make.py", "model.py", "vectors.jsonl"]
    ),
    tests(
        of: "Webhooks",
        [
            "Events", "HTTP", "HTTPClient", "HTTPServer", "Model", "Randomness", "Rules",
            "SQLite", "SQLiteStorage", "StorageSupport", "System", "Time",
        ]
    ),
    tests(of: "SQLite", ["CSQLite", "Randomness", "System"]),
    tests(
        of: "PostgreSQL",
        ["HTTP", "HTTPServer", "PostgreSQLSupport", "System"]
    ),
    tests(
        of: "SQLiteStorage",
        [
            "Events", "Model", "Randomness", "Rules", "SQLite", "StorageSupport", "System",
            "Time",
        ]
    ),
    tests(
        of: "Conformance",
        [
            "Events", "Model", "PostgreSQL", "PostgreSQLStorage", "PostgreSQLSupport", "SQLite",
            "SQLiteStorage", "StorageSupport", "System", "Time",
        ]
    ),
    tests(
        of: "PostgreSQLStorage",
        [
            "Events", "Model", "PostgreSQL", "PostgreSQLSupport", "Rules", "SQLite",
            "SQLiteStorage", "StorageSupport", "System", "Time",
        ]
    ),
    tests(
        of: "Web",
        [
            "Bytes", "Events", "Formats", "HTTP", "JSON", "Logging", "Model", "Randomness",
            "Rules", "Sodium", "Support", "Time",
        ],
        exclude: ["Formats/Examples"]
    ),
    tests(of: "Formats", ["Events", "Model", "Support", "System", "Time"]),
    tests(
        of: "Settings",
        ["HTTP", "Logging", "Model", "Operations", "Support", "System", "Time"]
    ),
    tests(
        of: "Operations",
        ["HTTP", "Model", "Rules", "Settings", "SignIn", "System", "Time"]
    ),
    tests(
        of: "Humon",
        [
            "Formats", "HTTP", "HTTPServer", "Logging", "Model", "Operations", "PostgreSQL",
            "PostgreSQLStorage", "PostgreSQLSupport", "Rules", "Settings",
            "Sodium", "SQLite", "SQLiteStorage", "StorageSupport", "Support", "System", "Time",
            "Words",
        ]
    ),

    // A server of PostgreSQL that ends with the tests.
    .target(
        name: "PostgreSQLSupport",
        dependencies: ["PostgreSQL", "System"],
        path: "Tests/PostgreSQLSupport",
        swiftSettings: settings
    ),

    // Random numbers that are the same in every run.
    .target(name: "Randomness", path: "Tests/Randomness", swiftSettings: settings),

    // Makes the requests of clients under test fail.
    .executableTarget(
        name: "FaultProxy",
        dependencies: ["HTTP", "JSON", "Randomness", "System", "Time"],
        path: "Tests/FaultProxy",
        swiftSettings: settings
    ),

    // What every implementation of the stores must do.
    .target(
        name: "Conformance",
        dependencies: ["Events", "Model", "Randomness", "Rules", "System", "Time"],
        path: "Tests/Conformance",
        swiftSettings: settings
    ),

    // The stores on a database of their own.
    .target(
        name: "StorageSupport",
        dependencies: [
            "Events", "Model", "PostgreSQL", "PostgreSQLStorage", "PostgreSQLSupport", "SQLite",
            "SQLiteStorage", "System", "Time",
        ],
        path: "Tests/StorageSupport",
        swiftSettings: settings
    ),

    // The API as its clients see it: in process, and the very same over a socket.
    .target(
        name: "Support",
        dependencies: [
            "HTTP", "HTTPServer", "Humon", "JSON", "Logging", "Model", "Operations",
            "PostgreSQL", "PostgreSQLSupport", "Settings", "Sodium", "SQLite",
            "StorageSupport", "System", "Time", "Web",
        ],
        path: "Tests/Support",
        swiftSettings: settings
    ),
    .testTarget(
        name: "RequestSpecs",
        dependencies: [
            "HTTP", "Humon", "JSON", "Logging", "Model", "Operations", "PostgreSQLSupport",
            "Randomness", "Settings", "Sodium", "StorageSupport", "Support", "Time", "Web",
        ],
        exclude: ["RecordedExchanges.jsonl"],
        swiftSettings: settings
    ),
    // The program as a process of its own, killed and started again.
    .testTarget(
        name: "CrashTests",
        dependencies: ["SQLite", "SQLiteStorage", "Support", "System"],
        swiftSettings: settings
    ),
    // An outbox that is killed; see Tests/Outbox/run.
    .executableTarget(
        name: "OutboxHarness",
        dependencies: ["HumonClient", "HumonOutbox", "Randomness"],
        path: "Tests/OutboxHarness",
        swiftSettings: clientSettings
    ),
    // The client against the program.
    .testTarget(
        name: "HumonClientServerTests",
        dependencies: ["CSQLite", "FaultProxy", "Humon", "HumonClient", "HumonOutbox", "SQLite"],
        swiftSettings: clientSettings
    ),
    .testTarget(name: "LayeringTests", swiftSettings: settings),
]

/// Whether the server is left out, as on other platforms; our own checks set HUMON_CLIENT_ONLY.
let isClientOnly = !isLinux || Context.environment["HUMON_CLIENT_ONLY"] != nil

let package = Package(
    name: "humon",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "HumonClient", targets: ["HumonClient"]),
        .library(name: "HumonOutbox", targets: ["HumonOutbox"]),
    ]
        + (isClientOnly ? [] : [.executable(name: "humon", targets: ["Humon"])]),
    targets: clientTargets + (isLinux ? [sqlite] : []) + (isClientOnly ? [] : serverTargets),
    swiftLanguageModes: [.v6]
)
