// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    internal import Glibc
    internal import HTTPTypes

    /// Reads the header fields of the engine's requests. What the engine says of itself and of the page comes again and
    /// again: it is kept, since making it anew takes longer than all else that reading a request does.
    struct RequestFieldReader {
        /// A field as the engine wrote it, with zeros at the ends, and what came of it.
        private struct Known {
            let name: ContiguousArray<CChar>
            let value: ContiguousArray<CChar>
            let field: HTTPField
        }

        /// The oldest first.
        private var known: [Known] = []

        private static let repeated: Set<HTTPField.Name> = [
            .accept, .acceptEncoding, .acceptLanguage, .origin, .referer, .userAgent,
        ]
        /// In fields, and in bytes of a value: scripts write what they like.
        private static let limits = (fields: 16, value: 1 << 10)

        mutating func read(_ headers: OpaquePointer) -> HTTPFields {
            var fields = HTTPFields()
            var iterator = SoupMessageHeadersIter()
            soup_message_headers_iter_init(&iterator, headers)
            var name: UnsafePointer<CChar>?
            var value: UnsafePointer<CChar>?
            while soup_message_headers_iter_next(&iterator, &name, &value) != 0 {
                guard let name, let value, let field = field(name, value) else { continue }
                fields.append(field)
            }
            return fields
        }

        private mutating func field(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) -> HTTPField? {
            if let same = known.first(where: { Self.isEqual($0.value, value) && Self.isEqual($0.name, name) }) {
                return same.field
            }
            guard let fieldName = HTTPField.Name(String(cString: name)) else { return nil }
            let field = HTTPField(name: fieldName, value: String(cString: value))
            guard Self.repeated.contains(fieldName), strlen(value) <= Self.limits.value else { return field }
            if known.count == Self.limits.fields { known.removeFirst() }
            known.append(Known(name: Self.copy(name), value: Self.copy(value), field: field))
            return field
        }

        private static func isEqual(_ text: ContiguousArray<CChar>, _ other: UnsafePointer<CChar>) -> Bool {
            text.withUnsafeBufferPointer { text in text.baseAddress.map { strcmp($0, other) == 0 } ?? false }
        }

        private static func copy(_ text: UnsafePointer<CChar>) -> ContiguousArray<CChar> {
            ContiguousArray(UnsafeBufferPointer(start: text, count: strlen(text) + 1))
        }
    }
#endif
