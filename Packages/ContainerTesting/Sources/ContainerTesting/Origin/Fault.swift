// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// A fault that an origin server applies to requests for matching paths.
///
/// The text form, on the command line and in tests:
///
/// ```
/// faults  = fault *( "," fault )
/// fault   = kind ":" path            ; a path begins with "/" or "*"; "*" matches any characters
/// kind    = "reset" [ "=" BYTES ]    ; a reset, immediately or after a number of body bytes
///         / "stall" [ "=" BYTES ]    ; no (more) data, until the server stops or the client closes
///         / "status=" CODE           ; 200 to 599, with a short text instead of the file
///         / "truncate=" BYTES        ; the full length is announced, but the connection ends early
///         / "delay=" MILLISECONDS    ; a delay before the response; at most 600000
/// ```
///
/// A comma in a path is written `%2C`. Matching delays add up; of the other kinds, the first match applies. A body
/// that is not longer than `BYTES` is sent completely, without a fault.
public struct Fault: Sendable, Hashable {
    /// The kinds of faults.
    public enum Kind: Sendable, Hashable {
        /// A TCP reset before the response, or after a number of body bytes.
        case reset(after: Int?)
        /// No further data before the response, or after a number of body bytes.
        case stall(after: Int?)
        /// Another status.
        case status(Int)
        /// A normal close of the connection after a number of body bytes.
        case truncate(after: Int)
        /// A delay before the response.
        case delay(Duration)
    }

    /// The kind.
    public let kind: Kind
    /// The paths that the fault applies to.
    public let path: OriginPathPattern

    /// Creates a fault for requests with a matching path.
    public init(_ kind: Kind, at path: OriginPathPattern) {
        self.kind = kind
        self.path = path
    }

    /// Parses a list of faults.
    /// - Parameter specification: The text form; at most 4,096 bytes and 64 faults.
    /// - Throws: ``ContainerTestingError`` with code `invalidFault`; the
    ///   location is the invalid part.
    public static func parse(_ specification: String) throws(ContainerTestingError) -> [Fault] {
        guard specification.utf8.count <= 4_096 else {
            throw ContainerTestingError(.invalidFault, "longer than 4,096 bytes")
        }
        let parts = specification.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= 64 else {
            throw ContainerTestingError(.invalidFault, "more than 64 faults")
        }
        var faults: [Fault] = []
        for part in parts { faults.append(try Fault(part)) }
        return faults
    }

    private init(_ text: Substring) throws(ContainerTestingError) {
        func invalid(_ message: String) -> ContainerTestingError {
            ContainerTestingError(.invalidFault, message, at: String(text))
        }
        guard let colon = text.firstIndex(of: ":") else {
            throw invalid("a fault is KIND:/PATH, such as reset:/app.js")
        }
        guard let path = OriginPathPattern(text[text.index(after: colon)...]) else {
            throw invalid("the path begins with / or * and has no spaces")
        }
        let kind = text[..<colon]
        let name = kind.prefix { $0 != "=" }
        let value = kind.dropFirst(name.count)
        var number: Int?
        if !value.isEmpty {
            let digits = value.dropFirst()
            guard digits.utf8.count <= 12, let parsed = Int(decimalDigits: digits.utf8) else {
                throw invalid("\(name)= needs a number")
            }
            number = parsed
        }
        switch (name, number) {
        case ("reset", let bytes): self.init(.reset(after: bytes), at: path)
        case ("stall", let bytes): self.init(.stall(after: bytes), at: path)
        case ("status", .some(let code)):
            guard 200...599 ~= code else { throw invalid("a status is 200 to 599") }
            self.init(.status(code), at: path)
        case ("truncate", .some(let bytes)): self.init(.truncate(after: bytes), at: path)
        case ("delay", .some(let milliseconds)):
            guard milliseconds <= 600_000 else { throw invalid("a delay is at most 600000 ms") }
            self.init(.delay(.milliseconds(milliseconds)), at: path)
        case ("status", nil), ("truncate", nil), ("delay", nil):
            throw invalid("\(name) needs a number, as in \(name)=1:")
        default: throw invalid("unknown kind \"\(name)\"; known are reset, stall, status, truncate, delay")
        }
    }
}
