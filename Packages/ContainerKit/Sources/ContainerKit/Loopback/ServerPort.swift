// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceStore

/// The port of the local server, from one launch to the next: a file with its number in the container's folder.
struct ServerPort: Sendable {
    private let directory: String
    private static let name = "server-port"

    /// - Parameter directory: the container's folder.
    init(in directory: String) {
        self.directory = directory
    }

    /// The one that was kept; `nil` where there is none, or something else, or one that a browser may block.
    @concurrent
    func stored() async -> Int? {
        // Its number has five digits: whatever else lies there is not read.
        guard let bytes = try? PrivateFolder.open(directory)?.contents(of: Self.name, upTo: 64),
            let port = Int(String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }),
            (10_081...65_535).contains(port)
        else { return nil }
        return port
    }

    /// - Throws: what the system says.
    @concurrent
    func keep(_ port: Int) async throws {
        try PrivateFolder.open(directory)?.replace(Self.name, with: Data("\(port)\n".utf8))
    }

    /// One that no system hands out by itself (IANA's dynamic ports begin at 49152, Linux's at 32768), and no browser
    /// blocks (Fetch, section 2.9).
    static func random() -> Int {
        .random(in: 10_081...32_767)
    }
}
