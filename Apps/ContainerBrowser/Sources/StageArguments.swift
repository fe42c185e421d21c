// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ArgumentParser
internal import CommandSupport
public import ContainerKit
public import ContainerTesting
internal import Foundation
internal import Prefetch
internal import ResourceTable
internal import WebEngine

/// The options that `open` and `run` share.
struct StageArguments: ParsableArguments {
    @Option(
        help: """
            The interception mode: plain (no container), scheme (custom scheme), document (the \
            document at its true URL, packaged resources by the custom scheme), proxy (loopback proxy, at the page's \
            true origin) or server (loopback server, at https://<site>.localhost).
            """)
    var mode = InterceptionMode.plain

    @Option(
        name: .customLong("package"),
        help: ArgumentHelp(
            "A package to install first, with its manifest in the same folder. Repeatable. Not in --mode plain.",
            valueName: "zip"))
    var packages: [String] = []

    @Option(
        help: ArgumentHelp("The simulated network: none, 4g, slow-4g, 3g or offline.", valueName: "profile"))
    var network = NetworkProfile.none

    @Option(
        name: .customLong("trust"),
        help: ArgumentHelp(
            """
            The certificate (PEM) of an authority for the hosts of the pages, or HOST=FILE for another host; in plain \
            mode, and for what the engine loads itself in document mode, the certificate of the server itself. \
            Repeatable.
            """,
            valueName: "file"))
    var trusted: [String] = []

    @Option(
        help: ArgumentHelp("The prefetch table (JSON). Container modes only.", valueName: "file")
    )
    var prefetch: String?

    @Option(
        help: ArgumentHelp(
            "The URL of a resource table (JSON), which is loaded before the page. Container modes only.",
            discussion: """
                The files of the table are downloaded in the background or on the first request, and serve later pages.
                """, valueName: "url"))
    var table: String?

    @Flag(
        name: .customLong("opengl"),
        help: """
            Draw pages with OpenGL, as apps do by default. The default here is software rendering, which is faster \
            without a GPU.
            """)
    var usesOpenGL = false

    /// Returns the options of a stage.
    /// - Parameter urls: The URLs of the pages to open. Container modes cover their hosts.
    func options(covering urls: [String], directory: String, warm: Bool) throws -> StageOptions {
        if mode == .plain, !packages.isEmpty {
            throw Self.missingContainer("packages need")
        }
        var options = try StageOptions(
            mode: mode, packages: packages.map(PackageFiles.init(archive:)), network: network, covering: urls,
            directory: directory, warm: warm)
        options.usesOpenGL = usesOpenGL
        let hosts = options.coveredNames
        options.table = try table.map(tableURL)
        options.prefetch = try prefetch.map { file in
            guard mode != .plain else {
                throw Self.missingContainer("a prefetch table needs")
            }
            do {
                return try PrefetchTable(json: Data(try FileInput.text(of: file).utf8))
            } catch let error as PrefetchError {
                let place = error.location.map { "\(file), \($0)" } ?? file
                throw CommandError(.badInput, code: "\(error.code)", error.message, at: place)
            }
        }
        options.trusted = try trusted.map { try TrustedCertificate($0, pages: hosts) }
        return options
    }

    private static func missingContainer(_ subject: String) -> CommandError {
        CommandError(
            .usage, code: "usage", "\(subject) a container: any --mode but plain", at: "--mode plain")
    }

    private func tableURL(_ text: String) throws -> TableURL {
        guard mode != .plain else {
            throw Self.missingContainer("a resource table needs")
        }
        guard let url = TableURL(text) else {
            throw CommandError(.usage, code: "invalid-url", "the URL must begin with http or https", at: text)
        }
        return url
    }
}

extension InterceptionMode: ExpressibleByArgument {
    /// The modes of WebKitGTK, which permits no handler on https.
    public static var allValueStrings: [String] { allCases.filter { $0 != .httpsTakeover }.map(\.rawValue) }

    public init?(argument: String) {
        guard Self.allValueStrings.contains(argument) else { return nil }
        self.init(rawValue: argument)
    }
}

extension NetworkProfile: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(named: argument)
    }

    public static var allValueStrings: [String] { presets.map(\.name) }

    public var defaultValueDescription: String { name }
}
