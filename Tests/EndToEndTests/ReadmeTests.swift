// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import PackageFormat
import PackagePublisher
import ProgramTesting
import Testing

/// The program of the README and its other claims, compared with the repository.
@Suite("The README", .timeLimit(.minutes(1)))
struct ReadmeTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Returns the Swift blocks of the README.
    private func blocks() throws -> [Substring] {
        try text("README.md").matches(of: /(?s)```swift\n(.*?)```\n/).map(\.1)
    }

    @Test("The README's program is identical with the compiled program")
    func program() throws {
        let example = try text("Tests/ReadmeExample/Shop.swift")
        let header = try #require(example.firstRange(of: "\n\n"))
        #expect(try blocks().contains(example[header.upperBound...]))
    }

    @Test(
        "The guides show code that is compiled and tested",
        arguments: [
            ("testing", "ShopScreen"), ("testing", "ShopScreenTests"), ("app-life", "DeviceOptions"),
            ("app-life", "UpdatingShop"), ("cookies", "NativeLogin"), ("route-rules", "Guides/RuleActionsSample"),
            ("route-rules", "Guides/HostContentSample"), ("page-requests", "CartCalls"),
            ("page-interface", "PageInterfaceSample"), ("name-resolution", "Guides/NameResolutionSample"),
        ])
    func samples(guide: String, name: String) throws {
        let guide = try text("docs/\(guide).md")
        let code = try text("Packages/ContainerKit/Tests/ContainerKitTests/\(name).swift")
        let header = try #require(code.firstRange(of: "\n\n"))
        #expect(guide.contains("```swift\n\(code[header.upperBound...])```"))
    }

    @Test("The README's manifest names existing products and traits")
    func manifest() throws {
        let shipped = try text("Package.swift")
        let manifest = try #require(try blocks().first { $0.hasPrefix("// swift-tools-version") })
        let products = manifest.matches(of: /\.product\(name: "(\w+)", package: "ContainerKit"\)/).map(\.1)
        let traits = try #require(manifest.firstMatch(of: /traits: \[(.*?)\]/)).1.matches(of: /\w+/).map(\.0)
        #expect(!products.isEmpty && !traits.isEmpty)
        for product in products { #expect(shipped.contains(".library(name: \"\(product)\"")) }
        for trait in traits { #expect(shipped.contains(".trait(name: \"\(trait)\"")) }
        #expect(shipped.hasPrefix(manifest.prefix { $0 != "\n" }))
    }

    @Test("Every decision is in the table")
    func decisions() throws {
        let folder = Self.root.appendingPathComponent("docs/decisions").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }
        let table = try text("docs/README.md")
        #expect(names.count > 5)
        for name in names { #expect(table.contains("](decisions/\(name))"), "\(name)") }
    }

    @Test("The lines of the README fit a terminal")
    func width() throws {
        for name in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
            let wide = try text(name).split(separator: "\n").filter { $0.count > 120 && !$0.hasPrefix("|") }
            #expect(wide.isEmpty, "\(name)")
        }
    }
}

extension RealEngine {
    @Suite("The README's program", .timeLimit(.minutes(1)))
    struct ReadmeProgramTests {
        @Test("The program opens the page from its package")
        func run() async throws {
            let folder = try TemporaryFolder()
            try folder.write("site/index.html", "<!doctype html><title>Fresh today</title>".utf8)
            _ = try PackageBuilder().build(
                folder.path + "/site", id: PackageID("shop"), version: PackageVersion("1"),
                baseURL: PackageBaseURL("https://shop.example/"), output: folder.path)
            let outcome = try await Program("readme-example").run(in: folder.path)
            #expect(outcome.status == 0 && outcome.output == "\"Fresh today\"\n", "\(outcome.output)\(outcome.errors)")
        }
    }
}
