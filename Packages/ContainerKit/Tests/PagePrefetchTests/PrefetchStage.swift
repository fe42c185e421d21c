// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import PagePrefetch
import Prefetch
import ResourceLoading
@_spi(Facade) import SchemeMode
import Testing
import WebEngine
import WebEngineTesting

/// Prefetchers with a fake network, packages, routing and cookies, without a container.
@MainActor
final class PrefetchStage {
    static let page = "https://shop.example/?id=7"
    static let api = "https://shop.example/api"

    let network = FakeLoader()
    let packages = FakePackages()
    let routing = FakeRouting()
    let cookies = FakeCookieReader()
    /// The values of `Set-Cookie` fields that were removed from responses.
    let setCookies = Recorder()
    private(set) var loaders: [InterceptionMode: PrefetchLoader] = [:]
    let prefetchers: Prefetchers

    /// Creates a stage.
    /// - Parameters:
    ///   - interfaces: the rows of the table.
    ///   - modes: the modes; at least one.
    init(
        _ interfaces: String = #"{"api":"https://shop.example/api"}"#, in modes: [InterceptionMode] = [.customScheme],
        permissions: PreflightCache? = nil, change: (inout PrefetchOptions) -> Void = { _ in }
    ) throws {
        var options = PrefetchOptions()
        options.table = try Self.table("1", interfaces)
        change(&options)
        network.put(.bytes(Data("api".utf8)), at: Self.api)
        network.put(.bytes(Data("page".utf8)), at: Self.page)
        var list: [Prefetcher] = []
        for mode in modes {
            let fields = EngineFields()
            fields.record(
                try #require(
                    HTTPRequest(urlText: Self.page, headerFields: [.userAgent: "Engine/1", .accept: "text/html"])))
            let setup = Prefetcher.Setup(
                options, fields: fields, names: .standard, acceptLanguage: nil, packages: packages,
                modeCount: modes.count)
            let loader = setup.loader(
                over: CookieKeepingLoader(base: network, values: setCookies), permissions: permissions)
            loaders[mode] = loader
            list.append(Prefetcher(setup, in: mode, loader: loader, routing: routing, cookies: cookies))
        }
        prefetchers = try #require(Prefetchers(list))
    }

    static func table(_ version: String, _ interfaces: String) throws -> PrefetchTable {
        try PrefetchTable(json: json(version, interfaces))
    }

    static func json(_ version: String, _ interfaces: String = #"{"api":"https://shop.example/api"}"#) -> Data {
        Data(
            """
            {"code":200,"data":{"version":"\(version)","config":[{"url":"https://shop.example/","interfaces":
            [\(interfaces)]}]}}
            """.utf8)
    }

    /// Opens a page.
    func begin(
        _ id: UInt64 = 1, in mode: InterceptionMode = .customScheme, isPosted: Bool = false,
        as agent: UserAgent = .engine
    ) {
        prefetchers.begin(PageID(rawValue: id), at: Self.page, in: mode, isPosted: isPosted, as: agent)
    }

    /// The header fields of a script's request, as the engine makes it in custom-scheme mode.
    static let ownFields: HTTPFields = [
        .userAgent: "Engine/1", .accept: "*/*", .referer: "https://shop.example/?id=7",
    ]

    /// Loads the page's own request.
    func load(
        _ id: UInt64 = 1, _ url: String = PrefetchStage.api, in mode: InterceptionMode = .customScheme,
        cookie: String? = "user=1"
    ) async throws -> Provenance.Source? {
        var fields = Self.ownFields
        fields[.cookie] = cookie
        guard let head = HTTPRequest(urlText: url, headerFields: fields) else { return nil }
        let page = PageReference(id: PageID(rawValue: id), documentURL: Self.page)
        let request = ResourceRequest(
            head, destination: .subresource, mode: .cors, page: PageAttribution(page, confidence: .exact))
        return try await loaders[mode]?.load(request)?.provenance.source
    }
}

/// Strings that can be recorded on any thread.
final class Recorder: Sendable {
    let values = Mutex<[String]>([])
}

/// A loader that removes and records the values of `Set-Cookie`, like the loader that stores cookies.
private struct CookieKeepingLoader: ResourceLoader {
    let base: any ResourceLoader
    let values: Recorder

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard var response = try await base.load(request) else { return nil }
        let values = response.head.headerFields[values: .setCookie]
        request.onSetCookie?(values)
        self.values.values.withLock { $0 += values }
        response.head.headerFields[values: .setCookie] = []
        return response
    }
}

/// Packages that serve a set of URLs.
final class FakePackages: ResourceLoader {
    let urls = Mutex<Set<String>>([])

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard request.page == nil, urls.withLock({ $0.contains(request.head.urlText) }) else { return nil }
        return ResourceResponse(
            head: HTTPResponse(status: .ok), body: .empty, provenance: Provenance(.package, reason: "a test"))
    }
}

/// Routing that a test controls. It records the requests whose routing it decides.
final class FakeRouting: PrefetchRouting {
    struct State {
        var opens = true
        var excluded: Set<String> = []
        var asked: [(url: String, isOriginBound: Bool)] = []
    }

    let state = Mutex(State())

    func opens(_ url: String) -> Bool { state.withLock(\.opens) }

    func usesNetwork(_ request: HTTPRequest, of page: String, isOriginBound: Bool) -> Bool {
        state.withLock { state in
            state.asked.append((request.urlText, isOriginBound))
            return !state.excluded.contains(request.urlText)
        }
    }
}

/// Cookies that a test sets.
@MainActor
final class FakeCookieReader: PrefetchCookieReading {
    struct Cookies: PrefetchCookieSource {
        let text: String?

        func header(for request: ResourceRequest) -> String? { text }

        func record(_ setCookies: [String], of request: ResourceRequest) {}
    }

    var text: String? = "user=1"
    var error: EngineError?
    private(set) var readings: [String] = []

    func prefetchCookies(ofPageAt url: String, in mode: InterceptionMode) async throws -> any PrefetchCookieSource {
        readings.append("\(mode.rawValue) \(url)")
        if let error { throw error }
        return Cookies(text: text)
    }
}
