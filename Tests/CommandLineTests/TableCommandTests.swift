// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import SystemSupport
import Testing

/// `h5 table diff` and `h5 table match` end to end, with valid and invalid input.
@Suite("h5 table", .timeLimit(.minutes(1)))
struct TableCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Writes a table of entries: path, version, and the first digit of the MD5.
    private func write(_ name: String, version: String, _ entries: [(String, String, String)]) throws {
        let map = entries.map { path, version, digit in
            """
            "https://h.example/\(path)":{"version":"\(version)","md5":"\(digit)518c371936fd611fc3b897a76c11111",\
            "download":"https://cdn.example/\(version)\(digit)/\(path)","ctype":"text/css"}
            """
        }
        let json = #"{"code":200,"data":{"version":"\#(version)","update":true,"resourcemap":{"#
        try folder.write(name, (json + map.joined(separator: ",") + "}}}").utf8)
    }

    private func object(_ arguments: String...) async throws -> [String: Any] {
        let outcome = try await Program("h5").run(["table"] + arguments + ["--json"], in: folder.path)
        #expect(outcome.status == 0 && outcome.output.split(separator: "\n").count == 1, "\(outcome.errors)")
        return try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    }

    private func fails(
        _ status: Int32, _ code: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await Program("h5").run(["table"] + arguments, in: folder.path)
        #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
        let line = lines.first ?? ""
        #expect(line.hasPrefix("error: \(code): ") && line.hasSuffix(")"), "\(line)", sourceLocation: sourceLocation)
    }

    @Test("diff lists the changes of a new table")
    func diff() async throws {
        try write("old.json", version: "1", [("a", "1", "a"), ("b", "1", "b"), ("c", "1", "c"), ("d", "1", "d")])
        try write("new.json", version: "2", [("a", "1", "a"), ("b", "2", "b"), ("c", "1", "e"), ("n", "1", "f")])
        let outcome = try await Program("h5").run("table", "diff", "old.json", "new.json", in: folder.path)
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(
            outcome.output == """
                + https://h.example/n
                ~ https://h.example/b
                ~ https://h.example/c
                - https://h.example/d
                1 added, 2 changed, 1 removed; 3 to download, 3 to delete

                """)
        let json = try await object("diff", "old.json", "new.json")
        #expect(
            json.keys.sorted() == [
                "added", "changed", "delete", "download", "invalid", "moved", "newVersion", "oldVersion", "removed",
                "replaces",
            ])
        #expect(json["invalid"] as? Int == 0)
        #expect(json["replaces"] as? Bool == true && json["newVersion"] as? String == "2")
        #expect(json["added"] as? [String] == ["https://h.example/n"])
        #expect(
            json["download"] as? [String] == [
                "https://cdn.example/2b/b", "https://cdn.example/1e/c", "https://cdn.example/1f/n",
            ])
        #expect(
            json["delete"] as? [String] == [
                "https://cdn.example/1b/b", "https://cdn.example/1c/c", "https://cdn.example/1d/d",
            ])
    }

    @Test("diff lists the entries whose download URL alone changes")
    func moved() async throws {
        try write("old.json", version: "1", [("a", "1", "a"), ("b", "1", "b")])
        let table = try folder.text(of: "old.json")
        let moved = table.replacing("cdn.example/1a", with: "cdn.example/new").replacing(
            #"{"version":"1","update""#, with: #"{"version":"2","update""#)
        try folder.write("new.json", moved.utf8)
        let outcome = try await Program("h5").run("table", "diff", "old.json", "new.json", in: folder.path)
        #expect(
            outcome.output == """
                > https://h.example/a
                0 added, 0 changed, 1 moved, 0 removed; 0 to download, 1 to delete

                """)
        let json = try await object("diff", "old.json", "new.json")
        #expect(json["moved"] as? [String] == ["https://h.example/a"] && json["download"] as? [String] == [])
    }

    @Test("One more entry in a table of 200 is one download")
    func oneMore() async throws {
        let entries = (0...200).map { ("e\($0)", "1", "a") }
        try write("old.json", version: "1", Array(entries.prefix(200)))
        try write("new.json", version: "2", entries)
        #expect(
            try await object("diff", "old.json", "new.json")["download"] as? [String] == ["https://cdn.example/1a/e200"]
        )
    }

    @Test("After a response without an update or with the same version, the client has the old table")
    func unchanged() async throws {
        try write("old.json", version: "1", [("a", "1", "a")])
        try folder.write("none.json", #"{"code":200,"data":{"version":"1","update":false}}"#.utf8)
        let none = try await object("diff", "old.json", "none.json")
        #expect(none["replaces"] as? Bool == false && none["newVersion"] is NSNull)
        #expect(none["removed"] as? [String] == [])
        #expect(try await object("diff", "old.json", "old.json")["replaces"] as? Bool == false)
    }

    @Test("match ignores the fragment and compares the query")
    func match() async throws {
        try write("table.json", version: "1", [("p.html?a=1&b=2", "3", "a"), ("p.html", "4", "b")])
        let outcome = try await Program("h5").run(
            "table", "match", "table.json", "https://h.example/p.html?a=1&b=2#x", in: folder.path)
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(
            outcome.output == """
                url: https://h.example/p.html?a=1&b=2
                version: 3
                md5: a518c371936fd611fc3b897a76c11111
                download: https://cdn.example/3a/p.html?a=1&b=2
                type: text/css

                """)
        let json = try await object("match", "table.json", "https://h.example/p.html#a")
        #expect(json.keys.sorted() == ["entry", "url"])
        let entry = try #require(json["entry"] as? [String: Any])
        #expect(entry.keys.sorted() == ["contentType", "download", "md5", "url", "version"])
        #expect(entry["version"] as? String == "4")
        let none = try await object("match", "table.json", "https://h.example/p.html?b=2&a=1")
        #expect(none["entry"] is NSNull)
    }

    @Test("Entries that cannot be used are left out and reported")
    func invalidEntries() async throws {
        let md5 = "0518c371936fd611fc3b897a76c11111"
        try write("old.json", version: "1", [("a", "1", "a")])
        try folder.write(
            "new.json",
            """
            {"code":200,"data":{"version":"2","resourcemap":{
            "//h.example/b":{"version":"1","md5":"\(md5)","download":"https://cdn.example/b"},
            "https://h.example/%7e":{"version":"1","md5":"\(md5)","download":"https://cdn.example/c"}}}}
            """.utf8)
        let outcome = try await Program("h5").run("table", "diff", "old.json", "new.json", in: folder.path)
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("+ https://h.example/~\n- https://h.example/a\n"), "\(outcome.output)")
        #expect(
            outcome.errors.hasPrefix("note: 1 entry of new.json cannot be used and is left out: "),
            "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(try await object("diff", "old.json", "new.json")["invalid"] as? Int == 1)
        let match = try await object("match", "new.json", "https://h.example/%7E")
        #expect(match["url"] as? String == "https://h.example/~" && match["entry"] is [String: Any])
    }

    @Test("Control characters and bidirectional controls of a table are not printed, and JSON contains their escapes")
    func hostileText() async throws {
        try write("table.json", version: "1", [("a", "1", "a")])
        let table = try String(contentsOfFile: folder.path + "/table.json", encoding: .utf8)
        let version = #""version":"1\u001b[2J\u009b\u202e\u2028\nurl: fake","md5""#
        try folder.write("table.json", table.replacing(#""version":"1","md5""#, with: version).utf8)
        let arguments = ["table", "match", "table.json", "https://h.example/a"]
        let outcome = try await Program("h5").run(arguments, in: folder.path)
        let line = "\nversion: 1\u{FFFD}[2J\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}url: fake\nmd5: "
        #expect(outcome.status == 0 && outcome.output.contains(line), "\(outcome.output.printableLines())")
        let json = try await Program("h5").run(arguments + ["--json"], in: folder.path)
        #expect(json.output.unicodeScalars.allSatisfy { $0 == "\n" || (0x20..<0x7F).contains($0.value) })
        let entry = try #require(
            try await object("match", "table.json", "https://h.example/a")["entry"] as? [String: Any])
        #expect(entry["version"] as? String == "1\u{1B}[2J\u{9B}\u{202E}\u{2028}\nurl: fake")
    }

    @Test("Invalid input is refused")
    func badInput() async throws {
        try write("good.json", version: "1", [("a", "1", "a")])
        try folder.write("bad.json", "{".utf8)
        try folder.write("code.json", #"{"code":500}"#.utf8)
        try folder.write("none.json", #"{"code":200}"#.utf8)
        try folder.write("empty.json", [])
        try await fails(65, "bad-json", "diff", "bad.json", "good.json")
        try await fails(65, "bad-json", "diff", "good.json", "empty.json")
        try await fails(65, "server-code", "diff", "good.json", "code.json")
        try await fails(65, "bad-table", "diff", "none.json", "good.json")
        try await fails(65, "bad-table", "match", "none.json", "https://h.example/a")
        try await fails(66, "no-input", "diff", "good.json", "missing.json")
        try await fails(66, "no-input", "match", "a\nerror: fake: line (x)", "https://h.example/a")
        try await fails(74, "io", "match", ".", "https://h.example/a")
        try await fails(64, "usage", "diff", "good.json")
        try await fails(64, "usage", "match", "good.json", "not a url")
        try await fails(64, "usage", "frob")
        let unknown = try await Program("h5").run(["table", "frob"], in: folder.path)
        #expect(unknown.errors == "error: usage: no command 'frob': there are diff, match (see h5 table --help)\n")
    }
}
