// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension PrefetchLoader {
    /// The options of a prefetch loader.
    public struct Configuration: Sendable {
        /// The time for which a response is valid after its head arrived; a request without a head ends after the same
        /// time. The default is 30 s.
        public var maxAge = Duration.seconds(30)
        /// The longest time for which a page's request waits for the head of a response that it has joined. Then the
        /// request continues without the response. The default is 10 s.
        public var joinLimit = Duration.seconds(10)
        /// The maximum number of requests at a time, in progress or complete; 64 by default.
        public var maxCount = 64
        /// The maximum number of bytes of all waiting responses, accurate to one piece of each. Beyond the limit, a
        /// response is received further only after a page has requested it. The default is 8 MiB.
        public var maxBytes = 8 << 20
        /// The maximum number of waiting bytes of one response, accurate to one piece; 1 MiB by default.
        public var maxAnswerBytes = 1 << 20
        /// The maximum number of unread bytes of a response that has a reader, accurate to one piece; 256 KiB by
        /// default.
        public var readAhead = 256 << 10
        /// The maximum number of request body bytes that are compared; a page's request with a longer body continues
        /// normally. The default is 64 KiB.
        public var maxBodyBytes = 64 << 10
        /// The fields in which a page's request may differ from the prefetch request, in lower case. Fields whose names
        /// begin with `sec-` may also differ. All other fields must be equal, including unknown ones, because they may
        /// identify the requester. Fields that `Vary` names must always be equal. The default is
        /// ``standardIgnoredFields``.
        public var ignoredFields = Self.standardIgnoredFields

        /// Creates the default options.
        public init() {}

        /// The fields that only affect the form or the transfer of a response, not the requester or the resource.
        public static let standardIgnoredFields: Set<String> = [
            "accept", "accept-encoding", "connection", "content-length", "content-type", "dnt", "host", "keep-alive",
            "priority", "referer", "save-data", "te", "upgrade-insecure-requests", "user-agent", "x-requested-with",
        ]
    }
}
