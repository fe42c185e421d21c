// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import SystemSupport
internal import WebEngine

/// Why a file was not saved. Nothing is left of it then.
public struct DownloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower-case words joined by hyphens.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The host cancelled it, an account was signed out, the container ended, or the page did before there was an
        /// answer.
        public static let cancelled = Code("cancelled")
        /// As many downloads as may be are under way.
        public static let tooMany = Code("too-many")
        /// It is, or would be, longer than ``DownloadOptions/byteLimit``.
        public static let tooLarge = Code("too-large")
        /// There is no room for it on the device.
        public static let noSpace = Code("no-space")
        /// The folder or the name that the host gave cannot be used.
        public static let destination = Code("destination")
        /// The file system failed.
        public static let io = Code("io")
        /// The server answered with an error.
        public static let status = Code("status")
        /// The bytes could not be had, or broke off.
        public static let loadFailed = Code("load-failed")
        /// Nothing came for ``DownloadOptions/silenceLimit``.
        public static let timedOut = Code("timed-out")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// What it is about: a URL or a path.
    public let location: String?

    init(_ code: Code, _ message: String, at location: String? = nil) {
        self.code = code
        self.message = message
        self.location = location
    }

    /// Converts an error of the system.
    /// - Parameter path: the path that it is about. Default: that of the error.
    init(system error: SystemError, at path: String? = nil) {
        self.init(error.isOutOfSpace ? .noSpace : .io, error.description, at: path ?? error.path)
    }

    /// Gives any error this type: unchanged where it already is one.
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
