// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import WebSyntax

/// The names that older pages use with the app: message handlers, a callback and a URL parameter.
public struct LegacyMessages: Sendable, Hashable {
    /// The prefix of the names of the callback and the URL parameter.
    public let prefix: String
    /// The message handler for request bodies; `XHRCALL` by default.
    public var bodyHandler = "XHRCALL"
    /// The message handler for cookies; `COOKIECALL` by default.
    public var cookieHandler = "COOKIECALL"
    /// The message handler for prefetched responses; `PREFETCHCALL` by default.
    public var prefetchHandler = "PREFETCHCALL"

    /// Creates the names with a prefix.
    /// - Parameter prefix: 1 to 32 ASCII letters, digits, `_` and `-`; the result is `nil` for other text.
    public init?(prefix: String) {
        guard (1...32).contains(prefix.utf8.count),
            prefix.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") })
        else { return nil }
        self.prefix = prefix
    }

    /// The function of `window` that is called with the id of a stored body.
    public var callback: String { prefix + "_realxhr_callback" }
    /// The URL parameter that carries the id of a request's body.
    public var parameter: String { prefix + "-wkwebview-request-id" }
}

extension LegacyMessages {
    /// The id that a request carries in its URL.
    @_spi(Facade) public enum CarriedID: Sendable, Hashable {
        /// No id.
        case none
        /// One id, decoded.
        case id(String)
        /// Several different ids, or an id that cannot be decoded.
        case unreadable
    }

    /// Returns a Boolean value that indicates whether a request carries an id.
    public func isCarried(by request: HTTPRequest) -> Bool {
        request.path.map { !Self.ranges(of: parameter, in: $0).isEmpty } ?? false
    }

    /// Removes all occurrences of the parameter from a request's URL, and returns the id. The rest of the URL is
    /// unchanged.
    @_spi(Facade) public func removeID(from request: inout HTTPRequest) -> CarriedID {
        guard var target = request.path else { return .none }
        let found = removeID(from: &target)
        guard found != .none else { return .none }
        request.path = target
        // A request trims spaces at the end of its target, and a trimmed space may have hidden another parameter.
        guard isCarried(by: request) else { return found }
        return removeID(from: &request) == found ? found : .unreadable
    }

    /// Returns a URL without the parameter.
    public func withoutID(_ url: String) -> String {
        let mark = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        var target = String(url[..<mark])
        return removeID(from: &target) == .none ? url : target + url[mark...]
    }

    private func removeID(from target: inout String) -> CarriedID {
        let ranges = Self.ranges(of: parameter, in: target)
        guard !ranges.isEmpty else { return .none }
        let offset = parameter.utf8.count + 1
        let values = Set(ranges.map { ByteText(String(Substring(target.utf8[$0].dropFirst(offset)))) })
        let value = values.count == 1 ? values.first.flatMap { PercentEncoding.decodeText($0.text) } : nil
        for range in ranges.reversed() {
            // Removes the parameter with the separator before it. If that separator is the `?` of the query, removes
            // the separator after it instead.
            let start = target.utf8.index(before: range.lowerBound)
            let isFirst = target.utf8[start] == UInt8(ascii: "?")
            let isLast = range.upperBound == target.endIndex
            target.removeSubrange(
                isFirst && !isLast
                    ? range.lowerBound..<target.utf8.index(after: range.upperBound) : start..<range.upperBound)
        }
        return value.map { CarriedID.id($0) } ?? .unreadable
    }

    /// Returns the ranges of the parameter in the query, with its value.
    private static func ranges(of name: String, in target: String) -> [Range<String.Index>] {
        guard let query = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        return target[target.utf8.index(after: query)...].utf8.split(separator: UInt8(ascii: "&"))
            .filter { part in
                part.starts(with: name.utf8)
                    && (part.count == name.utf8.count || part.dropFirst(name.utf8.count).first == UInt8(ascii: "="))
            }
            .map { $0.startIndex..<$0.endIndex }
    }
}
