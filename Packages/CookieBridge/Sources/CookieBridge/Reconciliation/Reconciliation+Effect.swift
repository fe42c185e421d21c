// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

@_spi(Facade) extension Reconciliation {
    /// An action of the reconciler. Each read, write, clear and pause ends with one call of the corresponding event.
    enum Effect: Sendable, Hashable {
        /// Read a whole store, then call ``Reconciliation/readEnded(_:number:cookies:now:)`` or
        /// ``Reconciliation/readFoundLoss(_:number:now:)``.
        case read(CookieStoreID, number: UInt64)
        /// Write a cookie, then call ``Reconciliation/writeEnded(_:_:_:now:)``.
        case write(CookieStoreID, Write)
        /// Clear a store, then call ``Reconciliation/clearEnded(_:succeeded:now:)``.
        case clear(CookieStoreID, CookieScope)
        /// Wait, longer after each consecutive failure, then call ``Reconciliation/resumed(_:now:)``.
        case pause(CookieStoreID, failures: Int)
        /// Report a fault.
        case report(Fault)
    }

    /// A write or a removal of one cookie in a store.
    struct Write: Sendable, Hashable {
        /// The change to apply.
        let change: CookieUpdate
        /// The version of the change that caused the write.
        let version: UInt64
    }

    /// The outcome of a write.
    enum Outcome: Sendable, Hashable {
        /// The store has applied the write.
        case written
        /// The write may be in the store or not, but it will not be applied later.
        case failed
        /// The store permanently rejects the write.
        case refused
    }

    /// A permanent fault. It lasts until the cookie changes or the store signals a change.
    @_spi(Facade) public struct Fault: Sendable, Hashable {
        /// The kind of a fault.
        @_spi(Facade) public struct Kind: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
            public let rawValue: String

            public init(rawValue: String) { self.rawValue = rawValue }

            public var description: String { rawValue }

            /// The store permanently rejects this cookie.
            public static let refused = Kind(rawValue: "refused")
            /// A write failed too many times.
            public static let writeFailed = Kind(rawValue: "write-failed")
            /// A read failed too many times.
            public static let readFailed = Kind(rawValue: "read-failed")
            /// Clearing failed too many times. Until it succeeds, cookies of its scope are neither read from the store
            /// nor written to it.
            public static let clearFailed = Kind(rawValue: "clear-failed")
            /// The store lost its cookies by itself, and they are being restored.
            public static let lost = Kind(rawValue: "lost")
            /// A store has more cookies than the limit.
            public static let dropped = Kind(rawValue: "dropped")
        }

        public let kind: Kind
        /// The store that has the fault.
        public let store: CookieStoreID
        /// The cookie, if the fault is about one.
        public let identity: Cookie.Identity?
    }
}
