// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import StrictJSON
import Testing

@Suite("Lines of JSON values", .timeLimit(.minutes(1)))
struct JSONLocatorTests {
    private func line(of place: String, in text: String) -> Int {
        Array(text.utf8).withUnsafeBytes { JSONLocator.line(of: place, in: $0) }
    }

    private let text = """
        {
          "rules": [
            { "host": "a" },
            { "host":
                "b",
              "https://a.example/x.js": { "md5": 1 } }
          ],
          "a.b": { "c": 1 },
          "a": { "b": {
            "c": 2 } },
          "n\\u0061me": [[1,
            2]]
        }
        """

    @Test(
        "A place leads to the line of its value, or of the nearest enclosing value",
        arguments: [
            ("", 1), ("rules", 2), ("rules[0]", 3), ("rules[0].host", 3), ("rules[1]", 4), ("rules[1].host", 5),
            ("rules[1].https://a.example/x.js.md5", 6), ("rules[1].https://a.example/x.js", 6), ("a.b", 8),
            ("name[0][1]", 12), ("name[0][0]", 11),
            // Values that do not exist.
            ("rules[2]", 2), ("rules[1].path", 4), ("rules[0].host[3]", 3), ("nothing", 1), ("rules[x]", 2),
            ("rules[", 2), ("rules[-1]", 2), ("rulesx", 1), (".", 1), ("[0]", 1),
        ])
    func lines(place: String, line: Int) {
        #expect(self.line(of: place, in: text) == line)
    }

    @Test("Of two names with dots, the one that leads further counts")
    func dots() {
        #expect(line(of: "a.b.c", in: text) == 8)
        #expect(line(of: "a.b.c", in: "{\n\"a.b\":{},\n\"a\":{\"b\":\n{\"c\":\n1}}}") == 5)
    }

    @Test("Line ends of Windows, a byte order mark and other texts before a value do not change its line")
    func spelling() {
        #expect(line(of: "b", in: "{\r\n\"a\":1,\r\n\"b\":2}") == 3)
        #expect(line(of: "b", in: "\u{FEFF}{\n\"a\":\"ü\\n\",\"b\":2}") == 2)
        #expect(line(of: "b", in: "{\"a\":1,\"b\":2}") == 1)
    }

    @Test(
        "A malformed text has the lines of the values before its fault",
        arguments: ["", "{", "{\n\"a\": {\n\"b\":", "]"])
    func malformed(text: String) {
        #expect((1...3).contains(line(of: "a.b", in: text)))
        #expect(line(of: "a", in: "{\n\"a\": 1,\n\"b\": x") == 2)
    }

    @Test("The line of a byte is that of the line feeds before it")
    func bytes() {
        for (position, line) in [(0, 1), (1, 1), (2, 2), (3, 2), (-1, 1), (99, 2)] {
            #expect(Array("a\nbc".utf8).withUnsafeBytes { JSONLocator.line(atByte: position, in: $0) } == line)
        }
    }

    @Test("Each value of a generated document has its line", arguments: 0..<20)
    func generated(seed: Int) {
        var state = UInt64(seed + 1)
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
        var text = ""
        var line = 1
        var places: [(place: String, line: Int)] = []
        func space() {
            guard random(3) == 0 else { return }
            text += "\n "
            line += 1
        }
        func value(_ place: String, _ depth: Int) {
            space()
            places.append((place, line))
            let count = random(4)
            switch depth < 4 ? random(3) : 2 {
            case 0:
                text += "["
                for index in 0..<count {
                    if index > 0 { text += "," }
                    value("\(place)[\(index)]", depth + 1)
                }
                space()
                text += "]"
            case 1:
                text += "{"
                for index in 0..<count {
                    if index > 0 { text += "," }
                    space()
                    text += "\"m\(index)\""
                    space()
                    text += ":"
                    value(place.isEmpty ? "m\(index)" : "\(place).m\(index)", depth + 1)
                }
                text += "}"
            default: text += ["1", "\"a\\\"{[\"", "true", "null"][random(4)]
            }
        }
        value("", 0)
        for (place, line) in places { #expect(self.line(of: place, in: text) == line, "\(place) in \(text)") }
    }
}
