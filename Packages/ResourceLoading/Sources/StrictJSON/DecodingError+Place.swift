// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension [any CodingKey] {
    /// The place that the keys lead to in a JSON document, such as `rules[3].host`; `nil` for the whole document.
    public var jsonPlace: String? {
        guard !isEmpty else { return nil }
        return reduce(into: "") { place, key in
            if let index = key.intValue {
                place += "[\(index)]"
            } else {
                place += place.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}

extension DecodingError {
    /// The reason of the error, in a few words, and its place in the JSON document; a place of `nil` is the whole document.
    public var jsonFault: (reason: String, place: String?) {
        switch self {
        case .typeMismatch(let type, let context): ("not of type \(type)", context.codingPath.jsonPlace)
        case .valueNotFound(let type, let context): ("null, and not of type \(type)", context.codingPath.jsonPlace)
        case .keyNotFound(let key, let context): ("\(key.stringValue) is missing", context.codingPath.jsonPlace)
        case .dataCorrupted(let context): ("not JSON", context.codingPath.jsonPlace)
        @unknown default: ("not JSON", nil)
        }
    }
}
