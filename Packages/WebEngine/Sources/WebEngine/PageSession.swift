// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// One open page, from its opening to its close.
public struct PageSession: Sendable, Hashable {
    /// Counts up from 1 in one container.
    public let id: PageID
    /// The real URL of the document that the view shows.
    public var documentURL: String
    /// The view that shows the page.
    public let view: ViewID
    /// How the page's requests reach the container.
    public let mode: InterceptionMode
    /// The generations that answer this page until it closes; of a package that is installed for the first time
    /// meanwhile, the first.
    public var generations: [GenerationReference]

    /// Creates the session of a page that opens.
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
