// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// An error of an engine operation.
public struct EngineError: CodedError, Hashable {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<EngineError>

    /// The kind of the failure.
    public let code: Code
    /// A human-readable message of one line.
    public let message: String
    /// The URL or name that the error is about.
    public let location: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, at location: String? = nil) {
        self.code = code
        self.message = message
        self.location = location
    }
}

extension ErrorCode<EngineError> {
    /// No main loop is running.
    public static var noMainLoop: Self { Self("no-main-loop") }
    /// There is no display.
    public static var noDisplay: Self { Self("no-display") }
    /// The sandbox of the engine is required, and this system cannot run it.
    public static var noSandbox: Self { Self("no-sandbox") }
    /// The engine reserves the scheme.
    public static var schemeTaken: Self { Self("scheme-taken") }
    /// The name of a message handler is invalid or in use.
    public static var handlerTaken: Self { Self("handler-taken") }
    /// The page could not be loaded.
    public static var loadFailed: Self { Self("load-failed") }
    /// The engine or a rule of the app refuses the URL. Browsers block some ports, for example.
    public static var blocked: Self { Self("blocked") }
    /// The page was replaced before the result was available. The script may have run. A second call runs in the new
    /// page.
    public static var pageGone: Self { Self("page-gone") }
    /// The host name of the page has no address.
    public static var unknownHost: Self { Self("unknown-host") }
    /// No connection could be made to the host of the page.
    public static var cannotConnect: Self { Self("cannot-connect") }
    /// The TLS handshake failed, or the certificate of the host was refused.
    public static var tls: Self { Self("tls") }
    /// The engine cannot use the response, for example because of too many redirects.
    public static var badAnswer: Self { Self("bad-answer") }
    /// The connection ended before the page was complete.
    public static var connectionLost: Self { Self("connection-lost") }
    /// The web process or the view ended.
    public static var processEnded: Self { Self("process-ended") }
    /// A script threw an error, or its result cannot be serialized.
    public static var script: Self { Self("script") }
    /// The snapshot failed.
    public static var snapshot: Self { Self("snapshot") }
    /// The folder for the data of the engine, or for a download, cannot be used.
    public static var storage: Self { Self("storage") }
    /// The engine refused a cookie.
    public static var cookie: Self { Self("cookie") }
    /// The user agent is not a valid header field value.
    public static var invalidUserAgent: Self { Self("invalid-user-agent") }
    /// The proxies of the system for a host are unknown, or none is of a supported kind.
    public static var proxy: Self { Self("proxy") }
    /// A time limit expired.
    public static var timedOut: Self { Self("timed-out") }
}
