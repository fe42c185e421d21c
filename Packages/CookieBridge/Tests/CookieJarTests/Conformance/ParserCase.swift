// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A case of the http-state suite.
struct ParserCase: Decodable {
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

    var isDisabled: Bool { test.hasPrefix("DISABLED") }
}
