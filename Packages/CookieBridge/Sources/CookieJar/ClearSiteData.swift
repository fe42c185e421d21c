// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The data that a response clears by its field `Clear-Site-Data` (W3C Clear Site Data). A jar clears cookies; the
/// engine clears the other kinds.
public struct ClearSiteData: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    /// `"cookies"`
    public static let cookies = ClearSiteData(rawValue: 1)
    /// `"cache"`
    public static let cache = ClearSiteData(rawValue: 2)
    /// `"storage"`
    public static let storage = ClearSiteData(rawValue: 4)
    /// `"executionContexts"`
    public static let executionContexts = ClearSiteData(rawValue: 8)
    /// `"*"`
    public static let all: ClearSiteData = [.cookies, .cache, .storage, .executionContexts]

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Creates the set from the values of all `Clear-Site-Data` fields of a response. Directives that are unquoted, in
    /// another case, or unknown are ignored.
    public init(fieldValues: [String]) {
        self = []
        for value in fieldValues {
            var rest: Substring.UTF8View? = value[...].utf8
            // No known directive contains a comma. A comma within quotes therefore splits only an unknown directive,
            // which is ignored.
            while let unread = rest {
                let (item, more) = CookieBytes.split(unread, at: UInt8(ascii: ","))
                formUnion(Self.kind(item.trimmingFieldWhitespace))
                rest = more
            }
        }
    }

    private static func kind(_ item: Substring.UTF8View) -> ClearSiteData {
        if item.elementsEqual("\"cookies\"".utf8) { return .cookies }
        if item.elementsEqual("\"cache\"".utf8) { return .cache }
        if item.elementsEqual("\"storage\"".utf8) { return .storage }
        if item.elementsEqual("\"executionContexts\"".utf8) { return .executionContexts }
        return item.elementsEqual("\"*\"".utf8) ? .all : []
    }
}
