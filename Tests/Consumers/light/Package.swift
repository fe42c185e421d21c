// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// An app that uses light modules from a tag of this repository. Scripts/check-consumer creates the tag, sets the URL,
// and checks that no heavy dependency was fetched.

let package = Package(
    name: "light",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(url: Context.environment["CONTAINERKIT_URL"] ?? "file:///", exact: "999.0.0", traits: []),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "light",
            dependencies: [
                .product(name: "ContentDigest", package: "ContainerKit"),
                .product(name: "CookieJar", package: "ContainerKit"),
                .product(name: "HTTPTransport", package: "ContainerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "PublicSuffixList", package: "ContainerKit"),
                .product(name: "ResourceLoading", package: "ContainerKit"),
                .product(name: "SchemeRouter", package: "ContainerKit"),
                .product(name: "WebEngine", package: "ContainerKit"),
                .product(name: "WebViewPool", package: "ContainerKit"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
