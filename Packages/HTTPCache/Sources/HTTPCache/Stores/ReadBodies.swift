// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import WebSyntax

/// The most recent small bodies that were read together with their records. A body is removed when it is requested.
struct ReadBodies {
    private static let limit = 8
    private var bodies: [(name: String, revision: UInt64, bytes: ResourceBody)] = []
    /// The number of removals. It prevents storing a body that was read before a removal.
    private(set) var removals: UInt64 = 0

    /// Stores a body, unless a removal has happened since it was read.
    /// - Parameter seen: The value of ``removals`` before the bytes were read.
    mutating func put(_ bytes: ResourceBody, _ name: String, _ revision: UInt64, seen: UInt64) {
        guard seen == removals else { return }
        bodies.removeAll { $0.name.hasSameBytes(as: name) }
        if bodies.count == Self.limit { bodies.removeFirst() }
        bodies.append((name, revision, bytes))
    }

    mutating func removeBody(_ name: String, _ revision: UInt64) -> ResourceBody? {
        let index = bodies.firstIndex { $0.revision == revision && $0.name.hasSameBytes(as: name) }
        return index.map { bodies.remove(at: $0).bytes }
    }

    mutating func remove(where isGone: (String) -> Bool) {
        removals += 1
        bodies.removeAll { isGone($0.name) }
    }
}
