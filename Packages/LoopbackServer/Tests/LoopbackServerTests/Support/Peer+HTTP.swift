// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// A raw response.
struct Answer: Sendable, CustomStringConvertible {
    var status: Int
    var fields: [String: String]
    var body: [UInt8] = []
    var text: String { String(decoding: body, as: UTF8.self) }
    var description: String { "\(status) \(fields) \(body.count) bytes" }
}

extension Peer {
    /// Reads the next response.
    /// - Parameter hasBody: `false` for a response to HEAD.
    func answer(hasBody: Bool = true) async throws -> Answer {
        var answer = try await answerHead()
        guard hasBody, answer.status >= 200, ![204, 304].contains(answer.status) else { return answer }
        if answer.fields["transfer-encoding"] == "chunked" {
            while true {
                let count = Int(try await read(until: "\r\n").dropLast(), radix: 16) ?? -1
                guard count > 0 else { break }
                answer.body += try await read(count)
                _ = try await read(2)
            }
            _ = try await read(2)
        } else if let length = answer.fields["content-length"].flatMap({ Int($0) }) {
            answer.body = try await read(length)
        } else {
            answer.body = try await rest()
        }
        return answer
    }

    func answerHead() async throws -> Answer {
        // `\r\n` is one character.
        let lines = try await read(until: "\r\n\r\n").split(separator: "\r\n")
        let status = Int(lines[0].split(separator: " ")[1]) ?? -1
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            let name = parts[0].lowercased()
            let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        return Answer(status: status, fields: fields)
    }

    /// Sends a GET request and returns its response.
    func get(_ path: String, host: String = "shop.test", _ fields: String = "") async throws -> Answer {
        try await send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n")
        return try await answer()
    }
}
