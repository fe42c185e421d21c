// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// A cache of the permissions that servers gave (Fetch, section 4.9, CORS-preflight cache).
///
/// Isolation: any.
@_spi(Facade) public final class PreflightCache: Sendable {
    /// The maximum number of permissions. At the limit, a new permission replaces the permission that expires first.
    private static let capacity = 128
    /// The maximum size of an entry in bytes. Larger permissions are not cached.
    private static let maxEntryBytes = 8 << 10

    private struct Entry {
        let permission: PreflightPermission
        let end: ContinuousClock.Instant
    }

    private let entries = Mutex<[Preflight.Key: Entry]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a cache.
    /// - Parameter now: A closure that returns the time that determines the expiry of permissions.
    public init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) {
        self.now = now
    }

    /// Returns a Boolean value that indicates whether a cached permission makes the preflight unnecessary.
    func permits(_ preflight: Preflight) -> Bool {
        let now = now()
        let entry = entries.withLock { entries -> Entry? in
            guard let entry = entries[preflight.key] else { return nil }
            guard entry.end > now else {
                entries[preflight.key] = nil
                return nil
            }
            return entry
        }
        guard let permission = entry?.permission else { return false }
        return permission.permits(preflight.method)
            && preflight.fieldNames.allSatisfy { permission.permits(fieldName: $0) }
    }

    func insert(_ permission: PreflightPermission, for key: Preflight.Key) {
        guard permission.maxAge > .zero, key.size + permission.size <= Self.maxEntryBytes else {
            entries.withLock { $0[key] = nil }
            return
        }
        let end = now().advanced(by: permission.maxAge)
        entries.withLock { entries in
            if entries.count >= Self.capacity, entries[key] == nil,
                let first = entries.min(by: { $0.value.end < $1.value.end })
            {
                entries[first.key] = nil
            }
            entries[key] = Entry(permission: permission, end: end)
        }
    }

    func remove(_ key: Preflight.Key) {
        entries.withLock { $0[key] = nil }
    }
}
