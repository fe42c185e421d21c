// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How the opening of pages is recorded; see ``PageTimeline``.
public struct TimelineOptions: Sendable, Hashable {
    /// The most requests that are kept of one page by default: 512.
    public static let standardLimit = 512

    /// The most requests that are kept of one page; the others are counted. 512 by default.
    public var requestLimit = Self.standardLimit
    /// Whether each page says, once it has loaded, when it was first painted and when its document was parsed: by one
    /// script at its start in a world of its own, which the page cannot see. True by default.
    public var asksPages = true
    /// How long the answer may take; 3 seconds by default. A page that is hidden paints nothing, and is told after that.
    public var askingLimit = Duration.seconds(3)

    /// The default options.
    public init() {}
}
