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
    name: "TrustedUpdate",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "TrustedUpdate", targets: ["TrustedUpdate"])
    ],
    dependencies: [
        .package(path: "../ContentSupport"),
        .package(path: "../OfflinePackage", traits: []),
        .package(path: "../ResourceLoading"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    ],
    targets: [
        .target(
            name: "TrustedUpdate",
            dependencies: [
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "PackageFormat", package: "OfflinePackage"),
                .product(name: "StrictJSON", package: "ResourceLoading"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ], swiftSettings: settings),
        .target(
            name: "TrustedPublishing",
            dependencies: [
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "PackageFormat", package: "OfflinePackage"),
                .product(name: "StrictJSON", package: "ResourceLoading"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "Crypto", package: "swift-crypto"),
            ], swiftSettings: settings),
        .testTarget(
            name: "TrustedPublishingTests",
            dependencies: [
                .product(name: "BaseTesting", package: "ResourceLoading"),
                .product(name: "PackageFormat", package: "OfflinePackage"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                "TrustedPublishing",
            ], swiftSettings: settings),
        .testTarget(
            name: "TrustedUpdateTests",
            dependencies: [
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "BaseTesting", package: "ResourceLoading"),
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "PackageFormat", package: "OfflinePackage"),
                "TrustedUpdate",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
