// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The directives of `Cache-Control`, of a request or of a response (RFC 9111, section 5.2; RFC 5861; RFC 8246).
///
/// Names have no case. Unknown directives are ignored. Where one with a number comes twice the first counts
/// (section 4.2.1); a number that is none makes the response stale, so it counts as zero, and one that is too large as
/// 68 years.
@_spi(Facade) public struct CacheControl: Sendable, Hashable {
    /// What a directive is about that may name fields.
    @_spi(Facade) public enum Extent: Sendable, Hashable {
        /// The directive is not there.
        case none
        /// The fields named, in lower case.
        case fields(Set<String>)
        /// The whole response.
        case all

        /// Takes in one more of the same directive.
        mutating func add(_ value: Substring?) {
            let names = value.map { FieldList.members(of: QuotedString.content(of: $0)).map { $0.lowercased() } } ?? []
            switch self {
            case _ where names.isEmpty: self = .all
            case .none: self = .fields(Set(names))
            case .fields(let others): self = .fields(others.union(names))
            case .all: break
            }
        }
    }

    /// Seconds; of a response its lifetime, of a request the most age it takes.
    public private(set) var maxAge: Int?
    /// Seconds; a response's lifetime in shared caches.
    public private(set) var sharedMaxAge: Int?
    /// Seconds that a request takes a response after its lifetime; without a number 68 years.
    public private(set) var maxStale: Int?
    /// Seconds that a request wants a response to stay fresh.
    public private(set) var minFresh: Int?
    /// Seconds after its lifetime in which a response may answer while it is validated.
    public private(set) var staleWhileRevalidate: Int?
    /// Seconds after its lifetime in which a response may answer when the origin fails.
    public private(set) var staleIfError: Int?
    public private(set) var noCache = Extent.none
    public private(set) var isPrivate = Extent.none
    public private(set) var noStore = false
    public private(set) var onlyIfCached = false
    public private(set) var isPublic = false
    public private(set) var mustRevalidate = false
    public private(set) var proxyRevalidate = false
    public private(set) var mustUnderstand = false
    public private(set) var isImmutable = false

    /// - Parameter values: of all `Cache-Control` fields, in their order.
    public init(_ values: [String]) {
        for member in FieldList.members(of: values) { add(member) }
    }

    private mutating func add(_ member: Substring) {
        let sign = member.utf8.firstIndex(of: UInt8(ascii: "="))
        let value = sign.map { member[member.utf8.index(after: $0)...] }
        func seconds(or absent: Int = 0) -> Int {
            value.map { DeltaSeconds.parse(QuotedString.content(of: $0)) ?? 0 } ?? absent
        }
        switch member[..<(sign ?? member.endIndex)].lowercased() {
        case "max-age": maxAge = maxAge ?? seconds()
        case "s-maxage": sharedMaxAge = sharedMaxAge ?? seconds()
        case "max-stale": maxStale = maxStale ?? seconds(or: DeltaSeconds.most)
        case "min-fresh": minFresh = minFresh ?? seconds()
        case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? seconds()
        case "stale-if-error": staleIfError = staleIfError ?? seconds()
        case "no-cache": noCache.add(value)
        case "private": isPrivate.add(value)
        case "no-store": noStore = true
        case "only-if-cached": onlyIfCached = true
        case "public": isPublic = true
        case "must-revalidate": mustRevalidate = true
        case "proxy-revalidate": proxyRevalidate = true
        case "must-understand": mustUnderstand = true
        case "immutable": isImmutable = true
        default: break
        }
    }
}

/// Non-negative whole seconds in field values (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// What a number that is too large counts as: 2^31 seconds, 68 years.
    static let most = 1 << 31

    /// - Returns: `nil` where there is anything but digits.
    static func parse(_ text: some StringProtocol) -> Int? {
        Int(saturatingDecimalDigits: text.utf8).map { min(most, $0) }
    }
}
