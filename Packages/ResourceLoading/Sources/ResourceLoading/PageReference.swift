// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The identifier of one open page.
public struct PageID: Sendable, Hashable, CustomStringConvertible {
    /// A number that counts up from one during the container's lifetime.
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public var description: String { "page-\(rawValue)" }
}

/// The properties of an open page that loaders may use.
public struct PageReference: Sendable, Hashable {
    /// The identifier of the page.
    public let id: PageID
    /// The real URL of the page's document.
    public var documentURL: String
    /// The generations that this page uses until it closes, at most one per package.
    public var generations: [GenerationReference]

    /// Creates a reference to a page.
    public init(id: PageID, documentURL: String, generations: [GenerationReference] = []) {
        self.id = id
        self.documentURL = documentURL
        self.generations = generations
    }

    /// Returns the generation of a package that this page is pinned to, or `nil` if there is none.
    public func generation(of package: String) -> GenerationReference? {
        generations.first { $0.package == package }
    }
}

/// The page that a request belongs to, and the confidence of that attribution.
public struct PageAttribution: Sendable, Hashable {
    /// The confidence of an attribution.
    public enum Confidence: Sendable, Hashable {
        /// The engine identifies the view.
        case exact
        /// The page is inferred from `Origin`, `Referer` or the destination. An inferred page decides which generation
        /// responds only if pages whose requests do not identify them use different generations; see ``requesters``.
        case inferred
    }

    /// The page of the request.
    public var page: PageReference
    /// The confidence of the attribution.
    public var confidence: Confidence
    /// The pages that may have sent the request, the most probable one first; empty by default, if this is unknown. It
    /// matters for an inferred page only.
    public var requesters: [PageID]

    /// Creates an attribution to a page.
    public init(_ page: PageReference, confidence: Confidence, requesters: [PageID] = []) {
        self.page = page
        self.confidence = confidence
        self.requesters = requesters
    }
}

/// The identifier of one installed generation of a package.
///
/// Generations are numbered by the store in the order of their installation; a number is never reused.
public struct GenerationReference: Sendable, Hashable {
    /// The package's identifier.
    public let package: String
    /// The number that the store assigned to this generation.
    public let number: Int64

    /// Creates a reference to a generation of a package.
    public init(package: String, number: Int64) {
        self.package = package
        self.number = number
    }
}
