// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The names by which older pages speak with the app: of their message handlers, of a callback and of a URL parameter.
public struct LegacyMessages: Sendable, Hashable {
    /// What the callback's and the parameter's names begin with.
    public let prefix: String
    /// The handler that takes bodies of requests; `XHRCALL` by default.
    public var bodyHandler = "XHRCALL"
    /// The handler that takes cookies; `COOKIECALL` by default.
    public var cookieHandler = "COOKIECALL"
    /// The handler that gives what was fetched ahead; `PREFETCHCALL` by default.
    public var prefetchHandler = "PREFETCHCALL"

    /// - Parameter prefix: 1 to 32 letters, digits, `_` and `-` of ASCII; `nil` for others.
    public init?(prefix: String) {
        guard (1...32).contains(prefix.utf8.count),
            prefix.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") })
        else { return nil }
        self.prefix = prefix
    }

    /// The function of `window` that is called with the id of a body that is stored.
    public var callback: String { prefix + "_realxhr_callback" }
    /// The URL parameter that carries the id of a request's body.
    public var parameter: String { prefix + "-wkwebview-request-id" }
}
