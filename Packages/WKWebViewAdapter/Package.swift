// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// Builds this package alone. The manifest in the root of the repository is the one that apps use. On Linux the sources
// compile to nothing; Tests/AppleWebKitDouble compiles and tests them with a double of WebKit.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "WKWebViewAdapter",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "WKWebViewAdapter", targets: ["WKWebViewAdapter"])
    ],
    traits: [
        .trait(
            name: "HTTPSTakeover", description: "The mode httpsTakeover, which App Review may reject. Not a default.")
    ],
    dependencies: [
        .package(path: "../ResourceLoading"),
        .package(path: "../WebEngine"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
    ],
    targets: [
        .target(
            name: "WKWebViewAdapter",
            dependencies: [
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "WebEngine", package: "WebEngine"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings)
    ],
    swiftLanguageModes: [.v6]
)
