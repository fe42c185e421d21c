// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import HTTPTransport
internal import NIOTransport
internal import NameResolution
internal import ResourceLoading
internal import WebSyntax

/// The addresses of a server, as `--bootstrap HOST=ADDRESS` states one.
struct ServerAddress: Sendable {
    /// The host in lower case.
    let host: String
    let address: IPAddress

    /// Parses the value of the option.
    /// - Throws: `ValidationError`.
    static func argument(_ text: String) throws -> ServerAddress {
        guard let separator = text.firstIndex(of: "="), separator > text.startIndex,
            let address = IPAddress(text[text.index(after: separator)...])
        else { throw ValidationError("a bootstrap address is HOST=ADDRESS, such as dns.example=192.0.2.1") }
        return ServerAddress(host: HostPort(host: String(text[..<separator]), port: 443).host, address: address)
    }
}

extension ResolverServer {
    /// Returns the server of a value on the command line.
    static func argument(_ text: String) throws -> ResolverServer {
        do {
            return try ResolverServer(url: text)
        } catch {
            throw ValidationError(error.message)
        }
    }
}

/// The transport of requests to the servers of `h5 resolve`.
enum ServerTransport {
    /// The maximum size of a file of certificates in bytes.
    private static let longestAuthority = 1 << 20

    /// Calls `body` with a loader, and closes its connections at the end.
    /// - Parameters:
    ///   - servers: the servers.
    ///   - authority: the path of a file with certificates in PEM that are trusted for the servers too, or `nil`.
    /// - Throws: ``CommandError`` for a file that cannot be used, and the error of `body`.
    static func with(
        _ servers: [ResolverServer], authority: String?, _ body: (any ResourceLoader) async throws -> Void
    ) async throws {
        var settings = AsyncHTTPTransport.Configuration()
        settings.addresses = ServerAddresses(of: servers)
        if let authority { settings.authorities = [try read(authority, for: servers)] }
        let transport = AsyncHTTPTransport(settings)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(NetworkLoader(transport)))
        } catch {
            result = .failure(error)
        }
        try? await transport.shutDown()
        try result.get()
    }

    private static func read(_ path: String, for servers: [ResolverServer]) throws -> CertificateAuthority {
        let data = try TableInput.read(path, upTo: longestAuthority + 1)
        guard data.count <= longestAuthority else {
            throw CommandError(.badInput, code: "too-large", "the file has more than 1 MiB", at: path)
        }
        do {
            return try CertificateAuthority(
                pem: String(decoding: data, as: UTF8.self), hosts: servers.map(\.authority.host))
        } catch {
            throw CommandError(.badInput, code: "bad-certificate", error.message, at: path)
        }
    }
}
