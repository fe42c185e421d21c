// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ContentDigest
import Foundation
import Testing

@testable import ExampleModel

@Suite("Manual checks", .timeLimit(.minutes(1)))
struct ManualCheckTests {
    private let package: URL
    private let site: URL

    init() {
        package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        site = package.appendingPathComponent("Site")
    }

    @Test("Each numbered check of docs/apple.md has an entry, and there are no others")
    func documented() throws {
        let document = package.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/apple.md")
        let text = try String(contentsOf: document, encoding: .utf8)
        let section = try #require(text.range(of: "## Manual checks"))
        let next = text.range(of: "\n## ", range: section.upperBound..<text.endIndex)?.lowerBound ?? text.endIndex
        let numbers = text[section.upperBound..<next].split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /(\d+)\. .*/).flatMap { Int($0.1) }
        }
        #expect(numbers == ManualCheck.all.map(\.id))
    }

    @Test("Each check has a page, or one sentence for a person")
    func entries() throws {
        for check in ManualCheck.all {
            #expect(check.page != nil || check.action != nil, "check \(check.id)")
            if let action = check.action {
                #expect(action.hasSuffix(".") && !action.dropLast().contains(". "), "check \(check.id)")
            }
            guard let page = check.page else { continue }
            let base = try #require([ManualCheck.documents, ManualCheck.scheme].first { page.hasPrefix($0) })
            let name = page.dropFirst(base.count)
            guard !name.isEmpty else { continue }
            #expect(name == "\(check.id).html")
            let text = try String(contentsOf: site.appendingPathComponent(String(name)), encoding: .utf8)
            #expect(text.contains("check(\(check.id), async () =>"), "check \(check.id)")
        }
    }

    @Test("The modes in the sentences exist, and all sentences on the https takeover name theirs")
    func modes() throws {
        for check in ManualCheck.all {
            for match in (check.action ?? "").matches(of: /--mode (\w+)/) {
                #expect(InterceptionMode(rawValue: String(match.1)) != nil, "check \(check.id)")
            }
            guard check.title.hasPrefix("Https takeover") else { continue }
            #expect(check.action?.contains("--mode takeover") == true, "check \(check.id)")
        }
    }

    @Test("The pages of the site and the entries name the same checks")
    func pages() throws {
        let pages = try FileManager.default.contentsOfDirectory(atPath: site.path).compactMap { name in
            name.wholeMatch(of: /(\d+)\.html/).flatMap { Int($0.1) }
        }
        let entries = ManualCheck.all.filter { $0.page?.hasSuffix(".html") ?? false }
        #expect(Set(pages) == Set(entries.map(\.id)))
        let index = try String(contentsOf: site.appendingPathComponent("index.html"), encoding: .utf8)
        #expect(pages.allSatisfy { index.contains("href=\"\($0).html\"") })
    }

    @Test("The packages of the app have the files of the site", arguments: ["checks", "scheme-checks"])
    func packed(name: String) throws {
        struct Manifest: Decodable {
            struct File: Decodable {
                let path: String
                let sha256: String
            }
            let files: [File]
        }
        let file = package.appendingPathComponent("Sources/ExampleModel/Resources/Baseline/\(name).json")
        let manifest = try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: file))
        let names = try FileManager.default.contentsOfDirectory(atPath: site.path).sorted()
        #expect(manifest.files.map(\.path).sorted() == names)
        for file in manifest.files {
            let data = try Data(contentsOf: site.appendingPathComponent(file.path))
            #expect(file.sha256 == "\(SHA256Digest(of: data))", "pack the site again: \(file.path)")
        }
    }
}
