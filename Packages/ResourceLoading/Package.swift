// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// This manifest builds the package apart from the others. Users of ContainerKit build the manifest in the root.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

extension Target {
    /// Returns the target with its privacy manifest, which only Apple's systems use.
    func withPrivacyManifest() -> Target {
        #if os(macOS)
            resources = [.process("PrivacyInfo.xcprivacy")]
        #else
            exclude.append("PrivacyInfo.xcprivacy")
        #endif
        return self
    }
}

let package = Package(
    name: "ResourceLoading",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "ResourceLoading", targets: ["ResourceLoading"]),
        .library(name: "AsyncSupport", targets: ["AsyncSupport"]),
        .library(name: "StrictJSON", targets: ["StrictJSON"]),
        .library(name: "WebSyntax", targets: ["WebSyntax"]),
        .library(name: "SystemSupport", targets: ["SystemSupport"]),
        .library(name: "BaseTesting", targets: ["BaseTesting"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: [])
    ],
    targets: [
        .target(name: "AsyncSupport", swiftSettings: settings),
        .testTarget(name: "AsyncSupportTests", dependencies: ["AsyncSupport"], swiftSettings: settings),
        .target(name: "StrictJSON", swiftSettings: settings),
        .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON"], swiftSettings: settings),
        .target(name: "WebSyntax", swiftSettings: settings),
        .testTarget(name: "WebSyntaxTests", dependencies: ["WebSyntax"], swiftSettings: settings),
        .target(name: "CSystemSupport").withPrivacyManifest(),
        .target(name: "SystemSupport", dependencies: ["CSystemSupport"], swiftSettings: settings).withPrivacyManifest(),
        .testTarget(
            name: "SystemSupportTests", dependencies: ["SystemSupport", "BaseTesting"], swiftSettings: settings),
        .target(name: "BaseTesting", dependencies: ["AsyncSupport"], swiftSettings: settings),
        .testTarget(name: "BaseTestingTests", dependencies: ["BaseTesting"], swiftSettings: settings),
        .target(
            name: "ResourceLoading",
            dependencies: [
                "WebSyntax",
                "SystemSupport",
                "AsyncSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .testTarget(
            name: "ResourceLoadingTests",
            dependencies: [
                "WebSyntax",
                "AsyncSupport",
                "BaseTesting",
                "ResourceLoading", .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
