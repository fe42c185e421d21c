// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// A stand-in for Apple's WebKit and Network, for Linux only. It is a package of its own, because a module named WebKit in
// the root manifest would collide with the targets of apps, and would shadow the SDK's module on Apple's systems.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let modules: [Target.Dependency] = [
    .product(name: "AsyncSupport", package: "ResourceLoading"),
    .product(name: "ResourceLoading", package: "ResourceLoading"),
    .product(name: "SystemSupport", package: "ResourceLoading"),
    .product(name: "WebEngine", package: "WebEngine"),
    .product(name: "WebSyntax", package: "ResourceLoading"),
    .product(name: "HTTPTypes", package: "swift-http-types"),
]

let package = Package(
    name: "AppleWebKitDouble",
    dependencies: [
        .package(path: "../../Packages/ResourceLoading"),
        .package(path: "../../Packages/WebEngine"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
    ],
    targets: [
        .target(name: "Network", swiftSettings: settings),
        .target(name: "WebKit", dependencies: ["Network"], swiftSettings: settings),
        .testTarget(
            name: "WebKitTests",
            dependencies: ["WebKit", "Network", .product(name: "BaseTesting", package: "ResourceLoading")],
            swiftSettings: settings),
        // The folder is a symbolic link to the sources of the adapter.
        // Here the trait of its package is a plain condition.
        .target(
            name: "WKWebViewAdapter", dependencies: ["WebKit", "Network"] + modules,
            swiftSettings: settings + [.define("HTTPSTakeover")]),
        .testTarget(
            name: "WKWebViewAdapterTests",
            dependencies: [
                "WKWebViewAdapter", "WebKit", "Network", .product(name: "WebEngineTesting", package: "WebEngine"),
                .product(name: "BaseTesting", package: "ResourceLoading"),
            ] + modules, swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
