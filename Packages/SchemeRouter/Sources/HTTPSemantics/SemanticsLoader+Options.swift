// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

extension SemanticsLoader {
    /// What a server may do one way or another.
    public struct Options: Sendable, Hashable {
        /// Answers of these sources are made here and are settled; others come from a server that has done so, and pass as
        /// they are. Default: all but the network.
        public var sources: Set<Provenance.Source> = [.package, .prefetch, .memory, .disk, .synthetic]
        /// The most ranges of one request that are heeded; with more the whole is sent. Default: 16.
        public var maxRanges = 16
        /// A path that nothing answers leads to the same with a slash, where that is answered. Default: false.
        public var redirectsToFolders = false
        /// A path without an extension that nothing answers is answered by the one with `.html`. Default: false.
        public var addsHTMLExtension = false
        /// Methods other than GET and HEAD are refused (405) where GET would be answered here; else they are the next
        /// loader's, since a server may know them. Default: false.
        public var refusesOtherMethods = false

        public init() {}
    }
}
