// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// What servers have permitted, until it runs out (Fetch, section 4.9, CORS-preflight cache).
///
/// Isolation: any.
@_spi(Facade) public final class PreflightCache: Sendable {
    /// The most permissions that are kept; the one that runs out first makes room.
    private static let capacity = 128
    /// What is larger is asked for each time.
    private static let maxEntryBytes = 8 << 10

    private struct Entry {
        let permission: PreflightPermission
        let end: ContinuousClock.Instant
    }

    private let entries = Mutex<[Preflight.Key: Entry]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter now: the time by which permissions run out.
    public init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) {
        self.now = now
    }

    /// Whether the request may go without a question.
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

    func keep(_ permission: PreflightPermission, for key: Preflight.Key) {
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

    func forget(_ key: Preflight.Key) {
        entries.withLock { $0[key] = nil }
    }
}
