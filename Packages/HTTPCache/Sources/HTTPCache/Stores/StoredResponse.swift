// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// A response that a cache holds, without its bytes.
public struct StoredResponse: Sendable, Hashable {
    /// A request's field that the response was chosen by (RFC 9111, section 4.1).
    public struct Selector: Sendable, Hashable {
        /// In lower case.
        public let name: String
        /// Normalised; `nil` where the request did not have it.
        public let value: String?

        public init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// Status and fields as they are stored: without those of one connection only. A complete response has the status
    /// that came, a part of one `206`.
    public var head: HTTPResponse { didSet { facts = Facts(head, responseTime: responseTime) } }
    /// What a request must have so that this response answers it.
    public let selectors: [Selector]
    /// When it was asked for; of a response that was freshened, when it was validated.
    public var requestTime: Date
    /// When its head came.
    public var responseTime: Date { didSet { facts = Facts(head, responseTime: responseTime) } }
    /// Which bytes of the representation are held.
    public let range: Range<Int64>
    /// How many bytes the representation has, where that is known.
    public let length: Int64?
    /// Tells these bytes from those of any other response under the same key.
    public let revision: UInt64
    /// What the fields say, so that they are read once and not for each request.
    private(set) var facts: Facts

    public init(
        head: HTTPResponse, selectors: [Selector], requestTime: Date, responseTime: Date, range: Range<Int64>,
        length: Int64?, revision: UInt64 = .random(in: .min ... .max)
    ) {
        self.head = head
        self.selectors = selectors
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.range = range
        self.length = length
        self.revision = revision
        facts = Facts(head, responseTime: responseTime)
    }

    /// Whether all bytes of the representation are held.
    public var isComplete: Bool { range.lowerBound == 0 && range.upperBound == length }

    /// Names the variant within its key: two responses of one variant replace each other. Of letters and digits.
    public var variant: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ text: String) {
            // FNV-1a; requests are compared with the selectors themselves, so two that collide cost a miss.
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            hash = (hash ^ 0xff) &* 0x100_0000_01b3
        }
        for selector in selectors {
            add(selector.name)
            add(selector.value.map { "=" + $0 } ?? "")
        }
        return String(hash, radix: 36)
    }
}

extension StoredResponse {
    /// What the fields of a response say that every decision needs.
    struct Facts: Sendable, Hashable {
        let cacheControl: CacheControl
        let entityTag: EntityTag?
        /// `Date`.
        let date: Date?
        /// `Age`, in seconds. Of a list the first member counts, and what is no number is ignored (RFC 9111, section 5.1).
        let age: Int

        init(_ head: HTTPResponse, responseTime: Date) {
            let fields = head.headerFields
            cacheControl = CacheControl(fields[values: .cacheControl])
            entityTag = fields[.eTag].flatMap { EntityTag($0) }
            date = fields[.date].flatMap { HTTPDate.parse($0, now: responseTime) }
            age = FieldList.members(of: fields[values: .age]).first.flatMap { DeltaSeconds.parse($0) } ?? 0
        }
    }

    var cacheControl: CacheControl { facts.cacheControl }

    var entityTag: EntityTag? { facts.entityTag }

    /// The entity tag as it came, where equal tags mean equal bytes.
    var strongTag: String? {
        head.headerFields[.eTag].flatMap { text in
            EntityTag(text).flatMap { $0.isWeak ? nil : text }
        }
    }

    /// Whether it can be asked of the origin if this is still right.
    var hasValidator: Bool {
        head.headerFields[.eTag]?.isEmpty == false || head.headerFields.contains(.lastModified)
    }
}
