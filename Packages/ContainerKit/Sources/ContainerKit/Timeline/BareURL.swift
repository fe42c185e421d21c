// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What of a URL may be shown to others.
enum BareURL {
    /// The URL without user, password, query and fragment.
    static func of(_ url: String) -> String {
        let shown = url.prefix { $0 != "?" && $0 != "#" }
        guard let authority = shown.firstRange(of: "://")?.upperBound else { return String(shown) }
        let end = shown[authority...].firstIndex { $0 == "/" || $0 == "\\" } ?? shown.endIndex
        guard let at = shown[authority..<end].lastIndex(of: "@") else { return String(shown) }
        return String(shown[..<authority] + shown[shown.index(after: at)...])
    }
}
