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
    name: "SchemeRouter",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "SchemeRouter", targets: ["SchemeRouter"]),
        .library(name: "HTTPSemantics", targets: ["HTTPSemantics"]),
        .library(name: "SchemeMode", targets: ["SchemeMode"]),
    ],
    dependencies: [
        .package(path: "../ResourceLoading"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
    ],
    targets: [
        .target(
            name: "SchemeRouter",
            dependencies: [
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "StrictJSON", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .testTarget(
            name: "SchemeRouterTests",
            dependencies: [
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "BaseTesting", package: "ResourceLoading"),
                "SchemeRouter", .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .target(
            name: "HTTPSemantics",
            dependencies: [
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .testTarget(
            name: "HTTPSemanticsTests",
            dependencies: [
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                "HTTPSemantics", .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .target(
            name: "SchemeMode",
            dependencies: [
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .testTarget(
            name: "SchemeModeTests",
            dependencies: [
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                "SchemeMode", .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
