// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// One program for each parser of untrusted bytes. The programs build only with `--sanitize fuzzer`, which provides the
// main function; `Scripts/fuzz` passes the option. To keep builds small, only StoreFuzz and RemoteConfigFuzz depend on
// the store, and only ListenerFuzz and ResponseFuzz depend on SwiftNIO (docs/decisions/0053).

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// Creates the target of a program that fuzzes parsers of a light target of ContainerKit.
func fuzzer(_ name: String, over target: String = "PackageFormat", _ more: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["FuzzSupport", .product(name: target, package: "ContainerKit")] + more,
        swiftSettings: settings)
}

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(
            name: "ContainerKit", path: "..", traits: ["Packaging", "Storage", "Network", "Loopback", "Trust"]),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
    ],
    targets: [
        .target(
            name: "FuzzSupport", dependencies: [.product(name: "PackageFormat", package: "ContainerKit")],
            swiftSettings: settings),
        fuzzer("ZipFuzz"),
        fuzzer("TarFuzz"),
        fuzzer("ManifestFuzz", [.product(name: "ContentDigest", package: "ContainerKit")]),
        fuzzer("CatalogueFuzz"),
        fuzzer("TrustFuzz", over: "TrustedUpdate"),
        fuzzer("NameFuzz", over: "NameResolution"),
        fuzzer("SliceFuzz", [.product(name: "ContentDigest", package: "ContainerKit")]),
        fuzzer("DeliveryFuzz", over: "WebSyntax"),
        fuzzer("MessageHeadFuzz", over: "WebSyntax"),
        fuzzer("TableFuzz", over: "ResourceTable"),
        fuzzer(
            "StoreFuzz", over: "ResourceStore",
            [
                .product(name: "ContentDigest", package: "ContainerKit"),
                .product(name: "SystemSupport", package: "ContainerKit"),
            ]),
        fuzzer(
            "RulesFuzz", over: "SchemeRouter",
            [
                .product(name: "ResourceLoading", package: "ContainerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        fuzzer("RewritingFuzz", over: "SchemeRouter"),
        fuzzer(
            "BridgeFuzz", over: "BodyBridge",
            [
                .product(name: "ResourceLoading", package: "ContainerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        fuzzer(
            "LegacyFuzz", over: "BodyBridge",
            [
                .product(name: "ResourceLoading", package: "ContainerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        fuzzer(
            "RemoteConfigFuzz", over: "RemoteConfig",
            [
                .product(name: "ResourceLoading", package: "ContainerKit"),
                .product(name: "SchemeRouter", package: "ContainerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        fuzzer("SetCookieFuzz", over: "CookieJar", [.product(name: "WebSyntax", package: "ContainerKit")]),
        fuzzer("CookieDateFuzz", over: "WebSyntax"),
        fuzzer("CookieMessageFuzz", over: "CookieBridge", [.product(name: "CookieJar", package: "ContainerKit")]),
        fuzzer(
            "PrefetchFuzz", over: "Prefetch",
            [
                .product(name: "ResourceLoading", package: "ContainerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        fuzzer("URLFuzz"),
        fuzzer(
            "ListenerFuzz", over: "LoopbackServer",
            [
                .product(name: "ResourceLoading", package: "ContainerKit"),
                .product(name: "WebSyntax", package: "ContainerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        fuzzer(
            "ResponseFuzz", over: "NIOTransport",
            [
                .product(name: "HTTPTransport", package: "ContainerKit"),
                .product(name: "ResourceLoading", package: "ContainerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
