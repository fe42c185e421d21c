// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// A report about the state of a page.
public struct BootReport: Sendable, Hashable {
    /// The kind of a report. Kinds are added over time, so a `switch` needs a `default`.
    public enum Kind: Sendable, Hashable {
        /// The page's document begins to load.
        case began
        /// The page has loaded successfully.
        case healthy
        /// The page has failed, with a reason.
        case failed(String)
        /// A pinned generation has served a request of the page's document.
        ///
        /// From then on the boot of the page counts for the trial of the generation, even if the document's URL lies
        /// outside the base URL. One report for each document is sufficient.
        case answered(GenerationReference)
        /// The page shows another document. A document outside a base URL counts for its generation only after another
        /// `answered` report.
        case moved
        /// The page was closed.
        case closed
    }

    /// The page, with its document's real URL and its pinned generations.
    public var page: PageReference
    /// The kind of the report.
    public var kind: Kind

    /// Creates a report.
    public init(_ kind: Kind, of page: PageReference) {
        self.page = page
        self.kind = kind
    }
}
