// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension CookieFile {
    /// How a jar is kept.
    public struct Options: Sendable {
        /// Whether cookies of the session are written as well; no.
        public var keepsSessionCookies = false
        /// How long changes are gathered before they are written together; 1 s.
        public var delay: Duration = .seconds(1)
        /// The most bytes of a file, read or written; 64 MiB, which is more than the largest jar of the usual limits takes.
        public var maxBytes = 64 << 20
        /// Hears of each write that failed without anybody waiting for it, on a thread of the file's own. The next change
        /// tries again.
        public var onFailure: @Sendable (any Error) -> Void = { _ in }

        /// Makes the usual options.
        public init() {}
    }
}
