// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    internal import Glibc
    internal import WebSyntax

    /// The user's languages in order of preference, in the form that the engine sends.
    struct UserLanguages: Equatable {
        /// The languages as BCP 47 tags.
        let tags: [String]

        /// Creates the list of languages.
        /// - Parameters:
        ///   - given: the tags that the app sets; invalid tags are ignored.
        ///   - locale: the language names of the process's locale, which are used if `given` has no valid tag.
        init(_ given: [String], locale: [String] = Self.locale) {
            let given = given.filter(Self.isTag)
            let names = given.isEmpty ? locale.filter { !["C", "POSIX"].contains($0) } : given
            var tags: [String] = []
            for tag in names.map({ $0.replacing("_", with: "-") }) where Self.isTag(tag) && !tags.contains(tag) {
                tags.append(tag)
            }
            // Without a tag, the engine reports the language `C` to servers and scripts.
            self.tags = tags.isEmpty ? ["en-US"] : tags
        }

        /// Returns a Boolean value that indicates whether a text consists of letters, digits and hyphens (RFC 5646,
        /// section 2.1). Locale names with a codeset or a modifier do not qualify.
        private static func isTag(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.count <= 64
                && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
        }

        /// The language names of the process's locale, such as `de_AT` and `de`.
        private static var locale: [String] {
            var names: [String] = []
            var name = g_get_language_names()
            while let text = name?.pointee {
                names.append(String(cString: text))
                name = name?.advanced(by: 1)
            }
            return names
        }

        /// The `Accept-Language` value that WebKitGTK 2.50 sends to servers (measured).
        var field: String {
            let step = tags.count < 10 ? 10 : tags.count < 20 ? 5 : 1
            return tags.enumerated().map { index, tag in
                let quality = 100 - index * step
                guard index > 0, quality > 0 else { return tag }
                return "\(tag);q=0.\(quality < 10 ? "0" : "")\(quality)"
            }.joined(separator: ",")
        }

        @MainActor
        func set(in context: UnsafeMutablePointer<WebKitWebContext>) {
            var pointers = tags.map { UnsafePointer<gchar>(strdup($0)) } + [nil]
            webkit_web_context_set_preferred_languages(context, &pointers)
            for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) }
        }
    }
#endif
