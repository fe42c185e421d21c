// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// An encoder of timelines in the HTTP Archive format 1.2, which the developer tools of browsers read.
///
/// The output depends only on the timelines and these options. It contains neither cookies nor header fields, because
/// timelines do not record them. It contains URLs, whose queries may hold secrets: see ``omitsQueries``.
public struct HARExport: Sendable, Hashable {
    /// A program that the archive names.
    public struct Program: Sendable, Hashable, Encodable {
        /// The name of the program.
        public var name: String
        /// The version of the program; may be empty.
        public var version: String

        /// Creates a program.
        /// - Parameters:
        ///   - name: the name of the program.
        ///   - version: the version of the program; may be empty.
        public init(name: String, version: String) {
            self.name = name
            self.version = version
        }
    }

    /// The program that writes the file; ContainerKit by default.
    public var creator = Program(name: "ContainerKit", version: "")
    /// The web engine; `nil` by default.
    public var browser: Program?
    /// A Boolean value that indicates whether URLs are written without user, password, query and fragment; `false` by
    /// default. Set it for files that leave the machine.
    public var omitsQueries = false

    /// Creates an export with the default options.
    public init() {}

    /// Returns the archive as JSON in UTF-8 with sorted keys. The requests of a page are in the order of their start.
    /// - Parameter timelines: the pages, in the order of the archive.
    /// - Returns: the content of a `.har` file.
    /// - Throws: `EncodingError` if a time is not finite; no recorded timeline contains such a time.
    public func json(_ timelines: [PageTimeline]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(HARDocument(timelines, self))
    }

    func exportedURL(_ url: String) -> String { omitsQueries ? BareURL.of(url) : url }
}

/// The form of a URL without the parts that logs and exported files must not contain.
enum BareURL {
    /// Returns the URL without user, password, query and fragment.
    static func of(_ url: String) -> String {
        let bare = url.prefix { $0 != "?" && $0 != "#" }
        guard let authority = bare.firstRange(of: "://")?.upperBound else { return String(bare) }
        let end = bare[authority...].firstIndex { $0 == "/" || $0 == "\\" } ?? bare.endIndex
        guard let at = bare[authority..<end].lastIndex(of: "@") else { return String(bare) }
        return String(bare[..<authority] + bare[bare.index(after: at)...])
    }
}
