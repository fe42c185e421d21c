// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// Writes timelines in the HTTP Archive format 1.2, which developer tools of browsers can show.
///
/// A pure function of the timelines. Cookies and header fields are not recorded, and so never in the file. URLs are, and
/// their queries may hold secrets: see ``leavesQueriesOut``.
public struct HARExport: Sendable, Hashable {
    /// A program, as the format names it.
    public struct Program: Sendable, Hashable, Encodable {
        /// Its name.
        public var name: String
        /// Its version; may be empty.
        public var version: String

        /// Names a program.
        public init(name: String, version: String) {
            self.name = name
            self.version = version
        }
    }

    /// Who writes the file; ContainerKit by default.
    public var creator = Program(name: "ContainerKit", version: "")
    /// The engine; not named by default.
    public var browser: Program?
    /// Whether URLs go without user, password, query and fragment; false by default. Set it for files that leave the
    /// machine.
    public var leavesQueriesOut = false

    /// The default export.
    public init() {}

    /// The file, as JSON in UTF-8 with sorted keys. The pages come in the order given, and of each the requests in the
    /// order in which they began.
    /// - Throws: `EncodingError` where a time is no number, which no recorded timeline has.
    public func json(_ timelines: [PageTimeline]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(HARDocument(timelines, self))
    }

    func shown(_ url: String) -> String { leavesQueriesOut ? BareURL.of(url) : url }
}
