// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

@_spi(Facade) extension Reconciliation {
    /// Something to be done. Each read, write, clearing and pause ends with one call of the event that belongs to it.
    enum Effect: Sendable, Hashable {
        /// Read a whole store, then ``Reconciliation/readEnded(_:number:cookies:now:)``, or
        /// ``Reconciliation/readFoundLoss(_:number:now:)``.
        case read(CookieStoreID, number: UInt64)
        /// Write a cookie, then ``Reconciliation/writeEnded(_:_:_:now:)``.
        case write(CookieStoreID, Write)
        /// Clear a store, then ``Reconciliation/clearEnded(_:succeeded:now:)``.
        case clear(CookieStoreID, CookieScope)
        /// Wait, the longer the more failures there were in a row, then ``Reconciliation/resumed(_:now:)``.
        case pause(CookieStoreID, failures: Int)
        /// Tell somebody.
        case report(Fault)
    }

    /// A cookie on its way into a store, or out of it.
    struct Write: Sendable, Hashable {
        /// What is to be done.
        let change: CookieUpdate
        /// The version of the change that causes it.
        let version: UInt64
    }

    /// How a write ended.
    enum Outcome: Sendable, Hashable {
        /// The store has it.
        case written
        /// It may be in the store or not; it will not land later.
        case failed
        /// The store will never take it.
        case refused
    }

    /// Something that went wrong for good, until the cookie changes or the store says something.
    @_spi(Facade) public struct Fault: Sendable, Hashable {
        /// What it is.
        @_spi(Facade) public struct Kind: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
            public let rawValue: String

            public init(rawValue: String) { self.rawValue = rawValue }

            public var description: String { rawValue }

            /// The store will never take this cookie.
            public static let refused = Kind(rawValue: "refused")
            /// A write failed too often.
            public static let writeFailed = Kind(rawValue: "write-failed")
            /// Reading failed too often.
            public static let readFailed = Kind(rawValue: "read-failed")
            /// Clearing failed too often: nothing in its scope is read from the store or written to it until it is done.
            public static let clearFailed = Kind(rawValue: "clear-failed")
            /// The store had lost its cookies by itself, and gets them again.
            public static let lost = Kind(rawValue: "lost")
            /// A store has more cookies than are kept.
            public static let dropped = Kind(rawValue: "dropped")
        }

        public let kind: Kind
        /// Whose fault it is.
        public let store: CookieStoreID
        /// The cookie, where it is about one.
        public let identity: Cookie.Identity?
    }
}
