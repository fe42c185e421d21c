// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// A stored response without its bytes.
struct StoredResponse: Sendable, Hashable {
    /// A request field that the response varies by (RFC 9111, section 4.1).
    struct Selector: Sendable, Hashable {
        /// The name of the field, in lower case.
        let name: String
        /// The normalised value; `nil` if the request did not contain the field.
        let value: String?

        init(name: String, value: String?) {
            self.name = name
            self.value = value
        }

        static func == (one: Selector, other: Selector) -> Bool {
            one.name.hasSameBytes(as: other.name) && one.value.hasSameBytes(as: other.value)
        }

        func hash(into hasher: inout Hasher) {
            name.hashBytes(into: &hasher)
            (value ?? "").hashBytes(into: &hasher)
        }
    }

    /// The status and the stored fields, without connection fields. A complete response has its original status; a
    /// part has `206`.
    var head: HTTPResponse { didSet { facts = Facts(head, responseTime: responseTime) } }
    /// The field values that a request must have to match this response.
    let selectors: [Selector]
    /// The time at which the request, or the last successful validation request, was sent.
    var requestTime: Date
    /// The time at which the head of the response, or of the last successful validation, was received.
    var responseTime: Date { didSet { facts = Facts(head, responseTime: responseTime) } }
    /// The stored bytes of the representation.
    let range: Range<Int64>
    /// The length of the complete representation in bytes, if known.
    let length: Int64?
    /// A random number that distinguishes these bytes from those of other responses under the same key.
    let revision: UInt64
    /// The parsed fields, cached so that they are not parsed for each request.
    private(set) var facts: Facts

    init(
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

    /// Returns the offsets within the stored bytes of a part of the representation.
    func offsets(of part: Range<Int64>) -> Range<Int64> {
        (part.lowerBound - range.lowerBound)..<(part.upperBound - range.lowerBound)
    }

    /// A Boolean value that indicates whether all bytes of the representation are stored.
    var isComplete: Bool { range.lowerBound == 0 && range.upperBound == length }

    /// An identifier of the variant within its key, of letters and digits. A response replaces the stored response of
    /// the same variant.
    var variant: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ text: String) {
            // FNV-1a. Requests are compared with the selectors themselves, so a hash collision costs only a cache
            // miss.
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
    /// The parsed fields of a response that every decision uses.
    struct Facts: Sendable, Hashable {
        let cacheControl: CacheControl
        let entityTag: EntityTag?
        /// The value of `Date`.
        let date: Date?
        /// The value of `Age`, in seconds. The first member of a list counts, and an invalid value is ignored (RFC
        /// 9111, section 5.1).
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

    /// The unparsed entity tag if it is strong.
    var strongTag: String? {
        head.headerFields[.eTag].flatMap { text in
            EntityTag(text).flatMap { $0.isWeak ? nil : text }
        }
    }

    /// A Boolean value that indicates whether the response can be validated at the origin.
    var hasValidator: Bool {
        head.headerFields[.eTag]?.isEmpty == false || head.headerFields.contains(.lastModified)
    }
}
