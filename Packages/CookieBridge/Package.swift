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
    name: "CookieBridge",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "CookieJar", targets: ["CookieJar"]),
        .library(name: "PublicSuffixList", targets: ["PublicSuffixList"]),
        .library(name: "CookieBridge", targets: ["CookieBridge"]),
    ],
    dependencies: [
        .package(path: "../ResourceLoading"),
        .package(path: "../WebEngine"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
    ],
    targets: [
        .target(
            name: "CookieJar",
            dependencies: [
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CookieJarTests",
            dependencies: [
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "BaseTesting", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"), "CookieJar",
            ],
            swiftSettings: settings),
        .target(
            name: "PublicSuffixList", dependencies: [.product(name: "WebSyntax", package: "ResourceLoading")],
            swiftSettings: settings),
        .testTarget(name: "PublicSuffixListTests", dependencies: ["PublicSuffixList"], swiftSettings: settings),
        .target(
            name: "CookieBridge",
            dependencies: [
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"), "CookieJar", "PublicSuffixList",
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "StrictJSON", package: "ResourceLoading"),
                .product(name: "WebEngine", package: "WebEngine"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CookieBridgeTests",
            dependencies: [
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "BaseTesting", package: "ResourceLoading"), "CookieBridge", "CookieJar",
                "PublicSuffixList",
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "WebEngine", package: "WebEngine"),
                .product(name: "WebEngineTesting", package: "WebEngine"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
