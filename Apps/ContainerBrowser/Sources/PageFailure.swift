// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContainerKit
internal import ResourceLoading
internal import WebEngine

/// Why a page could not be opened, in words of the program's own: one code, one sentence, one URL.
///
/// The engine and the transport below it have texts of their own, made for their developers. What the codes of both
/// say is said here once; a text is taken over only where there is no code for it.
struct PageFailure {
    let url: String
    let limit: Duration
    let isOffline: Bool
    /// The base URLs of the packages that could have answered.
    let packageBases: [String]

    /// - Parameter record: the container's own request for the page's document, where it made one: it knows more than
    ///   the engine, which hears of it at second hand.
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
                .unavailable, code: "blocked", "the engine does not load this URL: its port is blocked, for one",
                at: real(error.location))
        case .script: CommandError(.badInput, code: "script", "the expression fails: \(error.message)", at: url)
        case .loadFailed:
            CommandError(
                .unavailable, code: "load-failed", "the engine does not show the page: \(error.message)",
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
        let what = (Self.sentences[code] ?? "the page is not there") + missed
        guard code == "timed-out" else { return CommandError(.unavailable, code: code, what, at: real(location)) }
        return CommandError(.unavailable, code: code, "\(what) after \(limit)", at: url)
    }

    /// What the packages have to do with a page that the network could not give.
    private var missed: String {
        if let base = packageBases.first(where: { $0 == url + "/" }) { return ", and the package begins at \(base)" }
        return packageBases.isEmpty ? "" : ", and no package that was given has this page"
    }

    /// A redirect may have led elsewhere; the engine's own names mean nothing outside.
    private func real(_ location: String?) -> String {
        guard let location, location.hasPrefix("http://") || location.hasPrefix("https://"),
            !location.contains(".localhost:")
        else { return url }
        return location
    }

    private static let sentences = [
        "unknown-host": "the host's name has no address",
        "cannot-connect": "no connection to the host",
        "tls": "the server's certificate, or the TLS handshake, is refused",
        "connection-lost": "the connection ended, or broke the protocol, before the answer was whole",
        "no-answer": "the server did not answer in time",
        "offline": "the network is cut",
        "timed-out": "the page was not there",
    ]
}
