// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

/// What one page has that others have not.
public struct PageOptions: Sendable {
    /// What its view calls itself; by default as ``ContainerConfiguration/Pages/userAgent`` says.
    public var userAgent: UserAgent?
    /// Values for this page alone, after those of ``ContainerConfiguration/Pages/initialData``; none by default. They are
    /// there as long as the page is open, also for other documents of their origins that its view comes to.
    public var initialData: [InitialPageData] = []

    /// A page as all others.
    public init(userAgent: UserAgent? = nil, initialData: [InitialPageData] = []) {
        self.userAgent = userAgent
        self.initialData = initialData
    }
}
