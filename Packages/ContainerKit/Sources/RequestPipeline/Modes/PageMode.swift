// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SchemeRouter
public import WebEngine

/// In which mode some pages open: an entry of `ContainerConfiguration.Pages.modes`.
///
/// It says how a page is intercepted, and not whether: what covers pages, and the rules, say that.
public struct PageMode: Sendable, Hashable {
    /// The pages, by their real URL.
    public var pages: PagePattern
    /// How they open, where they are intercepted; `plain` for not at all, whatever covers them.
    public var mode: InterceptionMode

    /// - Parameters:
    ///   - pages: see ``pages``.
    ///   - mode: see ``mode``.
    public init(_ pages: PagePattern, _ mode: InterceptionMode) {
        self.pages = pages
        self.mode = mode
    }

    /// - Parameters:
    ///   - pages: a host pattern, with an optional scheme before it and a glob after it, such as
    ///     `https://*.shop.example/app/**`.
    ///   - mode: see ``mode``.
    /// - Throws: `RouteError`.
    public init(_ pages: String, _ mode: InterceptionMode) throws {
        self.init(try PagePattern(pages), mode)
    }
}
