// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The port of the local server, from one launch to the next: a file with its number in the container's folder.
struct ServerPort: Sendable {
    private let file: String

    /// - Parameter directory: the container's folder.
    init(in directory: String) {
        file = directory + "/server-port"
    }

    /// The one that was kept; `nil` where there is none, or something else.
    @concurrent
    func kept() async -> Int? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8), text.utf8.count <= 6,
            let port = Int(text.prefix { !$0.isNewline }), (1_024...65_535).contains(port)
        else { return nil }
        return port
    }

    /// - Throws: what the system says.
    @concurrent
    func keep(_ port: Int) async throws {
        try Data("\(port)\n".utf8).write(to: URL(filePath: file), options: .atomic)
    }

    /// One that no system hands out by itself (IANA's dynamic ports begin at 49152, Linux's at 32768), and no browser
    /// blocks (Fetch, section 2.9).
    static func random() -> Int {
        .random(in: 10_081...32_767)
    }
}
