// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import CookieJar
internal import Foundation
internal import PublicSuffixList

/// The command `h5 cookies`, which applies the lines of standard input to one cookie jar.
struct CookiesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cookies",
        abstract: "Sets and gets cookies of one jar, line by line.",
        discussion: """
            Reads lines of JSON from standard input and prints one line of JSON for each, before the next line is \
            read. {"set":{"url":U,"header":H,"api":"http"|"script"}} stores the Set-Cookie value H, or assigns it to \
            document.cookie, and prints {"reason","stored"}: the reason is null or a code such as "public-suffix"; \
            "expired" means that the jar keeps no cookie of that name, domain and path. \
            {"get":{"url":U,"api":"http"|"script"}} prints {"cookie"}, which may be empty. The default of "api" is \
            "http". Requests are same-site, the rules are those of RFC 6265bis, and the public suffix list applies. \
            The first line that cannot be used ends the command (65). The jar is empty at first and is not saved.
            """)

    @Option(
        help: ArgumentHelp("The time of all lines; the system's clock by default.", valueName: "RFC3339"),
        transform: RFC3339Date.argument)
    var now: Date?

    func run() async throws {
        let jar: CookieStore
        if let now {
            jar = CookieStore(publicSuffixes: SuffixList(), now: { now })
        } else {
            jar = CookieStore(publicSuffixes: SuffixList())
        }
        var input = LineInput()
        while let line = try input.next() {
            guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
            switch try CookieLine(json: line, number: input.number) {
            case .set(let url, let header, let api):
                try CommandOutput.result(json: Self.store(header, at: url, api, in: jar))
            case .get(let url, .http):
                try CommandOutput.result(json: ["cookie": jar.cookieHeader(for: url) ?? ""])
            case .get(let url, .script):
                try CommandOutput.result(json: ["cookie": jar.scriptCookieString(for: url)])
            }
        }
    }

    private struct StoreOutput: Encodable {
        var reason: String?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            // A missing value is encoded as null.
            try container.encode(reason, forKey: .reason)
            try container.encode(reason == nil, forKey: .stored)
        }

        enum CodingKeys: String, CodingKey {
            case reason, stored
        }
    }

    private static func store(
        _ header: String, at url: CookieURL, _ api: CookieLine.API, in jar: CookieStore
    ) -> StoreOutput {
        do throws(CookieRefusal) {
            switch api {
            case .http: try jar.store(setCookie: header, from: url)
            case .script: try jar.setFromScript(header, at: url)
            }
        } catch {
            return StoreOutput(reason: "\(error.code)")
        }
        // The jar accepts an expired cookie in order to remove the cookie of its identity.
        let cookie = jar.identity(ofSetCookie: header, from: url).flatMap(jar.cookie)
        return StoreOutput(reason: cookie == nil ? "expired" : nil)
    }
}

/// A line of the input of `h5 cookies`.
enum CookieLine {
    /// The interface that sets or gets cookies.
    enum API: String, Decodable {
        /// A response or a request.
        case http
        /// `document.cookie`.
        case script
    }

    case set(CookieURL, header: String, API)
    case get(CookieURL, API)

    /// Parses a line.
    /// - Throws: ``CommandError`` with the number of the line.
    init(json: Data, number: Int) throws {
        func invalid(_ what: String) -> CommandError {
            CommandError(.badInput, code: "bad-line", what, at: "line \(number)")
        }
        func url(_ text: String) throws -> CookieURL {
            guard let url = CookieURL(text) else { throw invalid("not a URL that can have cookies") }
            return url
        }
        let line: Line
        do {
            line = try JSONDecoder().decode(Line.self, from: json)
        } catch {
            throw invalid("neither a set nor a get in JSON")
        }
        switch (line.set, line.get) {
        case (let set?, nil): self = .set(try url(set.url), header: set.header, set.api ?? .http)
        case (nil, let get?): self = .get(try url(get.url), get.api ?? .http)
        default: throw invalid("the line needs either set or get")
        }
    }

    private struct Line: Decodable {
        struct Set: Decodable {
            var url: String
            var header: String
            var api: API?
        }

        struct Get: Decodable {
            var url: String
            var api: API?
        }

        var set: Set?
        var get: Get?
    }
}
