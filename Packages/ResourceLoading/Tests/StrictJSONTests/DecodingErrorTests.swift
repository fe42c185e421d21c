// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import StrictJSON
import Testing

@Suite("Errors of decoding JSON", .timeLimit(.minutes(1)))
struct DecodingErrorTests {
    private struct Document: Decodable {
        struct Rule: Decodable {
            var host: String
        }

        var rules: [Rule]
    }

    @Test(
        "An error has a reason and a location",
        arguments: [
            (#"{"rules":[{"host":"a"},{"host":1}]}"#, "not of type String", "rules[1].host"),
            (#"{"rules":[{"host":null}]}"#, "null, and not of type String", "rules[0].host"),
            (#"{"rules":[{}]}"#, "host is missing", "rules[0]"),
            ("{}", "rules is missing", nil),
            ("{", "not JSON", nil),
        ] as [(String, String, String?)])
    func fault(_ json: String, _ reason: String, _ place: String?) throws {
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode(Document.self, from: Data(json.utf8))
        }
        #expect(error.jsonFault.reason == reason && error.jsonFault.place == place, "\(error.jsonFault)")
    }
}
