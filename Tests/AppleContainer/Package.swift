// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// Tests of a whole container over the adapter for WKWebView and the double of WebKit, for Linux only. It is a package of
// its own, so that the tests of the adapter alone build without the facade.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "AppleContainer",
    dependencies: [
        .package(name: "ContainerKit", path: "../..", traits: ["Storage", "Packaging"]),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
    ],
    targets: [
        // The folders are symbolic links to the sources of the double and of the adapter. The adapter has another name
        // than its module, because the names of all targets of a build differ.
        .target(name: "Network", swiftSettings: settings),
        .target(name: "WebKit", dependencies: ["Network"], swiftSettings: settings),
        .target(
            name: "AdapterOverDouble",
            dependencies: [
                "WebKit", "Network",
                .product(name: "ResourceLoading", package: "ContainerKit"),
                .product(name: "SystemSupport", package: "ContainerKit"),
                .product(name: "WebEngine", package: "ContainerKit"),
                .product(name: "WebSyntax", package: "ContainerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .testTarget(
            name: "AppleContainerTests",
            dependencies: [
                "AdapterOverDouble", "WebKit",
                .product(name: "ContainerKit", package: "ContainerKit"),
                .product(name: "CookieBridge", package: "ContainerKit"),
                .product(name: "PackageFormat", package: "ContainerKit"),
                .product(name: "PackagePublisher", package: "ContainerKit"),
                .product(name: "BaseTesting", package: "ContainerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
