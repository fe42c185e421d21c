// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// An open page, from opening to closing.
public struct PageSession: Sendable, Hashable {
    /// The page's number: unique in a container, counted from 1.
    public let id: PageID
    /// The real URL of the document that the view shows.
    public var documentURL: String
    /// The view that shows the page.
    public let view: ViewID
    /// The mechanism by which the page's requests reach the container.
    public let mode: InterceptionMode
    /// The package generations that serve this page until it closes. If a package is first installed while the page is
    /// open, the first generation of the package is added.
    public var generations: [GenerationReference]

    /// Creates a session for a page that opens.
    public init(
        id: PageID, documentURL: String, view: ViewID, mode: InterceptionMode, generations: [GenerationReference]
    ) {
        self.id = id
        self.documentURL = documentURL
        self.view = view
        self.mode = mode
        self.generations = generations
    }

    /// The part of the session that loaders may read.
    public var reference: PageReference {
        PageReference(id: id, documentURL: documentURL, generations: generations)
    }
}
