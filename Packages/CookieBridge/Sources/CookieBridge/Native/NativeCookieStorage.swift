// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// The cookie storage of the app that a container keeps synchronized with the cookies of its pages.
///
/// Requests that the app sends with URLSession use such a storage. A container touches it when it opens, not when an
/// option is created.
public enum NativeCookieStorage: Sendable {
    /// No storage. The cookies of the app's requests and of pages are separate.
    case none
    /// `HTTPCookieStorage.shared`, which the default configurations of URLSession use.
    case shared
    /// A storage of the app, for example that of one `URLSessionConfiguration`.
    case storage(HTTPCookieStorage)

    /// A Boolean value that indicates whether there is a storage.
    @_spi(Facade) public var isUsed: Bool { if case .none = self { false } else { true } }

    /// The name of the kind, for the record of the storage.
    var kind: String {
        switch self {
        case .none: "none"
        case .shared: "shared"
        case .storage: "named"
        }
    }
}
