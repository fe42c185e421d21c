// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// How a page is doing.
public struct BootReport: Sendable, Hashable {
    /// What happened. Kinds are added over time: keep a default when switching.
    public enum Kind: Sendable, Hashable {
        /// Its document begins to load.
        case began
        /// It shows what it should.
        case healthy
        /// It does not, and says why.
        case failed(String)
        /// A generation that it is pinned to has answered a request of its document, wherever that lies: from now on the
        /// page counts for it. Once for each document is enough.
        case answered(GenerationReference)
        /// It shows another document now: one outside of a package no longer counts for it, unless that answers it again.
        case moved
        /// It was closed.
        case closed
    }

    /// The page, with its document's real URL and the generations it is pinned to.
    public var page: PageReference
    public var kind: Kind

    public init(_ kind: Kind, of page: PageReference) {
        self.page = page
        self.kind = kind
    }
}
