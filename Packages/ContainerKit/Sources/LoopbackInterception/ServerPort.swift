// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
@_spi(Facade) internal import ResourceStore

/// The file in the container's directory that stores the port of the local server between launches.
struct ServerPort: Sendable {
    private let directory: String
    private static let name = "server-port"

    /// - Parameter directory: the container's directory.
    init(in directory: String) {
        self.directory = directory
    }

    /// Returns the stored port. Returns `nil` if there is none, if the content is invalid, or if browsers may block the
    /// port.
    @concurrent
    func stored() async -> Int? {
        // A port has five digits at most, so a small limit is sufficient.
        guard let bytes = try? PrivateFolder.open(directory)?.contents(of: Self.name, upTo: 64),
            let port = Int(String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }),
            (10_081...65_535).contains(port)
        else { return nil }
        return port
    }

    /// Stores a port.
    /// - Throws: `StoreError`.
    @concurrent
    func save(_ port: Int) async throws {
        try PrivateFolder.open(directory)?.replace(Self.name, with: Data("\(port)\n".utf8))
    }

    /// Returns a random port that no system assigns automatically and that no browser blocks (Fetch, section 2.9). The
    /// dynamic ports of IANA begin at 49152, those of Linux at 32768.
    static func random() -> Int {
        .random(in: 10_081...32_767)
    }
}
