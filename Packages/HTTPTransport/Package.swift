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
    name: "HTTPTransport",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "HTTPTransport", targets: ["HTTPTransport"]),
        .library(name: "NIOTransport", targets: ["NIOTransport"]),
    ],
    dependencies: [
        .package(path: "../ContentSupport"),
        .package(path: "../ConnectTunnel"),
        .package(path: "../ContainerTesting"),
        .package(path: "../ResourceLoading"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    ],
    targets: [
        .target(
            name: "HTTPTransport",
            dependencies: [
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "BrotliStreams", package: "ContentSupport"),
                .product(name: "ZlibStreams", package: "ContentSupport"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: [
                "HTTPTransport",
                .product(name: "ZlibStreams", package: "ContentSupport"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "BaseTesting", package: "ResourceLoading"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .target(
            name: "NIOTransport",
            dependencies: [
                "HTTPTransport",
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "ConnectTunnel", package: "ConnectTunnel"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
            ], swiftSettings: settings),
        .testTarget(
            name: "NIOTransportTests",
            dependencies: [
                "HTTPTransport",
                "NIOTransport",
                .product(name: "ZlibStreams", package: "ContentSupport"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "BaseTesting", package: "ResourceLoading"),
                .product(name: "ContainerTesting", package: "ContainerTesting"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
