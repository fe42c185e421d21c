// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// The manifest of this package alone, for building it separately. The manifest in the root is the one that is
// released.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "LoopbackServer",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "LoopbackServer", targets: ["LoopbackServer"])
    ],
    dependencies: [
        .package(path: "../ContentSupport"),
        .package(path: "../ConnectTunnel"),
        .package(path: "../ContainerTesting"),
        .package(path: "../ResourceLoading"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    ],
    targets: [
        .target(name: "CPeerUser"),
        .target(
            name: "LoopbackServer",
            dependencies: [
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                "CPeerUser",
                .product(name: "ConnectTunnel", package: "ConnectTunnel"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOSOCKS", package: "swift-nio-extras"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Crypto", package: "swift-crypto"),
            ], swiftSettings: settings),
        .testTarget(
            name: "LoopbackServerTests",
            dependencies: [
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                "CPeerUser",
                "LoopbackServer",
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "ContainerTesting", package: "ContainerTesting"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
