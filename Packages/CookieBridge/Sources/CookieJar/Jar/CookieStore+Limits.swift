// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

extension CookieStore {
    /// How much a jar holds, and for how long. One cookie is bounded as well: 4,096 bytes of name and value, 1,024 of path,
    /// 253 of domain.
    public struct Limits: Sendable, Hashable {
        /// Cookies of one domain, those of hosts below it not counted; 180.
        public var perDomain = 180
        /// Cookies in all; 3,000.
        public var total = 3_000
        /// Seconds until a cookie of a response or a script ends, whatever it says itself; 400 days (RFC 6265bis, section 5.5).
        public var lifetime: TimeInterval = 34_560_000

        /// Makes the usual limits.
        public init() {}
    }
}
