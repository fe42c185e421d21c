// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A script of the checks.
///
/// A site whose engine runs no JavaScript recognizes the sources, and keeps one log for each world of each document.
public enum EngineContractScript: Sendable, Hashable {
    /// Returns a constant expression.
    case constant(String)
    /// Throws an error with this message.
    case throwing(String)
    /// Returns a value that has no JSON form.
    case unserializable
    /// Waits forever.
    case waiting
    /// Appends one letter to the log of the world.
    case append(Character)
    /// Returns the log of the world as a JSON text; `""` for a new document.
    case log
    /// Returns the origin of the document.
    case origin

    /// The JavaScript source. It is the body of an asynchronous function, and for ``append(_:)`` also a user script.
    public var source: String {
        switch self {
        case .constant(let expression): "return \(expression)"
        case .throwing(let message): "throw new TypeError('\(message)')"
        case .unserializable: "return () => 1"
        case .waiting: "await new Promise(done => globalThis.contractDone = done)"
        case .append(let letter): "globalThis.contractLog = (globalThis.contractLog ?? '') + '\(letter)'"
        case .log: "return globalThis.contractLog ?? ''"
        case .origin: "return location.origin"
        }
    }

    /// Returns the script with a source; `nil` if the checks have no such script.
    public init?(source: String) {
        let prefix = "globalThis.contractLog = (globalThis.contractLog ?? '') + '"
        if let script = [Self.unserializable, .waiting, .log, .origin].first(where: { $0.source == source }) {
            self = script
        } else if source.hasPrefix(prefix), let letter = source.dropFirst(prefix.count).first {
            self = .append(letter)
        } else if source.hasPrefix("throw new TypeError('") {
            self = .throwing(String(source.dropFirst(21).dropLast(2)))
        } else if source.hasPrefix("return ") {
            self = .constant(String(source.dropFirst(7)))
        } else {
            return nil
        }
    }

    /// The expressions of ``constant(_:)`` in the checks, each with the JSON that ``ViewScripting/evaluate(_:in:)``
    /// returns for it, with sorted keys.
    public static let constants: [(expression: String, json: String)] = [
        ("undefined", "null"), ("null", "null"), ("true", "true"), ("false", "false"), ("0", "0"), ("1", "1"),
        ("-7", "-7"), ("1.5", "1.5"), ("2147483648", "2147483648"), ("''", "\"\""), ("'a\\\"ü'", "\"a\\\"ü\""),
        ("[]", "[]"), ("{}", "{}"), ("[1, [true, null], 'x']", "[1,[true,null],\"x\"]"),
        ("{a: {b: [1, null]}}", "{\"a\":{\"b\":[1,null]}}"),
    ]
}
