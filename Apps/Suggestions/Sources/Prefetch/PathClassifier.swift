// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A classifier that derives the purpose of a request from the words of its path.
struct PathClassifier {
    private let parts: [Set<String>]

    /// Creates a classifier.
    /// - Parameter path: The path. A query is ignored.
    init(_ path: String) {
        let path = path.prefix { $0 != "?" && $0 != "#" }
        parts = path.split(separator: "/").map { Set(Self.words(of: $0)) }
    }

    /// A Boolean value that indicates whether the path names a report to the server, such as telemetry.
    var reports: Bool { parts.contains { !$0.isDisjoint(with: Self.reporting) } }

    /// A Boolean value that indicates whether the last segment names a change.
    var changes: Bool {
        guard let last = parts.last, last.isDisjoint(with: Self.reading) else { return false }
        return !last.isDisjoint(with: Self.changing)
    }

    /// Returns a Boolean value that indicates whether the segment is a word for a read operation, such as `list`.
    static func isReading(_ part: String) -> Bool { reading.contains(part.lowercased()) }

    /// Returns the words of a segment: `addToCart` and `add-to_cart` have the same three words.
    private static func words(of part: Substring) -> [String] {
        var words: [String] = []
        var word = ""
        var wasLower = false
        for letter in part.prefix(256) {
            let isWord = letter.isASCII && (letter.isLetter || letter.isNumber)
            if !isWord || letter.isUppercase && wasLower {
                words.append(word.lowercased())
                word = ""
            }
            if isWord { word.append(letter) }
            wasLower = letter.isLowercase
        }
        words.append(word.lowercased())
        return words.filter { !$0.isEmpty }
    }

    private static let reporting: Set<String> = [
        "analytics", "beacon", "collect", "log", "logger", "logs", "metrics", "pixel", "telemetry", "track", "tracker",
        "tracking",
    ]
    private static let reading: Set<String> = [
        "count", "detail", "details", "find", "get", "info", "list", "query", "read", "search",
    ]
    private static let changing: Set<String> = [
        "add", "buy", "cancel", "checkout", "confirm", "create", "delete", "edit", "event", "events", "insert", "like",
        "login", "logout", "pay", "payment", "post", "publish", "put", "register", "remove", "report", "reset", "save",
        "send", "set", "sign", "signin", "signout", "signup", "submit", "subscribe", "transfer", "update", "upload",
        "vote", "write",
    ]
}
