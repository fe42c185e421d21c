// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// One output line of `run`: the result of one page.
struct PageLine {
    let url: String
    var ms = 0.0
    var timedOut = false
    /// The value of the expression as JSON text.
    var value: String?
    var error: String?

    /// Returns the line as JSON without a line break.
    func json() throws -> String {
        var fields = [
            "\"url\":\(try quoted(url))", "\"ms\":\(ms.rounded(toPlaces: 3))", "\"timedOut\":\(timedOut)",
            "\"value\":\(value ?? "null")",
        ]
        if let error { fields.append("\"error\":\(try quoted(error))") }
        return "{\(fields.joined(separator: ","))}"
    }

    private func quoted(_ text: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(text), as: UTF8.self)
    }
}
