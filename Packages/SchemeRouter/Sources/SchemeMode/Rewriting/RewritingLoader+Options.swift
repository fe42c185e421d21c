// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension RewritingLoader {
    /// How much is held in memory.
    public struct Options: Sendable, Hashable {
        /// A body of so many bytes that is in memory or in a file is rewritten at once, and keeps a length. Default: 256 KiB.
        public var maxImmediateBytes = 256 << 10
        /// A style sheet whose bytes are checked is held whole; a larger one fails. Default: 16 MiB.
        public var maxCheckedBytes = 16 << 20
        /// Of documents.
        var document = HTMLRewriter.Limits()

        public init() {}
    }
}
