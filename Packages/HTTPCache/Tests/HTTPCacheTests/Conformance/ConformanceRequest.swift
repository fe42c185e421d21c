// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// One request of a test: what the client sends, what the origin answers, and what must come of it.
struct ConformanceRequest: Decodable, Sendable {
    /// A field's value: text, or for a date seconds from now.
    enum Value: Decodable, Sendable, Hashable {
        case text(String)
        case number(Int)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    /// `[name, value]`, or with a third member that says whether the client must see the field as it was sent.
    struct Field: Decodable, Sendable {
        let name: String
        let value: Value
        let isCompared: Bool

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            name = try container.decode(String.self)
            value = try container.decode(Value.self)
            isCompared = container.isAtEnd ? true : try container.decode(Bool.self)
        }
    }

    /// What a field must be, in a response or at the origin.
    enum Expectation: Decodable, Sendable {
        case present(String)
        case equals(String, Value)
        case sameAs(String, String)
        case above(String, Int)

        init(from decoder: any Decoder) throws {
            if let name = try? decoder.singleValueContainer().decode(String.self) {
                self = .present(name)
                return
            }
            var container = try decoder.unkeyedContainer()
            let name = try container.decode(String.self)
            let value = try container.decode(Value.self)
            guard !container.isAtEnd else {
                self = .equals(name, value)
                return
            }
            switch value {
            case .text("="): self = .sameAs(name, try container.decode(String.self))
            case .text(">"): self = .above(name, try container.decode(Int.self))
            default: throw DecodingError.dataCorruptedError(in: container, debugDescription: "an unknown comparison")
            }
        }
    }

    /// `null` where the key is there without a value: nothing is compared then.
    enum Wanted<Value: Decodable & Sendable>: Decodable, Sendable {
        case anything
        case value(Value)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self = container.decodeNil() ? .anything : .value(try container.decode(Value.self))
        }
    }

    let method: String
    let requestFields: [Field]
    let requestBody: String?
    let filename: String?
    let query: String?
    let hasMagicDates: Bool
    let hasMagicLocations: Bool
    /// Names of dates that are sent in the second spelling.
    let dashedDates: [String]
    let status: Int?
    let responseFields: [Field]
    let responseBody: String?
    let responsePause: Int
    let disconnects: Bool
    let hasInterimResponses: Bool
    let expectsInterimResponses: Int?
    let pausesAfter: Bool
    let isSetup: Bool
    /// Names of expectations that are set-up.
    let setupTests: [String]
    let expectedType: String?
    let expectedStatus: Wanted<Int>?
    let expectedText: Wanted<String>?
    let expectedMethod: String?
    let expectedFields: [Expectation]
    let missingFields: [Expectation]
    let expectedRequestFields: [Expectation]
    let missingRequestFields: [Expectation]
    let checksBody: Bool

    private enum Key: String, CodingKey {
        case requestMethod, requestHeaders, requestBody, filename, queryArg, magicIms, magicLocations, rfc850date
        case responseStatus, responseHeaders, responseBody, responsePause, disconnect, interimResponses
        case expectedInterimResponses, pauseAfter, setup, setupTests, expectedType, expectedStatus
        case expectedResponseText, expectedMethod, expectedResponseHeaders, expectedResponseHeadersMissing
        case expectedRequestHeaders, expectedRequestHeadersMissing, checkBody
    }

    /// `[200, "OK"]`
    private struct Status: Decodable {
        let code: Int

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            code = try container.decode(Int.self)
        }
    }

    private struct Anything: Decodable {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func value<T: Decodable>(_ key: Key, _ type: T.Type = T.self) throws -> T? {
            try container.decodeIfPresent(type, forKey: key)
        }
        func wanted<T: Decodable & Sendable>(_ key: Key) throws -> Wanted<T>? {
            guard container.contains(key) else { return nil }
            return try container.decode(Wanted<T>.self, forKey: key)
        }
        method = try value(.requestMethod) ?? "GET"
        requestFields = try value(.requestHeaders) ?? []
        requestBody = try value(.requestBody)
        filename = try value(.filename)
        query = try value(.queryArg)
        hasMagicDates = try value(.magicIms) ?? false
        hasMagicLocations = try value(.magicLocations) ?? false
        dashedDates = try value(.rfc850date) ?? []
        status = try value(.responseStatus, Status.self)?.code
        responseFields = try value(.responseHeaders) ?? []
        responseBody = try value(.responseBody)
        responsePause = try value(.responsePause) ?? 0
        disconnects = try value(.disconnect) ?? false
        hasInterimResponses = container.contains(.interimResponses)
        expectsInterimResponses = try value(.expectedInterimResponses, [Anything].self)?.count
        pausesAfter = try value(.pauseAfter) ?? false
        isSetup = try value(.setup) ?? false
        setupTests = try value(.setupTests) ?? []
        expectedType = try value(.expectedType)
        expectedStatus = try wanted(.expectedStatus)
        expectedText = try wanted(.expectedResponseText)
        expectedMethod = try value(.expectedMethod)
        expectedFields = try value(.expectedResponseHeaders) ?? []
        missingFields = try value(.expectedResponseHeadersMissing) ?? []
        expectedRequestFields = try value(.expectedRequestHeaders) ?? []
        missingRequestFields = try value(.expectedRequestHeadersMissing) ?? []
        checksBody = try value(.checkBody) ?? true
    }

    /// Whether what an expectation finds is about the test, or about what it stands on.
    func isSetup(_ expectation: String) -> Bool {
        isSetup || setupTests.contains(expectation)
    }
}
