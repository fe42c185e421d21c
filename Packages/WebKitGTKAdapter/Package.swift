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
    name: "WebKitGTKAdapter",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "WebKitGTKAdapter", targets: ["WebKitGTKAdapter"])
    ],
    dependencies: [
        .package(path: "../ResourceLoading"),
        .package(path: "../WebEngine"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
    ],
    targets: [
        .systemLibrary(
            name: "CWebKitGTK", pkgConfig: "webkit2gtk-4.1", providers: [.apt(["libwebkit2gtk-4.1-dev"])]),
        .target(
            name: "WebKitGTKAdapter",
            dependencies: [
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "WebEngine", package: "WebEngine"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .target(name: "CWebKitGTK", condition: .when(platforms: [.linux])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .testTarget(
            name: "WebKitGTKAdapterTests",
            dependencies: [
                "WebKitGTKAdapter",
                .product(name: "BaseTesting", package: "ResourceLoading"),
                .product(name: "WebEngine", package: "WebEngine"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .target(name: "CWebKitGTK", condition: .when(platforms: [.linux])),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
