// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebEngine

    /// The conversion of script values between Foundation and JSON, as `JSON.stringify` and `JSON.parse` do.
    ///
    /// WebKit gives `nil` for `undefined`, NSNull for `null`, NSNumber for numbers and Booleans, NSString, NSDate,
    /// NSArray and NSDictionary. JSONSerialization raises an exception for NaN and dates.
    enum ScriptValue {
        /// The maximum depth of arrays and objects. A page may post a value that contains itself.
        static let depthLimit = 512
        /// The maximum number of bytes of a text; 64 MB. Values that share a part may have a longer text.
        static let sizeLimit = 64 << 20

        /// Returns a value as JSON; keys are sorted.
        /// - Throws: `EngineError` with code `script` for a value without a JSON form, or one that exceeds a limit.
        static func json(of value: Any?, upTo size: Int = sizeLimit) throws -> String {
            var text = ""
            try write(value, into: &text, upTo: size, depth: 0)
            guard text.utf8.count <= size else { throw EngineError(.script, "the value is too large") }
            return text
        }

        /// Returns the Foundation value of a JSON text.
        /// - Throws: an error if the text is not JSON.
        static func value(of json: String) throws -> Any {
            try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
        }

        private static func write(_ value: Any?, into text: inout String, upTo size: Int, depth: Int) throws {
            guard depth <= depthLimit else { throw EngineError(.script, "the value is nested too deeply") }
            guard text.utf8.count <= size else { throw EngineError(.script, "the value is too large") }
            switch flattened(value) {
            case nil: text += "null"
            // Collections precede objects, because a cast to a class converts a whole collection on Linux.
            case let list as [Any]:
                text += "["
                for (index, element) in list.enumerated() {
                    if index > 0 { text += "," }
                    try write(element, into: &text, upTo: size, depth: depth + 1)
                }
                text += "]"
            case let object as [String: Any]:
                text += "{"
                for (index, entry) in object.sorted(by: { $0.key < $1.key }).enumerated() {
                    if index > 0 { text += "," }
                    write(entry.key, into: &text)
                    text += ":"
                    try write(entry.value, into: &text, upTo: size, depth: depth + 1)
                }
                text += "}"
            case let string as String: write(string, into: &text)
            case let date as Date: text += date.scriptText.map { "\"\($0)\"" } ?? "null"
            case is NSNull: text += "null"
            case let other?:
                guard let number = number(other) else { throw EngineError(.script, "the result has no JSON form") }
                text += number
            }
        }

        /// Returns a value that an `Any` may contain as an optional: WebKit's Swift overlay does so for `undefined`.
        private static func flattened(_ value: Any?) -> Any? {
            var value = value
            while let content = value, let optional = content as? any OptionalValue { value = optional.content }
            return value
        }

        private static func number(_ value: Any) -> String? {
            // The types are compared, because a cast to Bool succeeds for an NSNumber of 0 or 1.
            if type(of: value) == Bool.self { return (value as? Bool)?.description }
            if let number = value as? NSNumber {
                // The type is that of a Boolean on Apple's systems, and on Linux. JavaScript has no 8-bit integers.
                let type = String(cString: number.objCType)
                if type == "c" || type == "B" { return number.boolValue.description }
                return text(of: number.doubleValue)
            }
            return (value as? any BinaryInteger).map { text(of: Double($0)) } ?? (value as? Double).map(text(of:))
        }

        private static func text(of number: Double) -> String {
            guard number.isFinite else { return "null" }
            if number == 0 { return "0" }
            let text = number.description
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }

        private static func write(_ string: String, into text: inout String) {
            text += "\""
            for scalar in string.unicodeScalars {
                switch scalar {
                case "\"": text += "\\\""
                case "\\": text += "\\\\"
                case "\n": text += "\\n"
                case _ where scalar.value < 0x20:
                    let hex = String(scalar.value, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                default: text.unicodeScalars.append(scalar)
                }
            }
            text += "\""
        }
    }

    private protocol OptionalValue {
        var content: Any? { get }
    }

    extension Optional: OptionalValue {
        fileprivate var content: Any? { map { $0 as Any } }
    }

    extension Date {
        /// The date as `Date.prototype.toJSON` returns it (ECMA-262, section 21.4.1.32); `nil` for an invalid date.
        fileprivate var scriptText: String? {
            let milliseconds = (timeIntervalSince1970 * 1000).rounded(.down)
            // The range of dates in JavaScript (ECMA-262, section 21.4.1.1).
            guard milliseconds.magnitude <= 8.64e15 else { return nil }
            let (total, day) = (Int64(milliseconds), Int64(86_400_000))
            let (ofDay, days) = ((total % day + day) % day, (total - (total % day + day) % day) / day)
            // Days since 0000-03-01, in eras of 400 years of the Gregorian calendar.
            let shifted = days + 719_468
            let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
            let dayOfEra = shifted - era * 146_097
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let shiftedMonth = (5 * dayOfYear + 2) / 153
            let (date, month) = (dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, (shiftedMonth + 2) % 12 + 1)
            let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
            let sign = (0...9999).contains(year) ? "" : year < 0 ? "-" : "+"
            let time = [ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1000 % 60].map { pad($0, 2) }
            return sign + pad(abs(year), sign.isEmpty ? 4 : 6) + "-" + pad(month, 2) + "-" + pad(date, 2) + "T"
                + time.joined(separator: ":") + "." + pad(ofDay % 1000, 3) + "Z"
        }

        private func pad(_ number: Int64, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
    }
#endif
