// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// A stand-in for Apple's WebKit and Network, for Linux only. It is a package of its own, because a module named WebKit in
// the root manifest would collide with the targets of apps, and would shadow the SDK's module on Apple's systems.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "AppleWebKitDouble",
    targets: [
        .target(name: "Network", swiftSettings: settings),
        .target(name: "WebKit", dependencies: ["Network"], swiftSettings: settings),
        .testTarget(name: "WebKitTests", dependencies: ["WebKit", "Network"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
