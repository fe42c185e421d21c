// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

#if canImport(AppleProductTypes)
    import AppleProductTypes
#endif

// The example app. Xcode opens the folder as an app for iOS; on macOS `swift run Example` runs it too. On Linux only the
// model and its tests are built. No compiler of Apple has seen this manifest.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Example",
    platforms: [.iOS(.v17), .macOS(.v14)],
    dependencies: [
        // The checks 22, 23 and 34 need the trait Loopback too, and the checks 29 to 33 the trait HTTPSTakeover.
        .package(name: "ContainerKit", path: "../..", traits: ["Storage"])
    ],
    targets: [
        .target(
            name: "ExampleModel",
            dependencies: [
                .product(name: "ContainerKit", package: "ContainerKit"),
                .product(name: "ContainerViews", package: "ContainerKit"),
            ],
            // The packages of the folder Site: the baseline.
            resources: [.copy("Resources/Baseline")], swiftSettings: settings),
        .testTarget(
            name: "ExampleModelTests",
            dependencies: [
                "ExampleModel",
                .product(name: "BaseTesting", package: "ContainerKit"),
                .product(name: "ContainerKit", package: "ContainerKit"),
                .product(name: "ContainerViews", package: "ContainerKit"),
                .product(name: "ContentDigest", package: "ContainerKit"),
                .product(name: "WebEngine", package: "ContainerKit"),
                .product(name: "WebEngineTesting", package: "ContainerKit"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

#if !os(Linux)
    package.targets.append(
        .executableTarget(
            name: "Example",
            dependencies: [
                "ExampleModel",
                .product(name: "ContainerKit", package: "ContainerKit"),
                .product(name: "ContainerViews", package: "ContainerKit"),
                .product(name: "WKWebViewAdapter", package: "ContainerKit"),
            ], swiftSettings: settings))
#endif

#if canImport(AppleProductTypes)
    package.products.append(
        .iOSApplication(
            name: "Example", targets: ["Example"], bundleIdentifier: "org.containerkit.example",
            displayVersion: "1.0", bundleVersion: "1", supportedDeviceFamilies: [.pad, .phone],
            supportedInterfaceOrientations: [.portrait, .landscapeLeft, .landscapeRight],
            capabilities: [
                .camera(purposeString: "Check 25 asks for the camera."),
                .microphone(purposeString: "Check 25 asks for the microphone."),
                .motion(purposeString: "Check 25 asks for motion."),
            ]))
#endif
