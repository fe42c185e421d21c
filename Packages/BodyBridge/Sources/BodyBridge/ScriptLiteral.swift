// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// Values as they stand in a script.
enum ScriptLiteral {
    /// A value as JavaScript. JSON is that, but for the two line ends that only JSON leaves alone, in old engines.
    static func value(_ value: some Encodable) -> String {
        // Texts and numbers always have a form.
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    /// An object without a prototype, of a value that has members: those that it lacks would be looked up where a page can
    /// put some, with the token at hand.
    static func object(_ value: some Encodable) -> String {
        #"{"__proto__":null,"# + self.value(value).dropFirst()
    }
}
