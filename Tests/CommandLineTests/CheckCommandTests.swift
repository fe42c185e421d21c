// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

/// A resource table with one entry and a place for others.
private enum TableText {
    static let whole = """
        {"code":200,"data":{"version":"1","update":true,"resourcemap":{
        "https://h.example/a":{"version":"1","md5":"0518c371936fd611fc3b897a76c11111",
         "download":"https://cdn.example/a"}%
        }}}
        """

    static func adding(_ entries: String) -> String { whole.replacing("%", with: entries) }
}

/// `h5 check` end to end, with the documents of the guides and with faults.
@Suite("h5 check", .timeLimit(.minutes(2)))
struct CheckCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func check(_ text: String, _ arguments: String...) async throws -> Program.Outcome {
        try folder.write("document.json", text.utf8)
        return try await Program("h5").run(["check", "document.json"] + arguments, in: folder.path)
    }

    /// Returns the first JSON block of a guide.
    private func block(of guide: String) throws -> String {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appendingPathComponent("docs/\(guide)"), encoding: .utf8)
        let start = try #require(page.range(of: "```json\n"))
        let end = try #require(page[start.upperBound...].range(of: "\n```"))
        return String(page[start.upperBound..<end.lowerBound])
    }

    @Test(
        "The documents of the guides are valid",
        arguments: [
            ("route-rules.md", "rules: 5 rules, 2 denials\n"),
            ("remote-config.md", "remote-config: 2 denials, 2 modes, 2 rules\n"),
            ("prefetch-tables.md", "prefetch: 1 pages\n"), ("catalogue.md", "catalogue: 1 packages\n"),
            ("suggested-tables.md", "hosts: 2 hosts\n"),
        ])
    func guides(guide: String, output: String) async throws {
        let outcome = try await check(block(of: guide))
        #expect(outcome.status == 0 && outcome.output == output, "\(outcome.errors)")
    }

    @Test("A resource table is valid, and the result can be printed as JSON")
    func table() async throws {
        let outcome = try await check(TableText.adding(""), "--json")
        #expect(outcome.output == "{\"counts\":{\"entries\":1},\"kind\":\"table\",\"notes\":[]}\n", "\(outcome.errors)")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
    }

    @Test("The option selects the kind of a document whose members do not show it")
    func option() async throws {
        let outcome = try await check(#"{"format":1}"#, "--kind", "rules")
        #expect(outcome.status == 0 && outcome.output == "rules: 0 rules, 0 denials\n", "\(outcome.errors)")
    }

    @Test(
        "The first fault in the order of the document is reported with its line",
        arguments: [
            // Syntax, in documents of any kind.
            ("", "bad-json: no JSON value (document.json:1)"),
            ("{\n\"format\": 1,\n\"rules\": [}", "bad-json: no JSON value (document.json:3)"),
            (
                "{\"format\":1,\n\"rules\":[],\n\"rules\":[]}",
                "bad-json: a name that comes twice in one object: rules (document.json:3)"
            ),
            // Rules. The parser reads `rules` before `deny`, and limits after both.
            (
                "{\"format\":1,\n\"rules\":[\n{\"action\":\"pass\"},\n{\"action\":\"pass\",\n\"host\":\"a/b\"}]}",
                "bad-rule: invalid value: 'a/b' (document.json:5: rules[1].host)"
            ),
            (
                "{\"deny\":[\n{\"host\":\"a/b\"}],\n\"rules\":[\n{\"action\":\"drop\"}],\n\"format\":2}",
                "bad-rule: invalid value: 'a/b' (document.json:2: deny[0].host)"
            ),
            (
                "{\"rules\":[\n{\"action\":\"drop\"}],\n\"format\":2}",
                "bad-rule: invalid value: 'drop' (document.json:2: rules[0].action)"
            ),
            ("{\"rules\":[],\n\"format\":2}", "unknown-format: 2; this version supports 1 (document.json:2: format)"),
            ("{\n\"rules\":[]\n}", "bad-document: format is missing (document.json:1)"),
            ("\r\n{\"format\":1,\r\n\"rulez\":[],\"deny\":[]}", "bad-document: unknown name: rulez (document.json:3)"),
            (
                "{\"format\":1,\"rules\":[\n{\"action\":\"respond\",\"body\":\"ü\"},\n{\"action\":\"drop\"}]}",
                "bad-rule: a body needs Content-Type (document.json:2: rules[0].fields)"
            ),
            (
                "{\"format\":1,\"rules\":[\n{\"action\":\"block\",\"status\":200},\n{\"action\":\"drop\"}]}",
                "bad-rule: the status of a block is 400 to 599, not 200 (document.json:2: rules[0].status)"
            ),
            // Remote config.
            (
                "{\"format\":1,\n\"limits\":{\"poolCapacity\":\n9},\n\"deny\":[\"a b\"],\"version\":1}",
                "bad-value: 9 is not within 0 to 8 (document.json:3: limits.poolCapacity)"
            ),
            (
                "{\"format\":1,\"version\":1,\n\"rules\":[\n{\"action\":\"intercept\"}]}",
                "bad-value: a remote rule cannot intercept (document.json:3: rules[0].action)"
            ),
            (
                "{\"format\":1,\"version\":1,\n\"rules\":[{\"action\":\"pass\"},\n{\"action\":\"block\"}]}",
                "bad-value: a remote rule needs a host (document.json:3: rules[1].host)"
            ),
            // Prefetch tables.
            (
                "{\"data\":{\"config\":[\n{\"url\":\"https://a.example/\",\n\"interfaces\":7}],\n\"version\":[]},"
                    + "\"code\":200}",
                "bad-table: not an array (document.json:3: data.config[0].interfaces)"
            ),
            // Resource tables, whose entries are left out by the app.
            (
                TableText.adding(",\n\"https://h.example/b\":\n{\"version\":\"1\"}"),
                "bad-table: the entry has no md5 (document.json:5: https://h.example/b)"
            ),
            (
                TableText.adding(",\n\"https://h.example/b\":{\"version\":\"1\",\n\"md5\":1}"),
                "bad-table: md5 is not a string (document.json:5)"
            ),
            // Catalogues.
            (
                "{\"format\":1,\"sequence\":1,\"packages\":[\n{\"id\":\"shop\",\n\"manifest\":\"shop.json\","
                    + "\"scope\":\"https://a.example/\"}]}",
                "bad-catalogue: not an absolute http or https URL of at most 2048 bytes (document.json:3: packages[0]"
                    + ".manifest)"
            ),
            // Lists of hosts.
            (
                "{\"page\":\"https://a.example/\",\"hosts\":[\n{\"host\":\"a.example\"},\n7]}",
                "bad-message: no list of hosts: no object (document.json:3)"
            ),
            ("[]", "unknown-kind: the members of the document show no kind"),
            ("{\"rules\":[],\"data\":{\"config\":[]}}", "unknown-kind: the members of the document show several kinds"),
        ])
    func faults(text: String, error: String) async throws {
        let outcome = try await check(text)
        #expect(outcome.status == 65 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("error: \(error)"), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1)
    }

    @Test("Parts without an effect are notes, and the document is valid")
    func notes() async throws {
        let hidden = #"{"action":"pass","host":"a.example"}"#
        let rules = try await check(#"{"format":1,"rules":[\#(hidden),{"action":"pass"},\#(hidden)]}"#)
        #expect(rules.errors == "note: rules[0] has no effect, because rules[2] has the same conditions\n")
        let config = try await check(
            """
            {"format":1,"version":1,"feature":{},"features":{"pols":true},"limits":{"later":1},
             "rules":[{"action":"block","host":"b.example","glob":"/b"},
              {"action":"redirect","host":"b.example","to":"https://a.example:8443{path}"},
              {"action":"redirect","host":"b.example","glob":"/a","to":"https://{host}/"}]}
            """)
        #expect(
            config.errors == """
                note: feature is ignored
                note: features.pols is ignored
                note: limits.later is ignored
                note: RemoteConfigOptions.ruleHosts of the app must include a.example:8443, b.example

                """)
        let hosts = try await check(
            #"{"page":"/a","hosts":[{"host":"a.example"},{"host":"192.0.2.1"},{"host":"A.example"}]}"#)
        #expect(
            hosts.errors == """
                note: page is not the URL of a page
                note: 2 of 3 hosts have no effect: addresses, invalid names, duplicates, or hosts after the limit

                """)
        #expect(rules.status == 0 && config.status == 0 && hosts.status == 0)
    }

    @Test("A missing file and an unknown kind have their own statuses")
    func usage() async throws {
        #expect(try await Program("h5").run(["check", "none.json"], in: folder.path).status == 66)
        #expect(try await check("{}", "--kind", "manifest").status == 64)
    }
}
