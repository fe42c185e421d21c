// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// The last few small bodies that were read together with their records, each until it is asked for.
struct ReadBodies {
    private static let limit = 8
    private var bodies: [(name: String, revision: UInt64, bytes: ResourceBody)] = []

    mutating func put(_ bytes: ResourceBody, _ name: String, _ revision: UInt64) {
        remove { $0 == name }
        if bodies.count == Self.limit { bodies.removeFirst() }
        bodies.append((name, revision, bytes))
    }

    mutating func take(_ name: String, _ revision: UInt64) -> ResourceBody? {
        bodies.firstIndex { $0.name == name && $0.revision == revision }.map { bodies.remove(at: $0).bytes }
    }

    mutating func remove(where isGone: (String) -> Bool) {
        bodies.removeAll { isGone($0.name) }
    }
}
