// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// The manifest for building this package alone. The released package uses the manifest in the repository root.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "NameResolution",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "NameResolution", targets: ["NameResolution"])
    ],
    dependencies: [
        .package(path: "../ResourceLoading"),
        .package(path: "../ResourceStore"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    ],
    targets: [
        .target(
            name: "NameResolution",
            dependencies: [
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "ResourceStore", package: "ResourceStore"),
                .product(name: "StrictJSON", package: "ResourceLoading"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: settings),
        .testTarget(
            name: "NameResolutionTests",
            dependencies: [
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "BaseTesting", package: "ResourceLoading"),
                "NameResolution",
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "ResourceStore", package: "ResourceStore"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
