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
    name: "OfflinePackage",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "PackageFormat", targets: ["PackageFormat"]),
        .library(name: "OfflinePackage", targets: ["OfflinePackage"]),
        .library(name: "ResourceTable", targets: ["ResourceTable"]),
    ],
    traits: [
        .default(enabledTraits: ["Packaging"]),
        .trait(name: "Packaging", description: "Tars: brings libarchive."),
    ],
    dependencies: [
        .package(path: "../ContentSupport"),
        .package(path: "../ContainerTesting"),
        .package(path: "../ResourceLoading"),
        .package(path: "../ResourceStore"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .target(
            name: "PackageFormat",
            dependencies: [
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "ZlibStreams", package: "ContentSupport"),
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "StrictJSON", package: "ResourceLoading"),
                .target(name: "CArchive", condition: .when(platforms: [.linux], traits: ["Packaging"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .testTarget(
            name: "PackageFormatTests",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "BaseTesting", package: "ResourceLoading"),
                .product(name: "ZlibStreams", package: "ContentSupport"),
                .product(name: "ContentDigest", package: "ContentSupport"), "PackageFormat",
            ], swiftSettings: settings),
        .target(
            name: "OfflinePackage",
            dependencies: [
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                "PackageFormat",
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "ResourceStore", package: "ResourceStore"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: settings),
        .testTarget(
            name: "OfflinePackageTests",
            dependencies: [
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "BaseTesting", package: "ResourceLoading"),
                "OfflinePackage",
                "PackageFormat",
                .product(name: "ContainerTesting", package: "ContainerTesting"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "ResourceStore", package: "ResourceStore"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .target(
            name: "ResourceTable",
            dependencies: [
                .product(name: "SystemSupport", package: "ResourceLoading"),
                .product(name: "WebSyntax", package: "ResourceLoading"),
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "StrictJSON", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .testTarget(
            name: "ResourceTableTests",
            dependencies: [
                .product(name: "ContentDigest", package: "ContentSupport"),
                .product(name: "AsyncSupport", package: "ResourceLoading"),
                "ResourceTable",
                .product(name: "ContainerTesting", package: "ContainerTesting"),
                .product(name: "ResourceLoading", package: "ResourceLoading"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
