// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// Builds this package alone. The manifest in the root of the repository is the one that apps use.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "WebEngine",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "WebEngine", targets: ["WebEngine"]),
        .library(name: "WebEngineTesting", targets: ["WebEngineTesting"]),
    ],
    dependencies: [
        .package(path: "../ResourceLoading"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
    ],
    targets: [
        .target(
            name: "WebEngine",
            dependencies: [
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .target(
            name: "WebEngineTesting",
            dependencies: [
                "WebEngine",
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .testTarget(
            name: "WebEngineTestingTests",
            dependencies: [
                "WebEngine", "WebEngineTesting",
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
