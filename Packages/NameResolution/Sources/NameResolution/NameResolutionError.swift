// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason for which a name was not resolved.
public struct NameResolutionError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<NameResolutionError>

    public let code: Code
    public let message: String
    /// The host name or the URL of the resolver.
    public let location: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, at location: String? = nil) {
        self.code = code
        self.message = message
        self.location = location
    }
}

extension ErrorCode<NameResolutionError> {
    /// The text is not the name of a host.
    public static var invalidName: Self { Self("invalid-name") }
    /// The URL of a resolver is invalid.
    public static var invalidServer: Self { Self("invalid-server") }
    /// The answer is not a well-formed DNS message, or not a well-formed HTTPDNS body.
    public static var badMessage: Self { Self("bad-message") }
    /// The answer belongs to another question.
    public static var otherQuestion: Self { Self("other-question") }
    /// The answer is incomplete: the server has set the truncation flag.
    public static var truncated: Self { Self("truncated") }
    /// The server reports a failure (RFC 1035, section 4.1.1), such as SERVFAIL or REFUSED.
    public static var serverFailure: Self { Self("server-failure") }
    /// The aliases of a name form a loop or are more than the limit.
    public static var tooManyAliases: Self { Self("too-many-aliases") }
    /// The HTTP response has no DNS message: another status, media type or content coding.
    public static var badResponse: Self { Self("bad-response") }
    /// The answer is longer than its limit.
    public static var tooLarge: Self { Self("too-large") }
    /// The system has no address for the name.
    public static var noSuchName: Self { Self("no-such-name") }
    /// The system's resolver failed.
    public static var systemFailure: Self { Self("system-failure") }
    /// The look-up took too long.
    public static var timedOut: Self { Self("timed-out") }
    /// The answer has an address that a host of the public internet cannot have.
    public static var implausibleAnswer: Self { Self("implausible-answer") }
}
