// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PageInterface
public import WebEngine

/// The options of one page.
public struct PageOptions: Sendable {
    /// The user agent of the view; ``ContainerConfiguration/Pages/userAgent`` by default.
    public var userAgent: UserAgent?
    /// The values for this page, which are added to ``ContainerConfiguration/Pages/initialData``; none by default. They
    /// apply to all documents of their origins that the view shows while the page is open.
    public var initialData: [InitialPageData] = []

    /// Creates the options of a page.
    /// - Parameters:
    ///   - userAgent: the user agent; `nil` for that of the configuration.
    ///   - initialData: the additional values of this page.
    public init(userAgent: UserAgent? = nil, initialData: [InitialPageData] = []) {
        self.userAgent = userAgent
        self.initialData = initialData
    }
}
