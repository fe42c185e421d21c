// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Names one open page.
public struct PageID: Sendable, Hashable, CustomStringConvertible {
    /// Counts up from one while the container lives.
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public var description: String { "page-\(rawValue)" }
}

/// What loaders may know of an open page.
public struct PageReference: Sendable, Hashable {
    /// The page.
    public let id: PageID
    /// The real URL of the page's document.
    public var documentURL: String
    /// The generations this page stays on until it closes, at most one for each package.
    public var generations: [GenerationReference]

    public init(id: PageID, documentURL: String, generations: [GenerationReference] = []) {
        self.id = id
        self.documentURL = documentURL
        self.generations = generations
    }

    /// The generation that this page is pinned to for a package.
    public func generation(of package: String) -> GenerationReference? {
        generations.first { $0.package == package }
    }
}

/// The page behind a request, with how sure the engine is of it.
public struct PageAttribution: Sendable, Hashable {
    /// How an attribution was found.
    public enum Confidence: Sendable, Hashable {
        /// The engine names the view.
        case exact
        /// Concluded from `Origin`, `Referer` or destination. Never decides which generation answers.
        case inferred
    }

    /// The page that asked.
    public var page: PageReference
    /// How sure that is.
    public var confidence: Confidence

    public init(_ page: PageReference, confidence: Confidence) {
        self.page = page
        self.confidence = confidence
    }
}

/// Names one installed generation of a package.
///
/// Generations are numbered by the store in the order of their installation; a number is never reused.
public struct GenerationReference: Sendable, Hashable {
    /// The package's identifier.
    public let package: String
    /// The number that the store gave this generation.
    public let number: Int64

    public init(package: String, number: Int64) {
        self.package = package
        self.number = number
    }
}
