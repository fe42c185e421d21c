// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// A site of the contest.
struct ContestSite: Sendable {
    let name: String
    /// The folder that is served and packed.
    let folder: String
    /// The path of the page to open.
    let page: String
    /// A JavaScript expression that is true when the page is usable.
    let ready: String

    /// Creates a site from a folder.
    /// - Throws: An input error if the folder does not exist or its contest.json cannot be read.
    init(folder: String) throws {
        guard FileManager.default.fileExists(atPath: folder) else {
            throw CommandError(.noInput, code: "no-input", "no such folder", at: folder)
        }
        let card = folder + "/contest.json"
        guard FileManager.default.fileExists(atPath: card) else {
            try self.init(
                name: URL(fileURLWithPath: folder).lastPathComponent, folder: folder, page: "index.html",
                ready: "document.readyState === 'complete'")
            return
        }
        guard let fields = try? JSONDecoder().decode(Card.self, from: Data(FileInput.text(of: card).utf8)) else {
            throw CommandError(.badInput, code: "bad-contest", "needs the strings name, page and ready", at: card)
        }
        try self.init(name: fields.name, folder: folder + "/site", page: fields.page, ready: fields.ready)
    }

    /// Returns the folders of the demo's sites.
    /// - Throws: An input error if there is no folder.
    static func prepared() throws -> [String] {
        let folder = "build/sites"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let sites = names.sorted().map { "\(folder)/\($0)" }.filter {
            FileManager.default.fileExists(atPath: $0 + "/contest.json")
        }
        guard !sites.isEmpty else {
            throw CommandError(
                .noInput, code: "no-input", "no site found: run make demo, or name a folder with --sites", at: folder)
        }
        return sites
    }

    private init(name: String, folder: String, page: String, ready: String) throws {
        guard FileManager.default.fileExists(atPath: "\(folder)/\(page)") else {
            throw CommandError(.noInput, code: "no-input", "no such page", at: "\(folder)/\(page)")
        }
        self.name = name
        self.folder = folder
        self.page = page
        self.ready = ready
    }

    /// The site's name as a package identifier and a file name.
    var identifier: String {
        let parts = name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return parts.isEmpty ? "site" : parts.joined(separator: "-")
    }

    private struct Card: Decodable {
        let name: String
        let page: String
        let ready: String
    }
}
