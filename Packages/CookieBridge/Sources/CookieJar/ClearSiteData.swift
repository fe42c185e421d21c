// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// What a response asks to be cleared by its field `Clear-Site-Data` (W3C Clear Site Data). A jar clears
/// cookies; the rest is the engine's business.
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

    /// Reads the values of all fields of a response. What is not in quotes, is spelled in another case, or means nothing to
    /// us is passed over.
    public init(fieldValues: [String]) {
        self = []
        for value in fieldValues {
            var rest: Substring.UTF8View? = value[...].utf8
            // None of the words has a comma in it, so that one within quotes only splits what is passed over anyway.
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
