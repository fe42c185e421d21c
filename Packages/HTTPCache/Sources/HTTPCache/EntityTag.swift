// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A validator in `ETag`, `If-None-Match` and `If-Range` (RFC 9110, section 8.8.3).
struct EntityTag: Sendable, Hashable {
    /// As it came, without `W/`. Quotation marks belong to it; a tag that lacks them is compared as it is.
    let opaque: String
    let isWeak: Bool

    /// - Returns: `nil` for an empty text.
    init?(_ text: some StringProtocol) {
        let text = Substring(text).trimmed
        isWeak = text.utf8.starts(with: "W/\"".utf8)
        opaque = String(isWeak ? text.dropFirst(2) : text)
        if opaque.isEmpty { return nil }
    }

    func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }
}
