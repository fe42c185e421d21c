// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// This manifest builds the package apart from the others. The shipped manifest is in the root folder.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "PackagePublisher",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "PackagePublisher", targets: ["PackagePublisher"])
    ],
    dependencies: [
        .package(path: "../ContentSupport"),
        .package(path: "../ResourceLoading"),
        .package(path: "../OfflinePackage"),
    ],
    targets: [
        .target(
            name: "PackagePublisher",
            dependencies: [
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "PackageFormat", package: "OfflinePackage"),
            ], swiftSettings: settings),
        .testTarget(
            name: "PackagePublisherTests",
            dependencies: [
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "BaseTesting", package: "ResourceLoading"),
                "PackagePublisher",
                .product(name: "PackageFormat", package: "OfflinePackage"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
