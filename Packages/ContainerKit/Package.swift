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
    name: "ContainerKit",
    platforms: [.iOS(.v18), .macOS(.v15)],
    products: [
        .library(name: "ContainerKit", targets: ["ContainerKit"])
    ],
    dependencies: [
        .package(path: "../ContentSupport"),
        .package(path: "../BodyBridge"),
        .package(path: "../ConnectTunnel"),
        .package(path: "../ContainerTesting"),
        .package(path: "../CookieBridge"),
        .package(path: "../HTTPCache"),
        .package(path: "../HTTPTransport"),
        .package(path: "../LoopbackServer"),
        .package(path: "../OfflinePackage"),
        .package(path: "../PackagePublisher"),
        .package(path: "../Prefetch"),
        .package(path: "../ResourceLoading"),
        .package(path: "../ResourceStore"),
        .package(path: "../SchemeRouter"),
        .package(path: "../WebEngine"),
        .package(path: "../WebViewPool"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "ContainerKit",
            dependencies: [
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "BodyBridge", package: "BodyBridge"),
                .product(name: "ConnectTunnel", package: "ConnectTunnel"),
                .product(name: "CookieBridge", package: "CookieBridge"),
                .product(name: "CookieJar", package: "CookieBridge"),
                .product(name: "PublicSuffixList", package: "CookieBridge"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "StrictJSON", package: "ResourceLoading"),
                .product(name: "ResourceStore", package: "ResourceStore"),
                .product(name: "PackageFormat", package: "OfflinePackage"),
                .product(name: "OfflinePackage", package: "OfflinePackage"),
                .product(name: "ResourceTable", package: "OfflinePackage"),
                .product(name: "HTTPCache", package: "HTTPCache"),
                .product(name: "HTTPTransport", package: "HTTPTransport"),
                .product(name: "HTTPSemantics", package: "SchemeRouter"),
                .product(name: "LoopbackServer", package: "LoopbackServer"),
                .product(name: "Prefetch", package: "Prefetch"),
                .product(name: "SchemeRouter", package: "SchemeRouter"),
                .product(name: "SchemeMode", package: "SchemeRouter"),
                .product(name: "WebEngine", package: "WebEngine"),
                .product(name: "WebViewPool", package: "WebViewPool"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ], swiftSettings: settings),
        .testTarget(
            name: "ContainerKitTests",
            dependencies: [
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                "ContainerKit",
                .product(name: "BodyBridge", package: "BodyBridge"),
                .product(name: "ConnectTunnel", package: "ConnectTunnel"),
                .product(name: "ContainerTesting", package: "ContainerTesting"),
                .product(name: "CookieBridge", package: "CookieBridge"),
                .product(name: "CookieJar", package: "CookieBridge"),
                .product(name: "WebEngine", package: "WebEngine"),
                .product(name: "WebEngineTesting", package: "WebEngine"),
                .product(name: "HTTPCache", package: "HTTPCache"),
                .product(name: "HTTPTransport", package: "HTTPTransport"),
                .product(name: "LoopbackServer", package: "LoopbackServer"),
                .product(name: "OfflinePackage", package: "OfflinePackage"),
                .product(name: "PackageFormat", package: "OfflinePackage"),
                .product(name: "PackagePublisher", package: "PackagePublisher"),
                .product(name: "Prefetch", package: "Prefetch"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "ResourceStore", package: "ResourceStore"),
                .product(name: "ResourceTable", package: "OfflinePackage"),
                .product(name: "SchemeRouter", package: "SchemeRouter"),
                .product(name: "SchemeMode", package: "SchemeRouter"),
                .product(name: "WebViewPool", package: "WebViewPool"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ], exclude: ["Stored"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
