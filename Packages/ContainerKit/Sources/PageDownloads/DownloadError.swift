// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import SystemSupport
internal import WebEngine

/// The reason for which a file was not saved. No part of the file is left.
public struct DownloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower-case words joined by hyphens.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The app cancelled the download, an account was signed out, the container was shut down, or the page ended
        /// before a response arrived.
        public static let cancelled = Code("cancelled")
        /// The number of downloads is at its limit.
        public static let tooMany = Code("too-many")
        /// The file is, or would be, longer than ``DownloadOptions/byteLimit``.
        public static let tooLarge = Code("too-large")
        /// The device has too little free space.
        public static let noSpace = Code("no-space")
        /// The folder or the name that the app chose cannot be used.
        public static let destination = Code("destination")
        /// The file system failed.
        public static let io = Code("io")
        /// The server answered with an error.
        public static let status = Code("status")
        /// The request for the bytes failed, or the connection broke off.
        public static let loadFailed = Code("load-failed")
        /// Too few bytes arrived within ``DownloadOptions/silenceLimit``.
        public static let timedOut = Code("timed-out")
    }

    /// The kind of the failure.
    public let code: Code
    /// One line of text for people.
    public let message: String
    /// The URL or path that the error is about.
    public let location: String?

    init(_ code: Code, _ message: String, at location: String? = nil) {
        self.code = code
        self.message = message
        self.location = location
    }

    /// Converts an error of the system.
    /// - Parameter path: the path that the error is about. Default: the path of `error`.
    init(system error: SystemError, at path: String? = nil) {
        self.init(error.isOutOfSpace ? .noSpace : .io, error.description, at: path ?? error.path)
    }

    /// Converts any error; a `DownloadError` stays unchanged.
    init(_ error: any Error, at url: String) {
        switch error {
        case let error as DownloadError: self = error
        case let error as SystemError: self.init(system: error)
        case is CancellationError: self.init(.cancelled, "stopped", at: url)
        case let error as ResourceError where error.code == .cancelled: self.init(.cancelled, "stopped", at: url)
        case let error as ResourceError where error.code == .tooLarge: self.init(.tooLarge, error.message, at: url)
        case let error as ResourceError where error.code == .io: self.init(.io, error.message, at: url)
        case let error as EngineError where error.code == .storage: self.init(.io, error.message, at: url)
        case let error as EngineError where error.code == .timedOut: self.init(.timedOut, error.message, at: url)
        default: self.init(.loadFailed, "\(error)", at: url)
        }
    }

    /// `<code>: <message> (<location>)`.
    public var description: String {
        location.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
