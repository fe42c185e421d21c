// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
public import SystemSupport
internal import WebEngine

/// The reason for which a file was not saved. No part of the file remains.
public struct DownloadError: CodedError, Hashable {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<DownloadError>

    /// The kind of the failure.
    public let code: Code
    /// One line of text for people.
    public let message: String
    /// The URL or path that the error is about.
    public let location: String?

    /// Creates an error.
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
}

extension ErrorCode<DownloadError> {
    /// The app cancelled the download, an account was signed out, the container was shut down, or the page ended
    /// before a response arrived.
    public static var cancelled: Self { Self("cancelled") }
    /// The number of downloads is at its limit.
    public static var tooMany: Self { Self("too-many") }
    /// The file is, or would be, longer than ``DownloadOptions/byteLimit``.
    public static var tooLarge: Self { Self("too-large") }
    /// The device has too little free space.
    public static var noSpace: Self { Self("no-space") }
    /// The folder or the name that the app chose cannot be used.
    public static var destination: Self { Self("destination") }
    /// The file system failed.
    public static var io: Self { Self("io") }
    /// The response has an error status.
    public static var status: Self { Self("status") }
    /// The request for the bytes failed, or the connection broke off.
    public static var loadFailed: Self { Self("load-failed") }
    /// Too few bytes arrived within ``DownloadOptions/silenceLimit``.
    public static var timedOut: Self { Self("timed-out") }
}
