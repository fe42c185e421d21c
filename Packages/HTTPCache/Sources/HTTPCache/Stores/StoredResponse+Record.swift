// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes

extension StoredResponse {
    /// The response as text for a store of records. The first line contains version, status, times, range, length and
    /// revision. The fields follow as `name:value` lines. After an empty line follow the selectors as `name:value` or
    /// `name`.
    var record: String {
        var text = "1 \(head.status.code) \(Self.milliseconds(requestTime)) \(Self.milliseconds(responseTime))"
        text += " \(range.lowerBound) \(range.upperBound) \(length ?? -1) \(revision)\n"
        for field in head.headerFields { text += "\(field.name.rawName):\(field.value)\n" }
        text += "\n"
        for selector in selectors { text += selector.value.map { "\(selector.name):\($0)\n" } ?? "\(selector.name)\n" }
        return text
    }

    /// Creates a response from its record.
    /// - Returns: `nil` if the text is not a valid record.
    init?(record: String) {
        // Parses bytes, because splitting by characters is much slower.
        let lines = record.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count >= 3, lines.last?.isEmpty == true, let gap = lines.firstIndex(where: \.isEmpty) else {
            return nil
        }
        let numbers = lines[0].split(separator: UInt8(ascii: " ")).map { Substring($0) }
        guard numbers.count == 8, numbers[0] == "1", let status = Int(numbers[1]), (200...599).contains(status),
            let requestTime = Int64(numbers[2]), let responseTime = Int64(numbers[3]), let lower = Int64(numbers[4]),
            let upper = Int64(numbers[5]), 0 <= lower, lower <= upper, let length = Int64(numbers[6]), length >= -1,
            let revision = UInt64(numbers[7]), gap <= 1_000
        else { return nil }
        var fields = HTTPFields()
        for line in lines[1..<gap] {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                let name = HTTPField.Name(String(Substring(line[..<colon])))
            else { return nil }
            fields.append(HTTPField(name: name, value: String(Substring(line[line.index(after: colon)...]))))
        }
        let selectors = lines[(gap + 1)...].dropLast().map { line in
            let colon = line.firstIndex(of: UInt8(ascii: ":"))
            return Selector(
                name: String(Substring(line[..<(colon ?? line.endIndex)])),
                value: colon.map { String(Substring(line[line.index(after: $0)...])) })
        }
        self.init(
            head: HTTPResponse(status: .init(code: status), headerFields: fields), selectors: selectors,
            requestTime: Self.date(requestTime), responseTime: Self.date(responseTime), range: lower..<upper,
            length: length < 0 ? nil : length, revision: revision)
    }

    private static func milliseconds(_ date: Date) -> Int64 {
        Int64(min(max(date.timeIntervalSince1970, -1e11), 1e12) * 1_000)
    }

    private static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
