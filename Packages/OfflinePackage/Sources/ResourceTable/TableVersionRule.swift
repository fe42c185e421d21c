// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// Whether a remote table replaces the local one.
enum TableVersionRule {
    /// Another version replaces, higher or not; but an integer of the mirror, which may lag, never a higher one.
    static func replaces(_ remote: String, from source: TableSource, local: String?) -> Bool {
        guard let local else { return true }
        guard remote != local else { return false }
        guard source == .mirror, let remote = digits(remote), let local = digits(local) else { return true }
        return (remote.count, String(decoding: remote, as: UTF8.self))
            >= (local.count, String(decoding: local, as: UTF8.self))
    }

    /// The digits of an integer of any size, without leading zeros, so that the longer one is the higher.
    private static func digits(_ version: String) -> Substring.UTF8View? {
        guard !version.isEmpty, version.utf8.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        return Substring(version).utf8.drop { $0 == UInt8(ascii: "0") }
    }
}
