// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing
import WebSyntax

@testable import SchemeMode

/// The tokenizer tests of html5lib-tests, which are not part of this repository. `HTML5LIB_TESTS` is their folder; by
/// default they are next to the other conformance data.
@Suite("Token boundaries of html5lib-tests", .timeLimit(.minutes(5)))
struct TokenizerConformanceTests {
    /// The parts of a token that are compared.
    private enum Token: Equatable, CustomStringConvertible {
        case start(String, [String: String], Bool)
        case end(String)
        case text(String)

        var description: String {
            switch self {
            case .start(let name, let attributes, let isClosed):
                "<\(name) \(attributes.sorted { $0.key < $1.key })\(isClosed ? "/" : "")>"
            case .end(let name): "</\(name)>"
            case .text(let text): "'\(text)'"
            }
        }
    }

    @Test("Tags, attributes and text have the expected boundaries")
    func borders() throws {
        guard let folder = Self.folder() else {
            print("skipped: no html5lib-tests (set HTML5LIB_TESTS)")
            return
        }
        var count = 0
        var failures: [String] = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).sorted(
            by: { $0.path < $1.path })
        where file.pathExtension == "test" {
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
            for case let test as [String: Any] in json["tests"] as? [Any] ?? [] {
                let isEscaped = test["doubleEscaped"] as? Bool ?? false
                guard let written = test["input"] as? String, let output = test["output"] as? [Any],
                    let input = isEscaped ? Self.unescape(written) : written
                else { continue }
                for state in test["initialStates"] as? [String] ?? ["Data state"] {
                    guard let content = Self.contents[state] else { continue }
                    let hasReferences = input.contains("&")
                    let expected = Self.expected(output, isEscaped: isEscaped, hasReferences: hasReferences)
                    for step in [input.utf8.count + 1, 1, 3] {
                        let found = Self.tokens(
                            of: input, in: content, element: test["lastStartTag"] as? String ?? "", step: step,
                            hasReferences: hasReferences, expected: expected)
                        count += 1
                        if found != expected {
                            failures.append(
                                "\(file.lastPathComponent): \(test["description"] ?? ""): \(state), by \(step): \(found) for \(expected)"
                            )
                        }
                    }
                }
            }
        }
        #expect(count > 20_000)
        #expect(failures.isEmpty, "\(failures.count) of \(count): \(failures.prefix(20).joined(separator: "\n"))")
        print("html5lib-tests: \(count - failures.count) of \(count) runs agree")
    }

    private static let contents: [String: HTMLTokenizer.Content] = [
        "Data state": .data, "RCDATA state": .rawText, "RAWTEXT state": .rawText, "Script data state": .script,
        "PLAINTEXT state": .plainText, "CDATA section state": .cdata,
    ]

    private static func folder() -> URL? {
        var candidates: [URL] = []
        if let path = ProcessInfo.processInfo.environment["HTML5LIB_TESTS"] {
            candidates.append(URL(fileURLWithPath: path))
        }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../../..")
            .standardizedFileURL
        candidates.append(root.deletingLastPathComponent().appendingPathComponent("shared/conformance/html5lib-tests"))
        return candidates.map { $0.appendingPathComponent("tokenizer") }.first {
            FileManager.default.fileExists(atPath: $0.path)
        }
    }

    private static func expected(_ output: [Any], isEscaped: Bool, hasReferences: Bool) -> [Token] {
        var tokens: [Token] = []
        let text = { (value: Any?) in
            let string = value as? String ?? ""
            return clean(isEscaped ? unescape(string) ?? string : string)
        }
        for case let token as [Any] in output {
            switch token.first as? String {
            case "StartTag":
                let attributes = token[2] as? [String: Any] ?? [:]
                tokens.append(
                    .start(
                        text(token[1]),
                        Dictionary(
                            attributes.map { (text($0.key), text($0.value)) }, uniquingKeysWith: { first, _ in first }),
                        token.count > 3))
            case "EndTag": tokens.append(.end(text(token[1])))
            case "Character": add(text(token[1]), to: &tokens, hasReferences)
            default: break
            }
        }
        return tokens
    }

    /// Text is compared if it needs no decoding.
    private static func add(_ text: String, to tokens: inout [Token], _ hasReferences: Bool) {
        guard !hasReferences, !text.isEmpty else { return }
        if case .text(let before) = tokens.last {
            tokens[tokens.count - 1] = .text(before + text)
        } else {
            tokens.append(.text(text))
        }
    }

    private static func tokens(
        of input: String, in content: HTMLTokenizer.Content, element: String, step: Int, hasReferences: Bool,
        expected: [Token]
    ) -> [Token] {
        let bytes = Array(input.replacing("\r\n", with: "\n").replacing("\r", with: "\n").utf8)
        var tokenizer = HTMLTokenizer(
            maxTagBytes: 1 << 20, content: content, rawElement: ShortName(Array(element.utf8)), followsTree: false)
        var tokens: [Token] = []
        var position = 0
        var text: [UInt8] = []
        func flush() {
            add(clean(String(decoding: text, as: UTF8.self)), to: &tokens, hasReferences)
            text = []
        }
        var end = 0
        repeat {
            end = min(end + step, bytes.count)
            let isLast = end == bytes.count
            bytes[..<end].withUnsafeBufferPointer { bytes in
                while let (piece, next) = tokenizer.next(bytes, from: position, isLast: isLast) {
                    switch piece {
                    case .text(let range): text += bytes[range]
                    case .tag(let tag, let range):
                        flush()
                        let letters = UnsafeBufferPointer(rebasing: bytes[range])
                        let name = clean(String(decoding: letters[tag.nameRange].map(\.asciiLowercased), as: UTF8.self))
                        guard !tag.isEnd else {
                            tokens.append(.end(name))
                            break
                        }
                        // Values with references beyond ASCII are not decoded here.
                        var known: [String: String] = [:]
                        if tokens.count < expected.count, case .start(_, let attributes, _) = expected[tokens.count] {
                            known = attributes
                        }
                        var attributes: [String: String] = [:]
                        for attribute in tag.attributes {
                            let key = clean(
                                String(decoding: letters[attribute.name].map(\.asciiLowercased), as: UTF8.self))
                            let value = clean(
                                String(
                                    decoding: CharacterReferences.decode(letters[attribute.value]).bytes, as: UTF8.self)
                            )
                            let isASCII = known[key]?.utf8.allSatisfy { $0 < 0x80 } ?? true
                            if attributes[key] == nil {
                                attributes[key] = hasReferences && !isASCII ? known[key] : value
                            }
                        }
                        tokens.append(.start(name, attributes, tag.isSelfClosing))
                    case .longTag, .markup: break
                    }
                    position = next
                }
            }
        } while end < bytes.count
        flush()
        return tokens
    }

    private static func clean(_ text: String) -> String {
        text.replacing("\u{0}", with: "\u{FFFD}")
    }

    /// Decodes `\uXXXX`; returns `nil` for a lone surrogate.
    private static func unescape(_ text: String) -> String? {
        let quoted = text.replacing("\"", with: "\\\"").replacing("\n", with: "\\n").replacing("\t", with: "\\t")
            .replacing("\r", with: "\\r")
        return try? JSONDecoder().decode([String].self, from: Data("[\"\(quoted)\"]".utf8)).first
    }
}
