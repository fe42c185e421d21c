// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Fuzzing) extension HTMLRewriter {
    /// How much a document may make it hold.
    public struct Limits: Sendable, Hashable {
        /// A tag of more bytes stays as it is. Default: 256 KiB, for a `srcdoc`.
        public var maxTagBytes = 256 << 10
        /// An import map of more bytes stays as it is. Default: 256 KiB.
        public var maxMapBytes = 256 << 10
        /// So many documents inside of `srcdoc` of another are rewritten. Default: 3.
        public var maxNesting = 3

        public init() {}
    }
}
