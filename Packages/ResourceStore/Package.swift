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

let package = Package(
    name: "ResourceStore",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "ResourceStore", targets: ["ResourceStore"])
    ],
    dependencies: [
        .package(path: "../ContentSupport"),
        .package(path: "../ResourceLoading"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    ],
    targets: [
        .target(
            name: "ResourceStore",
            dependencies: [
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: settings),
        .testTarget(
            name: "ResourceStoreTests",
            dependencies: [
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "BaseTesting", package: "ResourceLoading"),
                "ResourceStore",
                .product(name: "GRDB", package: "GRDB.swift"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
