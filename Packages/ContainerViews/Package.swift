// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// This module alone, for building it apart from the others. The shipped manifest is the one in the root.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "ContainerViews",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "ContainerViews", targets: ["ContainerViews"])
    ],
    dependencies: [
        .package(path: "../ContainerKit"),
        .package(path: "../ResourceLoading"),
        .package(path: "../WebEngine"),
        .package(path: "../WKWebViewAdapter"),
    ],
    targets: [
        .target(
            name: "ContainerViews",
            dependencies: [
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "ContainerKit", package: "ContainerKit"),
                .product(name: "WKWebViewAdapter", package: "WKWebViewAdapter"),
            ], swiftSettings: settings),
        .testTarget(
            name: "ContainerViewsTests",
            dependencies: [
                "ContainerViews",
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "BaseTesting", package: "ResourceLoading"),
                .product(name: "ContainerKit", package: "ContainerKit"),
                .product(name: "WebEngineTesting", package: "WebEngine"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
