// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

/// `h5 cookies` end to end, with valid and invalid input.
@Suite("h5 cookies", .timeLimit(.minutes(2)))
struct CookiesCommandTests {
    /// The shared cases of the IETF http-state working group, in a folder next to the repository. They may be missing.
    private static let cases = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../shared/conformance/http-state/parser.json").standardizedFileURL

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ input: String, now: String? = "2026-01-31T08:00:00Z") async throws -> Program.Outcome {
        try folder.write("input", input.utf8)
        let program = try Program("h5").path
        return try await Program(at: "/bin/sh").run(
            ["-c", #"exec "$0" cookies "$@" <input"#, program] + (now.map { ["--now", $0] } ?? []), in: folder.path)
    }

    /// Returns the output lines of a successful run.
    private func lines(_ input: [String], now: String? = "2026-01-31T08:00:00Z") async throws -> [String] {
        let outcome = try await run(input.joined(separator: "\n") + "\n", now: now)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    private func set(_ url: String, _ header: String, api: String? = nil) throws -> String {
        try line("set", ["url": url, "header": header, "api": api].compactMapValues { $0 })
    }

    private func get(_ url: String, api: String? = nil) throws -> String {
        try line("get", ["url": url, "api": api].compactMapValues { $0 })
    }

    private func line(_ name: String, _ members: [String: String]) throws -> String {
        String(decoding: try JSONEncoder().encode([name: members]), as: UTF8.self)
    }

    private static let stored = #"{"reason":null,"stored":true}"#

    private static func refused(_ reason: String) -> String { #"{"reason":"\#(reason)","stored":false}"# }

    @Test("Cookies of responses and scripts are stored and sent by the rules of RFC 6265bis")
    func rules() async throws {
        let url = "https://www.example.com/a/b"
        let steps = try [
            (get(url), #"{"cookie":""}"#),
            (set(url, "a=b"), Self.stored),
            (set(url, "c=d; HttpOnly", api: "http"), Self.stored),
            (get(url), #"{"cookie":"a=b; c=d"}"#),
            (get(url, api: "script"), #"{"cookie":"a=b"}"#),
            (set(url, "c=e", api: "script"), Self.refused("http-only")),
            (set(url, "x=y; HttpOnly", api: "script"), Self.refused("http-only")),
            (set(url, "s=1", api: "script"), Self.stored),
            (set(url, "x=y; Domain=com"), Self.refused("public-suffix")),
            (set(url, "x=y; Domain=example.org"), Self.refused("other-domain")),
            (set(url, "__Host-x=y; Path=/"), Self.refused("prefix")),
            (set(url, "__Host-x=y; Path=/; Secure"), Self.stored),
            (set("http://www.example.com/", "x=y; Secure"), Self.refused("insecure-origin")),
            (set("http://www.example.com/", "a=z; Path=/a"), Self.stored),
            (set(url, "x=y; SameSite=None"), Self.refused("cross-site-insecure")),
            (set(url, ""), Self.refused("empty")),
            (set(url, "a\u{1}=b"), Self.refused("control-character")),
            (set(url, "a=" + String(repeating: "x", count: 5_000)), Self.refused("too-long")),
            (get(url), #"{"cookie":"a=z; c=d; s=1; __Host-x=y"}"#),
            (get("https://other.example/"), #"{"cookie":""}"#),
        ]
        #expect(try await lines(steps.map(\.0)) == steps.map(\.1))
    }

    @Test("A cookie that has expired at the time of --now is not stored, and removes the stored one")
    func expiry() async throws {
        let url = "https://example.com/"
        let dated = "a=b; Expires=Sat, 31 Jan 2026 08:30:00 GMT"
        let steps = try [set(url, "x=1"), set(url, "x=1; Max-Age=0"), get(url), set(url, dated), get(url)]
        let gone = [Self.stored, Self.refused("expired"), #"{"cookie":""}"#]
        for (now, isStored) in [
            ("2026-01-31T08:29:59.5Z", true), ("2026-01-31T08:30:00Z", false), ("2026-01-31T09:29:59+01:00", true),
            ("2026-01-31T03:00:00.25-05:30", false), ("2026-01-31t08:00:00z", true),
        ] {
            let last = isStored ? [Self.stored, #"{"cookie":"a=b"}"#] : [Self.refused("expired"), #"{"cookie":""}"#]
            #expect(try await lines(steps, now: now) == gone + last, "\(now)")
        }
        // The clock of the system is later than the date.
        #expect(try await lines([set(url, "a=b; Expires=Thu, 01 Jan 2015 00:00:00 GMT")], now: nil) == [gone[1]])
    }

    @Test("The jar keeps 180 cookies of a domain")
    func eviction() async throws {
        let url = "https://example.com/"
        let output = try await lines((0..<200).map { try set(url, "c\($0)=1") } + [get(url)])
        #expect(output.count == 201)
        #expect(output.last?.split(separator: ";").count == 180 && output.last?.contains("c199=1") == true)
    }

    @Test("Each line is answered before the next one is read")
    func conversation() async throws {
        let url = "https://example.com/"
        let script = """
            mkfifo in out
            "$0" cookies <in >out & exec 3>in 4<out
            printf '%s\\n' "$1" >&3; read -r first <&4
            printf '%s\\n' "$2" >&3; read -r second <&4
            exec 3>&-; wait $! && printf '%s\\n' "$first" "$second"
            """
        let program = try Program("h5").path
        let outcome = try await Program(at: "/bin/sh").run(
            ["-c", script, program, try set(url, "a=b"), try get(url)], in: folder.path)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.output == Self.stored + "\n" + #"{"cookie":"a=b"}"# + "\n")
    }

    @Test("Empty lines and CRLF are permitted, and the last line needs no line feed")
    func lineEnds() async throws {
        let url = "https://example.com/"
        let outcome = try await run("\n \r\n" + set(url, "a=b") + "\r\n\n" + get(url))
        #expect(outcome.status == 0 && outcome.output == Self.stored + "\n" + #"{"cookie":"a=b"}"# + "\n")
        let empty = try await run("")
        #expect(empty.status == 0 && empty.output.isEmpty && empty.errors.isEmpty)
    }

    @Test(
        "A line that cannot be used ends the command with 65, after the answers to the lines before it",
        arguments: [
            "x", "[]", "{}", #"{"set":{"url":"https://example.com/"}}"#, #"{"get":{}}"#,
            #"{"get":{"url":"https://example.com/","api":"dom"}}"#, #"{"get":{"url":"about:blank"}}"#,
            #"{"get":{"url":"/"}}"#, #"{"set":{"url":"https://example.com/","header":1}}"#,
            #"{"get":{"url":"https://example.com/"},"set":{"url":"https://example.com/","header":"a=b"}}"#,
            #"{"get":{"url":"https://example.com/"}}{}"#,
        ])
    func invalidLines(_ line: String) async throws {
        let good = try get("https://example.com/")
        let outcome = try await run(good + "\n\n" + line + "\n" + good + "\n")
        #expect(outcome.status == 65 && outcome.output == #"{"cookie":""}"# + "\n")
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.hasPrefix("error: bad-line: ") && outcome.errors.hasSuffix("(line 3)\n"))
    }

    @Test("A line of more than 1 MiB is refused")
    func longLine() async throws {
        for end in ["", "\n"] {
            let outcome = try await run(String(repeating: " ", count: 1 << 20 + 1) + end)
            #expect(outcome.status == 65 && outcome.errors.hasSuffix("(line 1)\n"), "\(outcome.errors)")
        }
    }

    @Test(
        "--now needs a time of RFC 3339",
        arguments: [
            "2026-01-31", "2026-01-31T08:00:00", "2026-02-30T08:00:00Z", "2026-01-31T08:00:00.Z", "now",
            "2026-01-31T08:00:00+1:00", "2026-01-31T08:00:00+24:00", "2026-01-31T08:00:00ZZ", "1769846400",
        ])
    func times(_ time: String) async throws {
        let outcome = try await run("", now: time)
        #expect(outcome.status == 64 && outcome.output.isEmpty && outcome.errors.hasPrefix("error: usage: "))
    }

    @Test(
        "All cases of the http-state working group, in one run",
        .enabled(
            if: FileManager.default.fileExists(atPath: cases.path), "skipped: ../shared/conformance is not there"))
    func conformance() async throws {
        struct Case: Decodable {
            struct Sent: Decodable {
                let name: String
                let value: String
            }

            let test: String
            let received: [String]
            let sent: [Sent]
            let sentTo: String?

            enum CodingKeys: String, CodingKey {
                case test, received, sent
                case sentTo = "sent-to"
            }
        }

        let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: Self.cases))
            .filter { !$0.test.hasPrefix("DISABLED") }
        #expect(cases.count == 218)
        var input: [String] = []
        var places: [Int] = []
        for (number, test) in cases.enumerated() {
            // Each case has a domain of its own instead of that of the suite, so that the cases do not share cookies.
            func own(_ text: String) -> String {
                text.replacingOccurrences(of: "example.org", with: "case\(number).org", options: .caseInsensitive)
            }
            let name = test.test.lowercased()
            let host = "http://home.example.org:8888"
            for header in test.received {
                input.append(try set(own("\(host)/cookie-parser?\(name)"), own(header)))
            }
            let target = test.sentTo ?? "/cookie-parser-result?\(name)"
            input.append(try get(own(target.hasPrefix("/") ? host + target : target)))
            places.append(input.count - 1)
        }
        let output = try await lines(input, now: "2011-01-01T00:00:00Z")
        #expect(output.count == input.count)
        let answers = try places.map { try JSONDecoder().decode([String: String].self, from: Data(output[$0].utf8)) }
        let differing = zip(cases, answers).filter { test, answer in
            answer["cookie"] != test.sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        }
        #expect(Set(differing.map(\.0.test)) == Self.overruled)
    }

    /// The cases whose expectation the newer draft has changed; `ParserConformanceTests` says why.
    private static let overruled: Set<String> = [
        "0004", "0021", "0023", "0024", "0025", "0026", "0027", "0028", "CHROMIUM0009", "CHROMIUM0010", "CHROMIUM0012",
        "MOZILLA0012", "MOZILLA0014", "MOZILLA0015", "MOZILLA0016", "MOZILLA0017", "NAME0017", "NAME0023", "NAME0025",
        "NAME0028", "NAME0031", "NAME0032", "NAME0033", "OPTIONAL_DOMAIN0042",
    ]
}
