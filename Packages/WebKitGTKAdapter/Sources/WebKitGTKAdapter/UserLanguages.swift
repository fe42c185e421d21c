// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    internal import Glibc
    internal import WebSyntax

    /// The languages of the user, the preferred one first, as the engine tells them.
    struct UserLanguages: Equatable {
        /// Tags of BCP 47.
        let tags: [String]

        /// - Parameters:
        ///   - given: by the app; what is no tag is left out.
        ///   - locale: the names of the process's locale, which count where the app gives none.
        init(_ given: [String], locale: [String] = Self.locale) {
            let given = given.filter(Self.isTag)
            let names = given.isEmpty ? locale.filter { !["C", "POSIX"].contains($0) } : given
            var tags: [String] = []
            for tag in names.map({ $0.replacing("_", with: "-") }) where Self.isTag(tag) && !tags.contains(tag) {
                tags.append(tag)
            }
            // Left to itself, the engine tells servers and scripts of a language `C`.
            self.tags = tags.isEmpty ? ["en-US"] : tags
        }

        /// Letters, digits and dashes (RFC 5646, section 2.1): no names with a codeset or a modifier, either.
        private static func isTag(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.count <= 64
                && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
        }

        /// `de_AT`, `de` and the like.
        private static var locale: [String] {
            var names: [String] = []
            var name = g_get_language_names()
            while let text = name?.pointee {
                names.append(String(cString: text))
                name = name?.advanced(by: 1)
            }
            return names
        }

        /// `Accept-Language` as WebKitGTK 2.50 says it to servers; measured.
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
