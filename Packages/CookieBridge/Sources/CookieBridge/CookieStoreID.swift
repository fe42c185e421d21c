// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Names one of the stores that are kept the same.
public struct CookieStoreID: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// A word for logs.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The app's own jar, which its network requests use.
    public static let jar = CookieStoreID(rawValue: "jar")
    /// The web engine's store.
    public static let engine = CookieStoreID(rawValue: "engine")
    /// What `document.cookie` shows, where that is not the engine's store.
    public static let script = CookieStoreID(rawValue: "script")

    public var description: String { rawValue }
}
