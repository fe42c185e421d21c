// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The directives of `Cache-Control` in a request or a response (RFC 9111, section 5.2; RFC 5861; RFC 8246).
///
/// Directive names are case-insensitive. Unknown directives are ignored. If a directive with a number occurs twice,
/// the first one counts (section 4.2.1). An invalid number counts as zero, which makes a response stale. A number that
/// is too large counts as 2^31 seconds.
@_spi(Facade) public struct CacheControl: Sendable, Hashable {
    /// The scope of a directive that can name header fields (`no-cache`, `private`).
    @_spi(Facade) public enum Extent: Sendable, Hashable {
        /// The directive is absent.
        case none
        /// The named fields, in lower case.
        case fields(Set<String>)
        /// The whole response.
        case all

        /// Merges another occurrence of the same directive.
        mutating func add(_ value: Substring?) {
            let names =
                value.map { FieldList.members(of: QuotedString.content(of: $0)).map { $0.asciiLowercased } } ?? []
            switch self {
            case _ where names.isEmpty: self = .all
            case .none: self = .fields(Set(names))
            case .fields(let others): self = .fields(others.union(names))
            case .all: break
            }
        }
    }

    /// The value of `max-age`, in seconds: the lifetime of a response, or the maximum age that a request accepts.
    public private(set) var maxAge: Int?
    /// The lifetime of a response in shared caches, in seconds.
    private(set) var sharedMaxAge: Int?
    /// The maximum staleness that a request accepts, in seconds; 2^31 if the directive has no number.
    private(set) var maxStale: Int?
    /// The minimum remaining freshness that a request requires, in seconds.
    private(set) var minFresh: Int?
    /// The time after its lifetime during which a response may be used while it is validated, in seconds.
    private(set) var staleWhileRevalidate: Int?
    /// The time after its lifetime during which a response may be used if the origin fails, in seconds.
    private(set) var staleIfError: Int?
    /// The directive `no-cache` (RFC 9111, section 5.2.2.4).
    public private(set) var noCache = Extent.none
    private(set) var isPrivate = Extent.none
    /// A Boolean value that indicates whether the field has `no-store` (RFC 9111, section 5.2.2.5).
    public private(set) var noStore = false
    private(set) var onlyIfCached = false
    private(set) var isPublic = false
    private(set) var mustRevalidate = false
    private(set) var proxyRevalidate = false
    private(set) var mustUnderstand = false
    private(set) var isImmutable = false

    /// Creates the directives from field values.
    /// - Parameter values: The values of all `Cache-Control` fields, in order.
    public init(_ values: [String]) {
        for member in FieldList.members(of: values) { add(member) }
    }

    private mutating func add(_ member: Substring) {
        let sign = member.utf8.firstIndex(of: UInt8(ascii: "="))
        let value = sign.map { member[member.utf8.index(after: $0)...] }
        func seconds(or absent: Int = 0) -> Int {
            value.map { DeltaSeconds.parse(QuotedString.content(of: $0)) ?? 0 } ?? absent
        }
        switch member[..<(sign ?? member.endIndex)].asciiLowercased {
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

/// The parser of non-negative whole seconds in field values (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// The value used for numbers that are too large: 2^31 seconds, about 68 years (RFC 9111, section 1.2.2).
    static let most = 1 << 31

    /// Parses a number of seconds.
    /// - Returns: `nil` if the text contains anything but digits.
    static func parse(_ text: some StringProtocol) -> Int? {
        Int(saturatingDecimalDigits: text.utf8).map { min(most, $0) }
    }
}
