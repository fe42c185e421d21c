// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The source of a response, and the reason for it.
public struct Provenance: Sendable, Hashable {
    /// The kind of source that responded. Content sources of an app may add kinds, so a `switch` over the kinds needs a
    /// `default`.
    public struct Source: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The name of the kind in events, metrics and logs.
        public let rawValue: String

        /// Creates a kind of source.
        /// - Parameter rawValue: the name, one lowercase word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public var description: String { rawValue }

        /// A file of an offline package.
        public static let package = Source(rawValue: "package")
        /// A response that was fetched before the page requested it.
        public static let prefetch = Source(rawValue: "prefetch")
        /// The memory level of the HTTP cache.
        public static let memory = Source(rawValue: "memory")
        /// The disk level of the HTTP cache.
        public static let disk = Source(rawValue: "disk")
        /// The network.
        public static let network = Source(rawValue: "network")
        /// The container itself, such as an error page or the response to a preflight.
        public static let synthetic = Source(rawValue: "synthetic")
    }

    /// The kind of source that responded.
    public var source: Source
    /// One line for people: the rule, package or policy that led to this source.
    public var reason: String
    /// The generation of the package that responded, if a package did.
    public var generation: GenerationReference?

    /// Creates a provenance.
    public init(_ source: Source, reason: String, generation: GenerationReference? = nil) {
        self.source = source
        self.reason = reason
        self.generation = generation
    }
}
