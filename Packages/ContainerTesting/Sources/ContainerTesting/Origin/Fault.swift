// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// Something that goes wrong on purpose when an origin is asked for a path.
///
/// As text, on the command line and in tests:
///
/// ```
/// faults  = fault *( "," fault )
/// fault   = kind ":" path            ; path begins with "/" or "*"; "*" in it is any run of characters
/// kind    = "reset" [ "=" BYTES ]    ; the connection is reset, at once or after so many bytes of the body
///         / "stall" [ "=" BYTES ]    ; nothing (more) comes, until the server stops or the client leaves
///         / "status=" CODE           ; 200 to 599, with a short text instead of the file
///         / "truncate=" BYTES        ; the length is announced, but the connection ends after so many bytes
///         / "delay=" MILLISECONDS    ; the answer begins late; at most 600000
/// ```
///
/// A comma in a path is written `%2C`. Delays that match add up; of the other kinds the first that
/// matches applies. A body no longer than `BYTES` comes whole, without a fault.
public struct Fault: Sendable, Hashable {
    /// What goes wrong.
    public enum Kind: Sendable, Hashable {
        /// TCP reset, before the answer or after so many bytes of its body.
        case reset(after: Int?)
        /// Silence, before the answer or after so many bytes of its body.
        case stall(after: Int?)
        /// Another status.
        case status(Int)
        /// The connection ends in an orderly way after so many bytes of the body.
        case truncate(after: Int)
        /// The answer begins late.
        case delay(Duration)
    }

    /// What goes wrong.
    public let kind: Kind
    /// The paths for which it does.
    public let path: OriginPathPattern

    /// Has `kind` go wrong for each request of a path that matches.
    public init(_ kind: Kind, at path: OriginPathPattern) {
        self.kind = kind
        self.path = path
    }

    /// Reads a list of faults.
    /// - Parameter specification: at most 4,096 bytes and 64 faults.
    /// - Throws: code `invalidFault`; the location is the part that is wrong.
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
