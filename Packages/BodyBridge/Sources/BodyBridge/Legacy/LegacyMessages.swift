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
    /// The prefix with which each handler has a second name, such as `YX` for `YXXHRCALL`; `nil` for no second names.
    public let handlerPrefix: String?

    /// Creates the names with a prefix. The result is `nil` for an invalid prefix.
    /// - Parameters:
    ///   - prefix: 1 to 32 ASCII letters, digits, `_` and `-`.
    ///   - handlerPrefix: the prefix of the second names of the handlers, with the same characters; `nil` by default.
    public init?(prefix: String, handlerPrefix: String? = nil) {
        let isValid = [prefix, handlerPrefix].compactMap(\.self).allSatisfy { text in
            (1...32).contains(text.utf8.count)
                && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
        }
        guard isValid else { return nil }
        self.prefix = prefix
        self.handlerPrefix = handlerPrefix
    }

    /// The function of `window` that is called with the id of a stored body.
    public var callback: String { prefix + "_realxhr_callback" }
    /// The URL parameter that carries the id of a request's body. The name without the prefix, `wkwebview-request-id`,
    /// is also read.
    public var parameter: String { prefix + "-" + Self.plainParameter }

    /// The name of the parameter, and of the member of a message, in the protocol without a prefix.
    static let plainParameter = "wkwebview-request-id"
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
        request.path.map { !idRanges(in: $0).isEmpty } ?? false
    }

    /// Removes all occurrences of the parameter, with and without the prefix, from a request's URL, and returns the id.
    /// The rest of the URL is unchanged.
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
        let ranges = idRanges(in: target)
        guard !ranges.isEmpty else { return .none }
        let values = Set(
            ranges.map { range in
                let part = target.utf8[range]
                return ByteText(String(Substring(part.drop { $0 != UInt8(ascii: "=") }.dropFirst())))
            })
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

    /// Returns the ranges of both names of the parameter in the query, with their values.
    private func idRanges(in target: String) -> [Range<String.Index>] {
        guard let query = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        let names = [parameter, Self.plainParameter]
        return target[target.utf8.index(after: query)...].utf8.split(separator: UInt8(ascii: "&"))
            .filter { part in
                names.contains { part.prefix { $0 != UInt8(ascii: "=") }.elementsEqual($0.utf8) }
            }
            .map { $0.startIndex..<$0.endIndex }
    }
}
