// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContentDigest
internal import ResourceTable

/// The command `h5 table match`, which finds the entry of a table for a URL.
struct TableMatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Finds the entry of a table for a URL.",
        discussion: """
            The fragment of the URL is ignored; the query is not. Percent escapes are compared in normalized form \
            (RFC 3986, sections 6.2.2.1 and 6.2.2.2). Without --json, prints the entry's URL, version, \
            MD5, download URL and content type, a line for each, or "no entry". With --json, prints {"url", "entry"}: \
            the normalized URL, and {"url", "version", "md5", "download", "contentType"} or null. A missing entry is \
            also a result: the exit status is 0.
            """)

    @Argument(help: ArgumentHelp("The table.", valueName: "table"))
    var table: String

    @Argument(
        help: ArgumentHelp("An http or https URL.", valueName: "url"),
        transform: { text in
            guard let url = TableURL(text) else { throw ValidationError("Not an absolute http or https URL.") }
            return url
        })
    var url: TableURL

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        struct Entry: Encodable {
            var url: String
            var version: String
            var md5: String
            var download: String
            var contentType: String?

            init(_ entry: TableEntry) {
                url = entry.url.description
                version = entry.version
                md5 = entry.md5.description
                download = entry.download.description
                contentType = entry.contentType
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(url, forKey: .url)
                try container.encode(version, forKey: .version)
                try container.encode(md5, forKey: .md5)
                try container.encode(download, forKey: .download)
                // A missing value is encoded as null.
                try container.encode(contentType, forKey: .contentType)
            }

            enum CodingKeys: String, CodingKey {
                case url, version, md5, download, contentType
            }
        }

        var url: String
        var entry: Entry?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(url, forKey: .url)
            try container.encode(entry, forKey: .entry)
        }

        enum CodingKeys: String, CodingKey {
            case url, entry
        }
    }

    func run() async throws {
        let entry = try TableInput.table(table)[url].map(Output.Entry.init)
        guard !json else {
            return try CommandOutput.result(json: Output(url: url.normalized.description, entry: entry))
        }
        guard let entry else { return try CommandOutput.result("no entry") }
        for (name, value) in [
            ("url", entry.url), ("version", entry.version), ("md5", entry.md5), ("download", entry.download),
            ("type", entry.contentType ?? "none"),
        ] {
            try CommandOutput.result("\(name): \(value)")
        }
    }
}
