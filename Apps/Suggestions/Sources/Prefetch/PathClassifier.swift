// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The words of a URL's path, which tell what a request is for.
struct PathClassifier {
    private let parts: [Set<String>]

    /// - Parameter path: may have a query, which does not count.
    init(_ path: String) {
        let path = path.prefix { $0 != "?" && $0 != "#" }
        parts = path.split(separator: "/").map { Set(Self.words(of: $0)) }
    }

    /// Whether something is told to a server that is of no use to the page.
    var reports: Bool { parts.contains { !$0.isDisjoint(with: Self.reporting) } }

    /// Whether the last part names an act.
    var changes: Bool {
        guard let last = parts.last, last.isDisjoint(with: Self.reading) else { return false }
        return !last.isDisjoint(with: Self.changing)
    }

    /// Whether a part of a path is a word that says what is read.
    static func isReading(_ part: String) -> Bool { reading.contains(part.lowercased()) }

    /// `addToCart` and `add-to_cart` are the same three words.
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
