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
    name: "WebViewPool",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "WebViewPool", targets: ["WebViewPool"])
    ],
    dependencies: [
        .package(path: "../ResourceLoading"),
        .package(path: "../WebEngine"),
    ],
    targets: [
        .target(
            name: "WebViewPool", dependencies: [.product(name: "WebEngine", package: "WebEngine")],
            swiftSettings: settings),
        .testTarget(
            name: "WebViewPoolTests",
            dependencies: [
                .product(name: "BaseTesting", package: "ResourceLoading"),
                "WebViewPool", .product(name: "WebEngine", package: "WebEngine"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
