// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SchemeRouter
public import WebEngine

/// The mode of some pages: an entry of `ContainerConfiguration.Pages.modes`.
///
/// It determines how an intercepted page opens. The coverage and the route rules determine whether a page is
/// intercepted.
public struct PageMode: Sendable, Hashable {
    /// The pages, by real URL.
    public var pages: PagePattern
    /// The mode of the pages if they are intercepted. `plain` excludes them from interception.
    public var mode: InterceptionMode

    /// Creates an entry.
    /// - Parameters:
    ///   - pages: the pages, by real URL.
    ///   - mode: the mode of the pages.
    public init(_ pages: PagePattern, _ mode: InterceptionMode) {
        self.pages = pages
        self.mode = mode
    }

    /// Creates an entry from the text of a pattern.
    /// - Parameters:
    ///   - pages: a host pattern with an optional scheme and an optional path glob, such as
    ///     `https://*.shop.example/app/**`.
    ///   - mode: the mode of the pages.
    /// - Throws: `RouteError` if the pattern is invalid.
    public init(_ pages: String, _ mode: InterceptionMode) throws {
        self.init(try PagePattern(pages), mode)
    }
}
