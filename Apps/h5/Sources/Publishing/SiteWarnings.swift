// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import PackageFormat

/// Warnings about files of a site that make a package large or dependent on the network.
struct SiteWarnings {
    /// The number of bytes above which a file is large.
    private static let largeFile: Int64 = 1 << 20
    /// The number of bytes of a file that are searched for URLs.
    private static let searchedBytes = 4 << 20
    /// The maximum number of warnings of each kind.
    private static let limit = 20
    /// The bytes that end a URL in HTML, CSS and scripts.
    private static let ends = Set("\"'`<>()\\{}, ;\n\r\t".utf8)
    /// Names of XML namespaces, which are no requests.
    private static let namespaces = "http://www.w3.org/"

    /// The warnings, one line for each file.
    let lines: [String]

    /// Examines the files of a package.
    /// - Parameter site: The folder of the built site.
    init(_ manifest: PackageManifest, site: String) {
        let large = manifest.files.filter { $0.size > Self.largeFile }.map { file in
            "\(file.path.description) has \(file.size) bytes: devices load it with each change of the file"
        }
        let remote = manifest.files.compactMap { file -> String? in
            guard Self.mayHaveURLs(file.mediaType),
                let handle = FileHandle(forReadingAtPath: "\(site)/\(file.path.description)"),
                let bytes = try? handle.read(upToCount: Self.searchedBytes)
            else { return nil }
            let urls = Self.urls(in: [UInt8](bytes)).filter { !$0.hasPrefix("\(manifest.baseURL)") }
            guard let first = urls.first else { return nil }
            let count = urls.count == 1 ? "an absolute URL" : "\(urls.count) absolute URLs"
            return "\(file.path.description) has \(count) outside of the base URL, such as \(first)"
        }
        lines = Self.limited(large) + Self.limited(remote)
    }

    private static func limited(_ lines: [String]) -> [String] {
        lines.prefix(limit) + (lines.count > limit ? ["\(lines.count - limit) more files"] : [])
    }

    private static func mayHaveURLs(_ type: String) -> Bool {
        ["text/html", "application/xhtml+xml", "text/css", "text/javascript", "application/javascript"]
            .contains { type.hasPrefix($0) }
    }

    /// Returns the different absolute http and https URLs in their order, without the names of XML namespaces.
    static func urls(in bytes: [UInt8]) -> [String] {
        var urls: [String] = []
        var known: Set<String> = []
        let marker = Array("://".utf8)
        var index = 0
        while let slash = bytes[index...].firstRange(of: marker)?.lowerBound {
            index = slash + marker.count
            let scheme = ["https", "http"].first { bytes[..<slash].suffix($0.utf8.count).elementsEqual($0.utf8) }
            let end = bytes[index...].firstIndex(where: ends.contains) ?? bytes.endIndex
            guard let scheme, end > index else { continue }
            let url = String(decoding: bytes[(slash - scheme.utf8.count)..<min(end, index + 200)], as: UTF8.self)
            guard !url.hasPrefix(namespaces), known.insert(url).inserted else { continue }
            urls.append(url)
        }
        return urls
    }
}
