// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// This manifest builds the package apart from the others. Users of ContainerKit build the manifest in the root.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "ContentSupport",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "BrotliStreams", targets: ["BrotliStreams"]),
        .library(name: "ContentDigest", targets: ["ContentDigest"]),
        .library(name: "ZlibStreams", targets: ["ZlibStreams"]),
    ],
    targets: [
        .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
        .target(
            name: "ContentDigest",
            dependencies: [.target(name: "CNettle", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),
        .testTarget(name: "ContentDigestTests", dependencies: ["ContentDigest"], swiftSettings: settings),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .target(
            name: "ZlibStreams",
            dependencies: ["CZlib", .target(name: "CDeflate", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),
        .testTarget(name: "ZlibStreamsTests", dependencies: ["ZlibStreams"], swiftSettings: settings),
        .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
        .target(
            name: "BrotliStreams",
            dependencies: [.target(name: "CBrotli", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),
        .testTarget(name: "BrotliStreamsTests", dependencies: ["BrotliStreams"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
