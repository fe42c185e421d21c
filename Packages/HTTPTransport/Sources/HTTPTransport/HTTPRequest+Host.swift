// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes

extension HTTPRequest {
    /// Whether authority and path, put together, are read as just these: a path that begins otherwise than with a slash, or
    /// an authority with more than one in it, would lead to another host than everybody above has looked at.
    var namesItsHostAlone: Bool {
        guard let authority, path?.utf8.first == UInt8(ascii: "/") else { return false }
        return !authority.utf8.contains { "/?#\\".utf8.contains($0) }
    }
}
