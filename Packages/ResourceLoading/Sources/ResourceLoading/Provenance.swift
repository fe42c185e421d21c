// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Where a response came from, and why.
public struct Provenance: Sendable, Hashable {
    /// Who answered.
    public enum Source: String, Sendable, Hashable, CaseIterable, Codable {
        /// A file of an offline package.
        case package
        /// An answer fetched before the page asked.
        case prefetch
        /// The memory level of the HTTP cache.
        case memory
        /// The disk level of the HTTP cache.
        case disk
        /// The network.
        case network
        /// Made by the container itself, such as an error page or a preflight answer.
        case synthetic
    }

    /// Who answered.
    public var source: Source
    /// One line for people: the rule, package or policy that led here.
    public var reason: String
    /// The generation of the package that answered, where one did.
    public var generation: GenerationReference?

    public init(_ source: Source, reason: String, generation: GenerationReference? = nil) {
        self.source = source
        self.reason = reason
        self.generation = generation
    }
}
