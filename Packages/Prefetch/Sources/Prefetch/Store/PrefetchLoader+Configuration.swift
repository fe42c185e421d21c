// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension PrefetchLoader {
    /// What a prefetch may be told.
    public struct Configuration: Sendable {
        /// How long an answer is good after its head has come; a request that brings none by then is ended.
        /// Default: 30 s.
        public var maxAge = Duration.seconds(30)
        /// How long a page's request waits for the head of the answer that it has joined before it goes on alone.
        /// Default: 10 s.
        public var joinLimit = Duration.seconds(10)
        /// The most requests at a time, under way or answered. Default: 64.
        public var maxCount = 64
        /// The most bytes of all answers that wait for a page, a piece of each apart: an answer that has no room comes
        /// on when it has been asked for. Default: 8 MiB.
        public var maxBytes = 8 << 20
        /// The most bytes of one answer that wait for a page, a piece apart. Default: 1 MiB.
        public var maxAnswerBytes = 1 << 20
        /// The most bytes of an answer that wait for the reader who has taken it, a piece apart. Default: 256 KiB.
        public var readAhead = 256 << 10
        /// The most bytes of a page's request body that are compared; a request with more goes on alone.
        /// Default: 64 KiB.
        public var maxBodyBytes = 64 << 10
        /// Fields in which a page's request may differ from the one made ahead, in lower case; beside them those whose
        /// names begin with `sec-`. All others must be the same, an unknown one above all: it may say who asks. What
        /// the answer's `Vary` names must be the same in any case. Default: ``standardIgnoredFields``.
        public var ignoredFields = Self.standardIgnoredFields

        public init() {}

        /// What says how an answer is to look or travel, and not who asks for what.
        public static let standardIgnoredFields: Set<String> = [
            "accept", "accept-encoding", "connection", "content-length", "content-type", "dnt", "host", "keep-alive",
            "priority", "referer", "save-data", "te", "upgrade-insecure-requests", "user-agent", "x-requested-with",
        ]
    }
}
