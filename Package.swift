// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageDescription

// The shipped manifest: it declares every target by path, because a package that depends on its own
// subfolders cannot be used from a git URL. Each folder under Packages/ also has a manifest of its own,
// which is how a module is built alone and its borders are checked.

/// Settings of every target of this repository.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// Heavy products are fetched and built only for the traits that need them.
let storage: Set<String> = ["Storage"]
let packaging: Set<String> = ["Packaging"]
let network: Set<String> = ["Network"]
let loopback: Set<String> = ["Loopback"]
let testing: Set<String> = ["Testing"]
let trust: Set<String> = ["Trust"]
let tools: Set<String> = ["Tools"]

extension Target.Dependency {
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let log = product(
        name: "Logging", package: "swift-log", condition: .when(traits: network.union(storage).union(testing)))
    static let metrics = product(
        name: "Metrics", package: "swift-metrics", condition: .when(traits: network.union(storage)))
    static let metricsTestKit = product(
        name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: network.union(storage)))
    static let crypto = product(
        name: "Crypto", package: "swift-crypto", condition: .when(traits: testing.union(loopback).union(trust)))
    static let cryptoExtras = product(
        name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: trust))
    static let grdb = product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: storage))
    static let sqlite = product(name: "GRDBSQLite", package: "GRDB.swift", condition: .when(traits: storage))
    static func nio(_ name: String) -> Self {
        .product(name: name, package: "swift-nio", condition: .when(traits: network.union(testing).union(loopback)))
    }
    static let asyncHTTPClient = product(
        name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: network))
    static let nioSSL = product(
        name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: network.union(testing).union(loopback)))
    static let nioSOCKS = product(name: "NIOSOCKS", package: "swift-nio-extras", condition: .when(traits: loopback))
    static let nioHTTP2 = product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: network))
    static let nioHPACK = product(
        name: "NIOHPACK", package: "swift-nio-http2", condition: .when(traits: network.union(testing)))
    static let nioHTTPTypes = product(
        name: "NIOHTTPTypes", package: "swift-nio-extras", condition: .when(traits: testing))
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: testing))
    static let hummingbirdCore = product(
        name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: testing))
    static let hummingbirdTLS = product(
        name: "HummingbirdTLS", package: "hummingbird", condition: .when(traits: testing))
    static let hummingbirdHTTP2 = product(
        name: "HummingbirdHTTP2", package: "hummingbird", condition: .when(traits: testing))
    static let certificates = product(
        name: "X509", package: "swift-certificates", condition: .when(traits: testing.union(loopback).union(network)))
    static let asn1 = product(
        name: "SwiftASN1", package: "swift-asn1", condition: .when(traits: testing.union(loopback).union(network)))
    static let argumentParser = product(
        name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: tools))
    static let configuration = product(
        name: "Configuration", package: "swift-configuration", condition: .when(traits: tools))
    static let subprocess = product(
        name: "Subprocess", package: "swift-subprocess", condition: .when(traits: testing))
    static let systemPackage = product(
        name: "SystemPackage", package: "swift-system", condition: .when(traits: testing.union(tools)))
}

/// A target that lives in `Packages/<module>/Sources/<name>`.
func target(_ name: String, in module: String? = nil, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Packages/\(module ?? name)/Sources/\(name)",
        swiftSettings: settings)
}

extension Target {
    /// Returns the target with its privacy manifest, which only Apple's systems use. `Scripts/lint-modules` finds the
    /// targets that need one.
    func withPrivacyManifest() -> Target {
        #if os(macOS)
            resources = [.process("PrivacyInfo.xcprivacy")]
        #else
            exclude.append("PrivacyInfo.xcprivacy")
        #endif
        return self
    }
}

/// The tests of a target, in `Packages/<module>/Tests/<name>Tests`.
func tests(
    of name: String, in module: String? = nil, without excluded: [String] = [], _ dependencies: [Target.Dependency] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name)] + dependencies,
        path: "Packages/\(module ?? name)/Tests/\(name)Tests", exclude: excluded, swiftSettings: settings)
}

/// A program in `Apps/<folder>`.
func program(_ name: String, folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Apps/\(folder)/Sources", swiftSettings: settings)
}

