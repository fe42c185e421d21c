// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

@_spi(Facade) extension Reconciliation {
    /// An action of the reconciler. Each read, write, clear and pause ends with one call of the corresponding event.
    enum Effect: Sendable, Hashable {
        /// A read of a whole store. It ends with ``Reconciliation/readEnded(_:number:cookies:now:)`` or
        /// ``Reconciliation/readFoundLoss(_:number:now:)``.
        case read(CookieStoreID, number: UInt64)
        /// A write of a cookie. It ends with ``Reconciliation/writeEnded(_:_:_:now:)``.
        case write(CookieStoreID, Write)
        /// A clear operation in a store. It ends with ``Reconciliation/clearEnded(_:succeeded:now:)``.
        case clear(CookieStoreID, CookieScope)
        /// A pause, which is longer after each consecutive failure. It ends with ``Reconciliation/resumed(_:now:)``.
        case pause(CookieStoreID, failures: Int)
        /// A report of a fault.
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
        /// The store may or may not have applied the write, but will not apply it later.
        case failed
        /// The store permanently rejects the write.
        case refused
    }

    /// A fault of a store, after which the stores may differ. Failed operations are tried again when the cookie changes
    /// or the store signals a change.
    @_spi(Facade) public struct Fault: Sendable, Hashable {
        /// The kind of a fault.
        @_spi(Facade) public struct Kind: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
            public let rawValue: String

            public init(rawValue: String) { self.rawValue = rawValue }

            public var description: String { rawValue }

            /// The store permanently rejects the cookie.
            public static let refused = Kind(rawValue: "refused")
            /// A write failed too many times.
            public static let writeFailed = Kind(rawValue: "write-failed")
            /// A read failed too many times.
            public static let readFailed = Kind(rawValue: "read-failed")
            /// Clearing failed too many times. Until clearing succeeds, cookies of the scope are neither read from the
            /// store nor written to it.
            public static let clearFailed = Kind(rawValue: "clear-failed")
            /// The store lost cookies by itself. The reconciler restores them.
            public static let lost = Kind(rawValue: "lost")
            /// A store has more cookies than the limit.
            public static let dropped = Kind(rawValue: "dropped")
        }

        public let kind: Kind
        /// The store that has the fault.
        public let store: CookieStoreID
        /// The identity of the cookie; `nil` if the fault concerns the whole store.
        public let identity: Cookie.Identity?
    }
}
