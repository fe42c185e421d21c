// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// Fetches answers and files from the network, each within its limits.
struct TableFetcher: Sendable {
    let network: any ResourceLoader
    let conditions: any HostConditioning
    let configuration: TableLibrary.Configuration
    let clock: any Clock<Duration>

    /// Asks for a table and decodes the answer, away from the caller's actor.
    /// - Throws: ``TableError`` or `CancellationError`.
    func answer(from url: TableURL) async throws -> (bytes: Data, answer: TableAnswer) {
        let bytes = try await fetch(
            url, configuration.headerFields, upTo: configuration.limits.maxBytes, within: configuration.answerLimit)
        let answer = try TableAnswer(decoding: bytes, limits: configuration.limits)
        if case .table(let table) = answer { try configuration.check(table) }
        return (bytes, answer)
    }

    /// Fetches the file of an entry, and checks its MD5.
    /// - Throws: ``TableError`` or `CancellationError`.
    func file(of entry: TableEntry) async throws -> Data {
        let bytes = try await fetch(
            entry.download, [:], upTo: configuration.maxFileBytes, within: configuration.fileLimit)
        let md5 = MD5Digest(of: bytes)
        guard md5 == entry.md5 else {
            throw TableError(
                .digestMismatch, "\(bytes.count) bytes with MD5 \(md5), expected \(entry.md5)",
                at: entry.download.description)
        }
        return bytes
    }

    private func fetch(
        _ url: TableURL, _ fields: HTTPFields, upTo limit: Int, within time: Duration
    ) async throws -> Data {
        let location = url.description
        guard conditions.conditions.network != .none else {
            throw TableError(.offline, "the device has no network", at: location)
        }
        guard let head = HTTPRequest(urlText: location, headerFields: fields) else {
            throw TableError(.noAnswer, "no URL", at: location)
        }
        guard configuration.allowsInsecure || head.webOrigin?.isPotentiallyTrustworthy ?? false else {
            throw TableError(.insecure, "neither https nor of this machine", at: location)
        }
        do {
            return try await withTimeLimit(time, clock: clock) {
                TableError(.timedOut, "not done within \(time)", at: location)
            } _: { [network] in
                guard let response = try await network.load(ResourceRequest(head)) else {
                    throw TableError(.noAnswer, "nobody answers", at: location)
                }
                guard response.head.status == .ok else {
                    throw TableError(.noAnswer, "HTTP status \(response.head.status.code)", at: location)
                }
                guard response.head.headerFields[.contentEncoding] ?? "identity" == "identity" else {
                    throw TableError(.noAnswer, "a content coding that nobody decoded", at: location)
                }
                return try await response.body.collect(upTo: limit)
            }
        } catch {
            throw translate(error, at: location)
        }
    }

    private func translate(_ error: any Error, at location: String) -> any Error {
        if Task.isCancelled { return CancellationError() }
        if error is TableError { return error }
        let error = ResourceError(error, at: location)
        // A look-up or a connection fails for many reasons; the host knows whether there is no network at all.
        let isOffline = error.code == .offline || conditions.conditions.network == .none
        let code: TableError.Code =
            switch error.code {
            case _ where isOffline: .offline
            case .timedOut: .timedOut
            case .tooLarge: .tooLarge
            default: .noAnswer
            }
        return TableError(code, error.message, at: location, cause: error)
    }
}

/// Whether a remote table replaces the local one.
enum TableVersionRule {
    /// Another version replaces, higher or not; but an integer of the mirror, which may lag, never a higher one.
    static func replaces(_ remote: String, from source: TableSource, local: String?) -> Bool {
        guard let local else { return true }
        guard remote != local else { return false }
        guard source == .mirror, let remote = digits(remote), let local = digits(local) else { return true }
        return (remote.count, String(decoding: remote, as: UTF8.self))
            >= (local.count, String(decoding: local, as: UTF8.self))
    }

    /// The digits of an integer of any size, without leading zeros, so that the longer one is the higher.
    private static func digits(_ version: String) -> Substring.UTF8View? {
        guard !version.isEmpty, version.utf8.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        return Substring(version).utf8.drop { $0 == UInt8(ascii: "0") }
    }
}