let package = Package(
    name: "ContainerKit",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "ResourceLoading", targets: ["ResourceLoading"]),
        .library(name: "ContentDigest", targets: ["ContentDigest"]),
        .library(name: "StrictJSON", targets: ["StrictJSON"]),
        .library(name: "SystemSupport", targets: ["SystemSupport"]),
        .library(name: "WebSyntax", targets: ["WebSyntax"]),
        .library(name: "ResourceStore", targets: ["ResourceStore"]),
        .library(name: "OfflinePackage", targets: ["OfflinePackage", "PackageFormat"]),
        .library(name: "PackageFormat", targets: ["PackageFormat"]),
        .library(name: "ResourceTable", targets: ["ResourceTable"]),
        .library(name: "TrustedUpdate", targets: ["TrustedUpdate"]),
        .library(name: "NameResolution", targets: ["NameResolution"]),
        .library(name: "PackagePublisher", targets: ["PackagePublisher"]),
        .library(name: "HTTPCache", targets: ["HTTPCache"]),
        .library(name: "HTTPTransport", targets: ["HTTPTransport"]),
        .library(name: "NIOTransport", targets: ["NIOTransport"]),
        .library(name: "ConnectTunnel", targets: ["ConnectTunnel"]),
        .library(name: "LoopbackServer", targets: ["LoopbackServer"]),
        .library(name: "BodyBridge", targets: ["BodyBridge"]),
        .library(name: "SchemeRouter", targets: ["SchemeRouter", "HTTPSemantics", "SchemeMode"]),
        .library(name: "CookieJar", targets: ["CookieJar"]),
        .library(name: "PublicSuffixList", targets: ["PublicSuffixList"]),
        .library(name: "CookieBridge", targets: ["CookieBridge"]),
        .library(name: "Prefetch", targets: ["Prefetch"]),
        .library(name: "WebEngine", targets: ["WebEngine"]),
        .library(name: "WebViewPool", targets: ["WebViewPool"]),
        .library(name: "RequestPipeline", targets: ["RequestPipeline"]),
        .library(name: "PageRecovery", targets: ["PageRecovery"]),
        .library(name: "HostLife", targets: ["HostLife"]),
        .library(name: "PageDownloads", targets: ["PageDownloads"]),
        .library(name: "PagePrompts", targets: ["PagePrompts"]),
        .library(name: "PageInterface", targets: ["PageInterface"]),
        .library(name: "LoopbackInterception", targets: ["LoopbackInterception"]),
        .library(name: "DocumentInterception", targets: ["DocumentInterception"]),
        .library(name: "RemoteConfig", targets: ["RemoteConfig"]),
        .library(name: "PagePrefetch", targets: ["PagePrefetch"]),
        .library(name: "Diagnostics", targets: ["Diagnostics"]),
        .library(name: "PackageUpdates", targets: ["PackageUpdates"]),
        .library(name: "ContainerKit", targets: ["ContainerKit"]),
        .library(name: "WebKitGTKAdapter", targets: ["WebKitGTKAdapter"]),
        .library(name: "WKWebViewAdapter", targets: ["WKWebViewAdapter"]),
        .library(name: "ContainerViews", targets: ["ContainerViews"]),
        .library(name: "ContainerTesting", targets: ["ContainerTesting"]),
        .library(name: "BaseTesting", targets: ["BaseTesting"]),
        .library(name: "WebEngineTesting", targets: ["WebEngineTesting"]),
        .plugin(name: "PackSite", targets: ["PackSite"]),
        .executable(name: "h5", targets: ["h5"]),
        .executable(name: "container-browser", targets: ["container-browser"]),
    ],
    traits: [
        .default(enabledTraits: ["Storage", "Packaging", "Network", "Loopback", "Trust", "Testing", "Tools"]),
        .trait(name: "Storage", description: "ResourceStore, OfflinePackage: brings GRDB."),
        .trait(
            name: "Packaging", description: "Tars in PackageFormat: brings libarchive, on Linux."),
        .trait(name: "Network", description: "NIOTransport: brings AsyncHTTPClient and SwiftNIO."),
        .trait(name: "Loopback", description: "LoopbackServer: brings SwiftNIO and swift-certificates."),
        .trait(name: "Trust", description: "TrustedUpdate: brings swift-crypto."),
        .trait(name: "Testing", description: "ContainerTesting: brings hummingbird, swift-certificates and SwiftNIO."),
        .trait(
            name: "Tools", description: "The programs h5 and container-browser: brings ArgumentParser.",
            enabledTraits: ["Packaging", "Trust"]),
        .trait(
            name: "HTTPSTakeover",
            description: "The mode httpsTakeover of WKWebViewAdapter, which App Review may reject. Not a default."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.2", traits: []),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
    ],
    targets: [
        // Base modules: they know no one, and every other module may know them.
        target("AsyncSupport", in: "ResourceLoading"),
        tests(of: "AsyncSupport", in: "ResourceLoading"),
        target("StrictJSON", in: "ResourceLoading"),
        tests(of: "StrictJSON", in: "ResourceLoading"),
        target("WebSyntax", in: "ResourceLoading"),
        tests(of: "WebSyntax", in: "ResourceLoading"),
        .target(name: "CSystemSupport", path: "Packages/ResourceLoading/Sources/CSystemSupport").withPrivacyManifest(),
        target("SystemSupport", in: "ResourceLoading", ["CSystemSupport"]).withPrivacyManifest(),
        tests(of: "SystemSupport", in: "ResourceLoading", ["BaseTesting"]),
        // For tests of all modules.
        target("BaseTesting", in: "ResourceLoading", ["AsyncSupport"]),
        tests(of: "BaseTesting", in: "ResourceLoading"),
        .systemLibrary(
            name: "CNettle", path: "Packages/ContentSupport/Sources/CNettle", pkgConfig: "nettle",
            providers: [.apt(["nettle-dev"])]),
        target(
            "ContentDigest", in: "ContentSupport",
            [.target(name: "CNettle", condition: .when(platforms: [.linux]))]),
        tests(of: "ContentDigest", in: "ContentSupport"),
        .systemLibrary(
            name: "CZlib", path: "Packages/ContentSupport/Sources/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CDeflate", path: "Packages/ContentSupport/Sources/CDeflate", pkgConfig: "libdeflate",
            providers: [.apt(["libdeflate-dev"])]),
        target(
            "ZlibStreams", in: "ContentSupport",
            ["CZlib", .target(name: "CDeflate", condition: .when(platforms: [.linux]))]),
        tests(of: "ZlibStreams", in: "ContentSupport"),
        .systemLibrary(
            name: "CBrotli", path: "Packages/ContentSupport/Sources/CBrotli", pkgConfig: "libbrotlidec",
            providers: [.apt(["libbrotli-dev"])]),
        target(
            "BrotliStreams", in: "ContentSupport",
            [.target(name: "CBrotli", condition: .when(platforms: [.linux]))]),
        tests(of: "BrotliStreams", in: "ContentSupport"),

        // Ground modules: they know the base only.
        target("ResourceLoading", ["SystemSupport", "WebSyntax", "AsyncSupport", .httpTypes]),
        tests(of: "ResourceLoading", ["WebSyntax", "AsyncSupport", "BaseTesting", .httpTypes]),
        target(
            "ResourceStore", ["ContentDigest", "SystemSupport", "WebSyntax", "AsyncSupport", .grdb, .sqlite, .log]),
        tests(of: "ResourceStore", ["ContentDigest", "SystemSupport", "AsyncSupport", "BaseTesting", .grdb]),
        .systemLibrary(
            name: "CArchive", path: "Packages/OfflinePackage/Sources/CArchive", pkgConfig: "libarchive",
            providers: [.apt(["libarchive-dev"])]),
        target(
            "PackageFormat", in: "OfflinePackage",
            [
                "ZlibStreams", "ContentDigest", "SystemSupport", "WebSyntax", "StrictJSON",
                .target(name: "CArchive", condition: .when(platforms: [.linux], traits: packaging)), .httpTypes,
            ]),
        tests(of: "PackageFormat", in: "OfflinePackage", ["ZlibStreams", "ContentDigest", "BaseTesting", .httpTypes]),
        target(
            "ConnectTunnel", ["WebSyntax", "AsyncSupport", .nio("NIOCore"), .nio("NIOPosix"), .certificates, .asn1]),
        tests(
            of: "ConnectTunnel",
            [
                "WebSyntax", "AsyncSupport", "ContainerTesting", .nio("NIOCore"), .nio("NIOPosix"),
                .nio("NIOEmbedded"),
            ]),

        // Middle modules: they know the ground and never each other, except NIOTransport, which knows HTTPTransport.
        target(
            "OfflinePackage",
            [
                "ContentDigest", "SystemSupport", "WebSyntax", "AsyncSupport", "PackageFormat", "ResourceLoading",
                "ResourceStore",
                .httpTypes, .log,
            ]),
        tests(
            of: "OfflinePackage",
            [
                "ContentDigest", "AsyncSupport", "ContainerTesting", "PackageFormat", "ResourceLoading",
                "ResourceStore", "BaseTesting", .httpTypes,
            ]),
        target(
            "ResourceTable", in: "OfflinePackage",
            [
                "ContentDigest", "SystemSupport", "WebSyntax", "AsyncSupport", "ResourceLoading", "StrictJSON",
                .httpTypes,
            ]),
        tests(
            of: "ResourceTable", in: "OfflinePackage",
            ["ContentDigest", "AsyncSupport", "ContainerTesting", "ResourceLoading", .httpTypes]),
        target(
            "TrustedUpdate",
            ["ContentDigest", "PackageFormat", "StrictJSON", "SystemSupport", "WebSyntax", .crypto, .cryptoExtras]),
        tests(
            of: "TrustedUpdate",
            ["AsyncSupport", "BaseTesting", "ContentDigest", "PackageFormat", .crypto, .cryptoExtras]),
        target(
            "TrustedPublishing", in: "TrustedUpdate",
            ["ContentDigest", "PackageFormat", "StrictJSON", "SystemSupport", "WebSyntax", .crypto]),
        tests(of: "TrustedPublishing", in: "TrustedUpdate", ["BaseTesting", "PackageFormat", "WebSyntax"]),
        target(
            "NameResolution",
            [
                "AsyncSupport", "ResourceLoading", "ResourceStore", "StrictJSON", "SystemSupport", "WebSyntax",
                .httpTypes, .log,
            ]),
        tests(
            of: "NameResolution",
            ["AsyncSupport", "BaseTesting", "ResourceLoading", "ResourceStore", "WebSyntax", .httpTypes, .log]),
        target("PackagePublisher", ["ContentDigest", "SystemSupport", "PackageFormat"]),
        tests(of: "PackagePublisher", ["ContentDigest", "PackageFormat", "BaseTesting"]),
        target(
            "HTTPCache",
            ["ContentDigest", "WebSyntax", "AsyncSupport", "ResourceLoading", "ResourceStore", .httpTypes, .log]),
        tests(
            of: "HTTPCache",
            ["WebSyntax", "AsyncSupport", "ResourceLoading", "ResourceStore", "BaseTesting", .httpTypes, .log]),
        target(
            "HTTPTransport",
            [
                "BrotliStreams", "ZlibStreams", "SystemSupport", "WebSyntax", "AsyncSupport", "ResourceLoading",
                .httpTypes,
            ]),
        tests(
            of: "HTTPTransport",
            ["ZlibStreams", "WebSyntax", "AsyncSupport", "ResourceLoading", "BaseTesting", .httpTypes]),
        target(
            "NIOTransport", in: "HTTPTransport",
            [
                "HTTPTransport", "SystemSupport", "WebSyntax", "AsyncSupport", "ConnectTunnel", "ResourceLoading",
                .httpTypes,
                .asyncHTTPClient,
                .nio("NIOCore"),
                .nio("NIOPosix"),
                .nio("NIOHTTP1"), .nio("NIOFoundationCompat"), .nioSSL, .nioHTTP2, .nioHPACK,
            ]),
        tests(
            of: "NIOTransport", in: "HTTPTransport",
            [
                "ZlibStreams", "WebSyntax", "AsyncSupport", "ContainerTesting", "HTTPTransport", "ResourceLoading",
                "BaseTesting", .httpTypes,
                .nio("NIOCore"),
                .nio("NIOPosix"),
                .nio("NIOEmbedded"), .nio("NIOHTTP1"), .nioHTTP2, .nioSSL, .asyncHTTPClient,
            ]),
        .target(name: "CPeerUser", path: "Packages/LoopbackServer/Sources/CPeerUser"),
        target(
            "LoopbackServer",
            [
                "ContentDigest", "SystemSupport", "WebSyntax", "AsyncSupport", "ConnectTunnel", "CPeerUser",
                "ResourceLoading",
                .httpTypes,
                .nio("NIOCore"),
                .nio("NIOPosix"),
                .nio("NIOHTTP1"), .nio("NIOFoundationCompat"), .nio("NIOTLS"), .nioSSL, .nioSOCKS,
                .certificates, .asn1, .crypto,
            ]),
        tests(
            of: "LoopbackServer",
            [
                "WebSyntax", "AsyncSupport", "CPeerUser", "ContainerTesting", "ResourceLoading", .httpTypes,
                .nio("NIOCore"),
                .nio("NIOPosix"),
                .nio("NIOHTTP1"), .nio("NIOEmbedded"), .nioSSL,
            ]),
        // What adapters implement.
        target("WebEngine", ["SystemSupport", "WebSyntax", "AsyncSupport", "ResourceLoading", .httpTypes]),
        target(
            "WebEngineTesting", in: "WebEngine",
            ["WebSyntax", "AsyncSupport", "ResourceLoading", "WebEngine", .httpTypes]),
        tests(of: "WebEngineTesting", in: "WebEngine", ["ResourceLoading", "SystemSupport", "WebEngine", .httpTypes]),
        target(
            "SchemeRouter", ["SystemSupport", "WebSyntax", "AsyncSupport", "ResourceLoading", "StrictJSON", .httpTypes]),
        tests(of: "SchemeRouter", ["AsyncSupport", "ResourceLoading", "BaseTesting", .httpTypes]),
        target("HTTPSemantics", in: "SchemeRouter", ["SystemSupport", "WebSyntax", "ResourceLoading", .httpTypes]),
        tests(of: "HTTPSemantics", in: "SchemeRouter", ["AsyncSupport", "ResourceLoading", .httpTypes]),
        target("SchemeMode", in: "SchemeRouter", ["WebSyntax", "AsyncSupport", "ResourceLoading", .httpTypes]),
        tests(of: "SchemeMode", in: "SchemeRouter", ["WebSyntax", "AsyncSupport", "ResourceLoading", .httpTypes]),
        target(
            "BodyBridge", ["SystemSupport", "WebSyntax", "AsyncSupport", "ResourceLoading", "StrictJSON", .httpTypes]),
        tests(of: "BodyBridge", ["AsyncSupport", "ResourceLoading", .httpTypes]),
        target("CookieJar", in: "CookieBridge", ["SystemSupport", "WebSyntax", "AsyncSupport"]),
        tests(of: "CookieJar", in: "CookieBridge", ["SystemSupport", "WebSyntax", "AsyncSupport", "BaseTesting"]),
        target("PublicSuffixList", in: "CookieBridge", ["WebSyntax"]),
        tests(of: "PublicSuffixList", in: "CookieBridge"),
        target(
            "CookieBridge",
            [
                "SystemSupport", "WebSyntax", "AsyncSupport", "CookieJar", "PublicSuffixList", "ResourceLoading",
                "StrictJSON", "WebEngine", .httpTypes,
            ]),
        tests(
            of: "CookieBridge",
            [
                "AsyncSupport", "CookieJar", "PublicSuffixList", "ResourceLoading", "BaseTesting", "WebEngine",
                "WebEngineTesting", .httpTypes,
            ]),
        target(
            "Prefetch", ["SystemSupport", "WebSyntax", "AsyncSupport", "ResourceLoading", "StrictJSON", .httpTypes]),
        tests(of: "Prefetch", ["AsyncSupport", "ResourceLoading", "BaseTesting", .httpTypes]),
        target("WebViewPool", ["WebEngine"]),
        tests(of: "WebViewPool", ["BaseTesting", "WebEngine"]),

        // The facade, its features, and what drives it.
        target("HostLife", in: "ContainerKit", ["AsyncSupport", "ResourceLoading", "WebEngine"]),
        tests(
            of: "HostLife", in: "ContainerKit",
            ["AsyncSupport", "BaseTesting", "ResourceLoading", "WebEngine", "WebEngineTesting"]),
        target(
            "PageDownloads", in: "ContainerKit",
            [
                "AsyncSupport", "SystemSupport", "WebSyntax", "ResourceLoading", "ResourceStore", "OfflinePackage",
                "SchemeMode", "WebEngine", .httpTypes,
            ]),
        tests(
            of: "PageDownloads", in: "ContainerKit",
            [
                "AsyncSupport", "BaseTesting", "OfflinePackage", "ResourceLoading", "SchemeMode", "WebEngine",
                "WebEngineTesting", .httpTypes,
            ]),
        target(
            "PagePrompts", in: "ContainerKit",
            ["WebSyntax", "ResourceLoading", "SchemeMode", "SchemeRouter", "WebEngine", "WebViewPool"]),
        tests(
            of: "PagePrompts", in: "ContainerKit",
            [
                "BaseTesting", "ResourceLoading", "SchemeMode", "SchemeRouter", "WebEngine", "WebEngineTesting",
                "WebViewPool",
            ]),
        target(
            "PageInterface", in: "ContainerKit",
            [
                "AsyncSupport", "OfflinePackage", "PackageFormat", "ResourceLoading", "SystemSupport", "WebEngine",
                "WebSyntax",
            ]),
        tests(
            of: "PageInterface", in: "ContainerKit",
            [
                "AsyncSupport", "BaseTesting", "OfflinePackage", "PackageFormat", "ResourceLoading", "WebEngine",
                "WebEngineTesting",
            ]),
        target(
            "RemoteConfig", in: "ContainerKit",
            [
                "ContentDigest", "SystemSupport", "WebSyntax", "AsyncSupport", "ResourceLoading", "ResourceStore",
                "SchemeRouter", "StrictJSON", "WebEngine", .httpTypes, .log,
            ]),
        tests(
            of: "RemoteConfig", in: "ContainerKit",
            ["BaseTesting", "ResourceLoading", "ResourceStore", "SchemeRouter", "WebEngineTesting", .log]),
        target(
            "PagePrefetch", in: "ContainerKit",
            [
                "AsyncSupport", "CookieBridge", "HTTPTransport", "Prefetch", "PublicSuffixList", "ResourceLoading",
                "ResourceStore", "SchemeMode", "WebEngine", .httpTypes, .log,
            ]),
        tests(
            of: "PagePrefetch", in: "ContainerKit",
            [
                "AsyncSupport", "BaseTesting", "Prefetch", "ResourceLoading", "ResourceStore", "SchemeMode",
                "WebEngine", "WebEngineTesting", .httpTypes, .log,
            ]),
        target(
            "RequestPipeline", in: "ContainerKit",
            [
                "AsyncSupport", "BodyBridge", "ContentDigest", "CookieBridge", "CookieJar", "HTTPCache",
                "HTTPSemantics", "HTTPTransport", "Prefetch", "PublicSuffixList", "ResourceLoading", "ResourceStore",
                "SchemeMode", "SchemeRouter", "WebEngine", "WebSyntax", .httpTypes, .log,
            ]),
        tests(
            of: "RequestPipeline", in: "ContainerKit",
            [
                "AsyncSupport", "BaseTesting", "HTTPCache", "HTTPSemantics", "HTTPTransport", "ResourceLoading",
                "SchemeMode", "SchemeRouter", "WebEngine", "WebEngineTesting", .httpTypes,
            ]),
        target(
            "PageRecovery", in: "ContainerKit",
            ["AsyncSupport", "HTTPSemantics", "ResourceLoading", "WebEngine", .httpTypes]),
        tests(
            of: "PageRecovery", in: "ContainerKit",
            ["BaseTesting", "ResourceLoading", "WebEngine", "WebEngineTesting", .httpTypes]),
        target(
            "Diagnostics", in: "ContainerKit",
            ["AsyncSupport", "ResourceLoading", "WebEngine", .httpTypes, .log, .metrics]),
        tests(
            of: "Diagnostics", in: "ContainerKit",
            ["ResourceLoading", "WebEngine", "WebEngineTesting", .httpTypes, .log, .metrics, .metricsTestKit]),
        target(
            "PackageUpdates", in: "ContainerKit",
            [
                "AsyncSupport", "ContentDigest", "OfflinePackage", "PackageFormat", "ResourceLoading", "ResourceStore",
                "ResourceTable", "WebEngine", .httpTypes, .log,
            ]),
        tests(
            of: "PackageUpdates", in: "ContainerKit",
            [
                "AsyncSupport", "BaseTesting", "ContentDigest", "OfflinePackage", "PackageFormat", "PackagePublisher",
                "ResourceLoading", "ResourceStore", "ResourceTable", "SystemSupport", "WebEngine", "WebEngineTesting",
                .httpTypes, .log,
            ]),
        target(
            "LoopbackInterception", in: "ContainerKit",
            [
                "AsyncSupport", "HTTPSemantics", "LoopbackServer", "ResourceLoading", "ResourceStore", "SchemeMode",
                "SystemSupport", "WebEngine", "WebSyntax", .httpTypes, .log,
            ]),
        tests(
            of: "LoopbackInterception", in: "ContainerKit",
            [
                "AsyncSupport", "BaseTesting", "LoopbackServer", "ResourceLoading", "WebEngine", "WebEngineTesting",
                "WebSyntax", .httpTypes, .log,
            ]),
        target(
            "DocumentInterception", in: "ContainerKit",
            [
                "AsyncSupport", "PackageFormat", "ResourceLoading", "SchemeMode", "WebEngine", "WebSyntax", .httpTypes,
                .log,
            ]),
        tests(
            of: "DocumentInterception", in: "ContainerKit",
            [
                "AsyncSupport", "BaseTesting", "ResourceLoading", "SchemeMode", "WebEngine", "WebEngineTesting",
                .httpTypes, .log,
            ]),
        target(
            "ContainerKit",
            [
                "Diagnostics", "DocumentInterception", "HostLife", "PackageUpdates", "PageDownloads", "PageInterface",
                "PagePrefetch", "PagePrompts", "PageRecovery", "RemoteConfig", "RequestPipeline",
                "SystemSupport", "WebSyntax", "AsyncSupport", "BodyBridge", "CookieBridge", "CookieJar",
                "PublicSuffixList",
                "ResourceLoading",
                "ResourceStore", "PackageFormat", "OfflinePackage", "ResourceTable", "HTTPCache", "HTTPTransport",
                "HTTPSemantics", "NameResolution", "Prefetch", "SchemeRouter", "SchemeMode", "StrictJSON",
                "WebEngine", "WebViewPool", .httpTypes, .log, .metrics,
                .target(name: "LoopbackInterception", condition: .when(traits: loopback)),
                .target(name: "LoopbackServer", condition: .when(traits: loopback)),
                .target(name: "NIOTransport", condition: .when(traits: network)),
            ]),
        tests(
            of: "ContainerKit", without: ["Stored"],
            [
                "Diagnostics", "HostLife", "LoopbackInterception", "PackageUpdates", "PageDownloads", "PageInterface",
                "PagePrefetch", "PagePrompts",
                "RemoteConfig", "RequestPipeline", "ContentDigest", "AsyncSupport", "BodyBridge", "ContainerTesting",
                "CookieBridge",
                "CookieJar",
                "HTTPCache", "HTTPTransport", "LoopbackServer", "NIOTransport", "NameResolution", "OfflinePackage",
                "PackageFormat", "PackagePublisher", "PageRecovery", "Prefetch", "ResourceLoading", "ResourceStore",
                "ResourceTable",
                "SchemeMode",
                "SchemeRouter", "BaseTesting", "WebEngine", "WebEngineTesting", "WebSyntax", "WebViewPool", .httpTypes,
                .log,
                .metrics, .metricsTestKit,
            ]),
        .systemLibrary(
            name: "CWebKitGTK", path: "Packages/WebKitGTKAdapter/Sources/CWebKitGTK", pkgConfig: "webkit2gtk-4.1",
            providers: [.apt(["libwebkit2gtk-4.1-dev"])]),
        target(
            "WebKitGTKAdapter",
            [
                "SystemSupport", "AsyncSupport", "WebSyntax", "ResourceLoading", "WebEngine",
                .target(name: "CWebKitGTK", condition: .when(platforms: [.linux])), .httpTypes,
            ]),
        tests(
            of: "WebKitGTKAdapter",
            [
                "BaseTesting", "ResourceLoading", "WebEngine", "WebSyntax",
                .target(name: "CWebKitGTK", condition: .when(platforms: [.linux])),
            ]),
        // It compiles to nothing on Linux. Tests/AppleWebKitDouble compiles and tests it with a double of WebKit.
        target(
            "WKWebViewAdapter",
            ["SystemSupport", "AsyncSupport", "WebSyntax", "ResourceLoading", "WebEngine", .httpTypes]),
        target("ContainerViews", ["AsyncSupport", "ContainerKit", "WKWebViewAdapter"]),
        tests(of: "ContainerViews", ["AsyncSupport", "BaseTesting", "ContainerKit", "WebEngineTesting"]),
        target(
            "ContainerTesting",
            [
                "SystemSupport", "WebSyntax", "AsyncSupport", "BaseTesting", .nio("NIOCore"), .nio("NIOPosix"),
                .nio("NIOHTTP1"), .hummingbird,
                .hummingbirdCore,
                .hummingbirdHTTP2, .hummingbirdTLS, .certificates, .asn1, .nioSSL, .nioHPACK, .crypto, .httpTypes, .log,
            ]),
        tests(
            of: "ContainerTesting",
            [
                "AsyncSupport", .asyncHTTPClient, .nio("NIOCore"), .nio("NIOPosix"), .nio("NIOHTTP1"), .nioSSL,
                .httpTypes,
            ]),

        // The programs, and what they share.
        .target(
            name: "CommandSupport", dependencies: ["AsyncSupport", "SystemSupport", .argumentParser, .log],
            path: "Apps/Support/Sources",
            swiftSettings: settings),
        .target(
            name: "TableSuggestions",
            dependencies: ["ContentDigest", "Prefetch", "ResourceLoading", "ResourceTable", "WebSyntax", .httpTypes],
            path: "Apps/Suggestions/Sources", swiftSettings: settings),
        // Packs a site for the bundle of an app. It builds without traits, because apps build it for the plugin.
        program("pack-site", folder: "PackSite", ["PackageFormat", "PackagePublisher", "SystemSupport"]),
        .plugin(
            name: "PackSite",
            capability: .command(
                intent: .custom(verb: "pack-site", description: "Packs a site as a package for the bundle of an app."),
                permissions: [.writeToPackageDirectory(reason: "The package is a resource of the app.")]),
            dependencies: ["pack-site"], path: "Apps/PackSite/Plugin"),
        program(
            "h5", folder: "h5",
            [
                "ContentDigest", "CommandSupport", "CookieJar", "HTTPCache", "HTTPTransport", "NIOTransport",
                "NameResolution", "OfflinePackage", "PackageFormat", "PackagePublisher", "Prefetch", "PublicSuffixList",
                "RemoteConfig", "ResourceLoading", "ResourceStore", "ResourceTable", "SchemeRouter", "StrictJSON",
                "SystemSupport",
                "ContainerTesting", "TrustedPublishing", "TrustedUpdate", "WebSyntax", .argumentParser, .configuration,
                .httpTypes, .hummingbirdCore, .log, .nio("NIOCore"), .nio("NIOPosix"), .nioHTTPTypes, .systemPackage,
            ]),
        program(
            "container-browser", folder: "ContainerBrowser",
            [
                "ContentDigest", "AsyncSupport", "CommandSupport", "ContainerKit", "HTTPTransport", "NIOTransport",
                "OfflinePackage",
                "ResourceLoading",
                "ResourceStore", "SchemeRouter", "SystemSupport", "WebEngine", "WebKitGTKAdapter", "ContainerTesting",
                "PackageFormat",
                "PackagePublisher", "Prefetch", "PublicSuffixList", "RequestPipeline", "ResourceTable",
                "TableSuggestions", "WebSyntax",
                .argumentParser,
                .httpTypes, .log,
            ]),

        .target(name: "CAllocationCount", path: "Benchmarks/CAllocationCount"),
        .executableTarget(
            name: "container-benchmarks",
            dependencies: [
                "BaseTesting", "ContentDigest", "AsyncSupport", "CAllocationCount", "CommandSupport", "ContainerKit",
                "CookieBridge",
                "HTTPCache",
                "HTTPSemantics",
                "HTTPTransport", "NameResolution",
                "OfflinePackage", "PackageFormat", "PackagePublisher", "ResourceLoading", "ResourceStore",
                "ResourceTable", "SchemeMode",
                "SchemeRouter", "TrustedPublishing", "TrustedUpdate", "WebEngine", "WebSyntax", "WebViewPool",
                .argumentParser, .crypto, .httpTypes,
            ], path: "Benchmarks/Sources", swiftSettings: settings),
        .executableTarget(
            name: "loopback-host",
            dependencies: [
                "CommandSupport", "ContainerKit", "HTTPTransport", "PackageFormat", "PackagePublisher",
                "ResourceLoading", "WebEngine", "WebEngineTesting", .argumentParser, .httpTypes,
            ], path: "Benchmarks/LoopbackHost", swiftSettings: settings),
        .executableTarget(
            name: "loopback-load",
            dependencies: [
                "CommandSupport", .argumentParser, .nio("NIOCore"), .nio("NIOPosix"), .nio("NIOHTTP1"), .nio("NIOTLS"),
                .nioSSL,
            ], path: "Benchmarks/LoopbackLoad", swiftSettings: settings),

        // Tests across packages, and what they share.
        .target(
            name: "ProgramTesting", dependencies: ["BaseTesting", .subprocess, .systemPackage], path: "Tests/Support",
            swiftSettings: settings),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "AsyncSupport", "SystemSupport", "ContentDigest", "h5", "pack-site", "container-browser",
                "container-benchmarks",
                "CommandSupport", "ContainerTesting",
                "OfflinePackage", "PackageFormat",
                "ProgramTesting", "ResourceStore", "BaseTesting", "TrustedPublishing", "TrustedUpdate", .httpTypes,
                .log,
            ],
            path: "Tests/CommandLineTests", swiftSettings: settings),
        .testTarget(
            name: "TableSuggestionsTests",
            dependencies: [
                "ContentDigest", "Prefetch", "ResourceLoading", "ResourceTable", "TableSuggestions", .httpTypes,
            ],
            path: "Tests/TableSuggestionsTests", swiftSettings: settings),
        .executableTarget(
            name: "delivery-harness",
            dependencies: ["HTTPTransport", "NIOTransport", "OfflinePackage", "PackageFormat", "ResourceStore"],
            path: "Tests/DeliveryHarness", swiftSettings: settings),
        .testTarget(
            name: "DeliveryTests",
            dependencies: [
                "ContentDigest", "AsyncSupport", "delivery-harness", "ContainerTesting", "HTTPTransport",
                "NIOTransport", "OfflinePackage",
                "PackageFormat",
                "PackagePublisher", "ProgramTesting", "ResourceLoading", "ResourceStore", "BaseTesting", .httpTypes,
            ], path: "Tests/DeliveryTests", swiftSettings: settings),
        .executableTarget(
            name: "engine-harness",
            dependencies: [
                "ContentDigest", "AsyncSupport", "BodyBridge", "ContainerKit", "ContainerTesting", "CookieBridge",
                "HTTPTransport",
                "LoopbackServer",
                "NIOTransport",
                "OfflinePackage",
                "PackageFormat", "PackagePublisher", "Prefetch", "ResourceLoading", "SchemeRouter", "TrustedPublishing",
                "TrustedUpdate", "WebEngine", "WebEngineTesting", "WebKitGTKAdapter", "WebViewPool", .httpTypes,
            ], path: "Tests/EngineHarness", swiftSettings: settings),
        .executableTarget(
            name: "readme-example", dependencies: ["ContainerKit", "WebKitGTKAdapter"], path: "Tests/ReadmeExample",
            swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ContentDigest", "AsyncSupport", "container-browser", "engine-harness", "readme-example",
                "ContainerTesting",
                "PackageFormat",
                "PackagePublisher",
                "ProgramTesting", "BaseTesting", "WebEngineTesting", .httpTypes,
            ], path: "Tests/EndToEndTests", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
