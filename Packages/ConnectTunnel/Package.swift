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
    name: "ConnectTunnel",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "ConnectTunnel", targets: ["ConnectTunnel"])
    ],
    dependencies: [
        .package(path: "../ResourceLoading"),
        .package(path: "../ContainerTesting"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    ],
    targets: [
        .target(
            name: "ConnectTunnel",
            dependencies: [
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ConnectTunnelTests",
            dependencies: [
                "ConnectTunnel",
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "ContainerTesting", package: "ContainerTesting"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
