// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "RequestSpecs",
    platforms: [.macOS(.v13)],
    targets: [
        .testTarget(
            name: "RequestSpecs",
            path: "Specs",
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ]
)
