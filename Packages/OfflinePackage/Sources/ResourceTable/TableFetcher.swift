// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// A client that fetches tables and files from the network within their limits.
struct TableFetcher: Sendable {
    /// The maximum time of a request for a file, and therefore the maximum wait of a page.
    private static let fileLimit = Duration.seconds(30)
    let network: any ResourceLoader
    let conditions: any HostConditioning
    let configuration: TableLibrary.Configuration
    let clock: any Clock<Duration>

    /// Fetches and decodes a table, off the caller's actor.
    /// - Throws: ``TableError`` or `CancellationError`.
    func answer(from url: TableURL) async throws -> (bytes: Data, answer: TableAnswer) {
        let bytes = try await fetch(
            url, configuration.headerFields, upTo: configuration.limits.maxBytes, within: configuration.answerLimit)
        let answer = try TableAnswer(decoding: bytes, limits: configuration.limits)
        if case .table(let table) = answer { try configuration.check(table) }
        return (bytes, answer)
    }

    /// Fetches the file of an entry and checks its MD5.
    /// - Throws: ``TableError`` or `CancellationError`.
    func file(of entry: TableEntry) async throws -> Data {
        let bytes = try await fetch(
            entry.download, [:], upTo: configuration.maxFileBytes, within: Self.fileLimit)
        let md5 = MD5Digest(of: bytes)
        guard md5 == entry.md5 else {
            throw TableError(
                .digestMismatch, "the file has MD5 \(md5), expected \(entry.md5)",
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
            throw TableError(.noAnswer, "the URL is not valid", at: location)
        }
        guard configuration.allowsInsecure || head.webOrigin?.isPotentiallyTrustworthy ?? false else {
            throw TableError(.insecure, "the URL uses http and does not refer to this machine", at: location)
        }
        do {
            return try await withTimeLimit(time, clock: clock) {
                TableError(.timedOut, "the transfer did not complete within \(time)", at: location)
            } _: { [network] in
                guard let response = try await network.load(ResourceRequest(head)) else {
                    throw TableError(.noAnswer, "no loader returned a response", at: location)
                }
                guard response.head.status == .ok else {
                    throw TableError(.noAnswer, "HTTP status \(response.head.status.code)", at: location)
                }
                // Names of codings are case-insensitive (RFC 9110, section 8.4.1).
                guard response.head.headerFields[.contentEncoding]?.asciiLowercased ?? "identity" == "identity" else {
                    throw TableError(.noAnswer, "the response has a content coding that was not decoded", at: location)
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
        // A DNS lookup or a connection can fail for many reasons. The host's conditions show whether the device has a
        // network.
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

/// The rule that decides whether a remote table replaces the local one.
enum TableVersionRule {
    /// Returns a Boolean value that indicates whether a remote version replaces the local one.
    ///
    /// Any different version replaces the local one, higher or lower. The mirror may be outdated, so its integer
    /// version does not replace a higher integer version.
    static func replaces(_ remote: String, from source: TableSource, local: String?) -> Bool {
        guard let local else { return true }
        guard remote != local else { return false }
        guard source == .mirror, let remote = digits(remote), let local = digits(local) else { return true }
        return (remote.count, String(decoding: remote, as: UTF8.self))
            >= (local.count, String(decoding: local, as: UTF8.self))
    }

    /// Returns the digits of an integer of any size without leading zeros, so that a longer text is the larger
    /// number.
    private static func digits(_ version: String) -> Substring.UTF8View? {
        guard !version.isEmpty, version.utf8.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        return Substring(version).utf8.drop { $0 == UInt8(ascii: "0") }
    }
}
