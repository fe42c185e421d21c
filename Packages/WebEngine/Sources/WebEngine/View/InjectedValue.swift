// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A JSON value (RFC 8259) that the app passes to a page.
public enum InjectedValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// An integer, which JavaScript represents exactly up to 2^53.
    case integer(Int64)
    /// A finite number.
    case number(Double)
    case string(String)
    case array([InjectedValue])
    case object([String: InjectedValue])

    /// The maximum nesting depth.
    @_spi(Facade) public static let depthLimit = 64

    /// Returns a Boolean value that indicates whether JSON can represent all numbers and the nesting does not exceed
    /// ``depthLimit``.
    @_spi(Facade) public func isSound(depth: Int = 0) -> Bool {
        guard depth < Self.depthLimit else { return false }
        return switch self {
        case .null, .bool, .integer, .string: true
        case .number(let number): number.isFinite
        case .array(let values): values.allSatisfy { $0.isSound(depth: depth + 1) }
        case .object(let members): members.values.allSatisfy { $0.isSound(depth: depth + 1) }
        }
    }
}

extension InjectedValue: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}

extension InjectedValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral elements: InjectedValue...) { self = .array(elements) }
    /// Creates an object. If a name occurs twice, the last value counts.
    public init(dictionaryLiteral elements: (String, InjectedValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
