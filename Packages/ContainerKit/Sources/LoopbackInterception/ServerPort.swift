// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceStore

/// The file in the container's folder that stores the port of the local server for the next launch.
struct ServerPort: Sendable {
    private let directory: String
    private static let name = "server-port"

    /// - Parameter directory: the container's folder.
    init(in directory: String) {
        self.directory = directory
    }

    /// Returns the stored port; `nil` if there is none, if the file has another content, or if a browser may block the
    /// port.
    @concurrent
    func stored() async -> Int? {
        // The number has five digits, so that no more is read.
        guard let bytes = try? PrivateFolder.open(directory)?.contents(of: Self.name, upTo: 64),
            let port = Int(String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }),
            (10_081...65_535).contains(port)
        else { return nil }
        return port
    }

    /// Stores a port.
    /// - Throws: `StoreError`.
    @concurrent
    func keep(_ port: Int) async throws {
        try PrivateFolder.open(directory)?.replace(Self.name, with: Data("\(port)\n".utf8))
    }

    /// Returns a random port that no system assigns by itself (IANA's dynamic ports begin at 49152, Linux's at 32768)
    /// and that no browser blocks (Fetch, section 2.9).
    static func random() -> Int {
        .random(in: 10_081...32_767)
    }
}
