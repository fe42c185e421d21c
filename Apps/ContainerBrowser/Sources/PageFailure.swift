// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContainerKit
internal import ResourceLoading
internal import WebEngine

/// The error that the program reports for a page that could not be opened: a code, a sentence and a URL.
///
/// The sentences are the program's own, because the messages of the engine and the transport address developers. An
/// original message is used only for a code without a sentence.
struct PageFailure {
    let url: String
    let limit: Duration
    let isOffline: Bool
    /// The base URLs of the installed packages.
    let packageBases: [String]

    /// Returns the error to report.
    /// - Parameter record: The container's request for the document, if there is one. Its error is more precise than
    ///   the engine's.
    func error(_ error: any Error, record: RequestRecord?) -> any Error {
        switch error {
        case let error as EngineError:
            guard error.code != .script, case .failed(let cause) = record?.outcome, cause.code != .cancelled else {
                return failure(error)
            }
            return failure(cause)
        case let error as ResourceError: return failure(error)
        default: return error
        }
    }

    private func failure(_ error: EngineError) -> CommandError {
        switch error.code {
        case .unknownHost: unavailable("unknown-host", error.location)
        case .tls: unavailable("tls", error.location)
        case .connectionLost: unavailable(isOffline ? "offline" : "connection-lost", error.location)
        case .cannotConnect: unavailable(isOffline ? "offline" : "cannot-connect", error.location)
        case .timedOut where error.message.hasPrefix(PageProbe.neverTrue):
            CommandError(.unavailable, code: "timed-out", error.message, at: url)
        case .timedOut: unavailable("timed-out", nil)
        case .blocked:
            CommandError(
                .unavailable, code: "blocked", "the engine does not load this URL, perhaps because of a blocked port",
                at: real(error.location))
        case .script: CommandError(.badInput, code: "script", "the expression failed: \(error.message)", at: url)
        case .loadFailed:
            CommandError(
                .unavailable, code: "load-failed", "the engine cannot show the page: \(error.message)",
                at: real(error.location))
        default: CommandError(.unavailable, code: "\(error.code)", error.message, at: url)
        }
    }

    private func failure(_ error: ResourceError) -> CommandError {
        let isCut = isOffline && (error.code == .cannotConnect || error.code == .connectionLost)
        let code = isCut ? "offline" : error.code == .timedOut ? "no-answer" : "\(error.code)"
        return Self.sentences[code] == nil
            ? CommandError(.unavailable, code: code, error.message, at: real(error.location))
            : unavailable(code, error.location)
    }

    private func unavailable(_ code: String, _ location: String?) -> CommandError {
        let missed = code == "offline" ? self.missed : ""
        let what = (Self.sentences[code] ?? "the page is unavailable") + missed
        guard code == "timed-out" else { return CommandError(.unavailable, code: code, what, at: real(location)) }
        return CommandError(.unavailable, code: code, "\(what) after \(limit)", at: url)
    }

    /// The part of an offline message that explains why no package contains the page.
    private var missed: String {
        if let base = packageBases.first(where: { $0 == url + "/" }) { return ", and the package begins at \(base)" }
        return packageBases.isEmpty ? "" : ", and no package that was given has this page"
    }

    /// Returns the location of an error if it is a real URL, for example after a redirect. Otherwise returns the page's
    /// URL.
    private func real(_ location: String?) -> String {
        guard let location, location.hasPrefix("http://") || location.hasPrefix("https://"),
            !location.contains(".localhost:")
        else { return url }
        return location
    }

    private static let sentences = [
        "unknown-host": "the host name has no address",
        "cannot-connect": "no connection to the host",
        "tls": "the server's certificate or the TLS handshake was refused",
        "connection-lost": "the connection ended or violated the protocol before the response was complete",
        "no-answer": "the server did not respond in time",
        "offline": "the network is cut",
        "timed-out": "the page did not load",
    ]
}
