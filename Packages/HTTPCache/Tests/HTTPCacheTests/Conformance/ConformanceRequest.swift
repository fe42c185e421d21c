// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// One request of a conformance test: the request, the response of the origin and the expectations.
struct ConformanceRequest: Decodable, Sendable {
    /// The value of a field: text, or seconds from now for a date.
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

    /// A field as `[name, value]`. An optional third member indicates whether the client must receive the field
    /// unchanged.
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

    /// The expectation about a field in a response or in a request at the origin.
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

    /// An optional expectation; `null` means that nothing is compared.
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
    /// The names of dates that are sent in the RFC 850 format.
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
    /// The names of the expectations that are part of the setup.
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

    /// A status as `[200, "OK"]`.
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

    /// Returns a Boolean value that indicates whether an expectation concerns the setup of the test.
    func isSetup(_ expectation: String) -> Bool {
        isSetup || setupTests.contains(expectation)
    }
}
