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
    /// The number of bytes of a URL that are printed.
    private static let maxURLBytes = 200
    /// The bytes that end a URL in HTML, CSS and scripts.
    private static let ends = Set("\"'`<>()\\{}, ;\n\r\t".utf8)
    /// The bytes before a URL without a scheme (RFC 3986, section 4.2). Two slashes after others are comments.
    private static let starts = Set("\"'`=(".utf8)
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
        let base = "\(manifest.baseURL)"
        let schemeless = base.drop { $0 != "/" }
        let remote = manifest.files.compactMap { file -> String? in
            guard Self.mayHaveURLs(file.mediaType),
                let handle = FileHandle(forReadingAtPath: "\(site)/\(file.path.description)"),
                let bytes = try? handle.read(upToCount: Self.searchedBytes)
            else { return nil }
            let urls = Self.urls(in: [UInt8](bytes)).filter { url in
                !url.hasPrefix(url.hasPrefix("//") ? schemeless : base[...])
            }
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

    /// Returns the different http and https URLs with a host in their order, also those without a scheme, but not the
    /// names of XML namespaces.
    static func urls(in bytes: [UInt8]) -> [String] {
        var urls: [String] = []
        var known: Set<String> = []
        let marker = Array("//".utf8)
        var index = 0
        while let slash = bytes[index...].firstRange(of: marker)?.lowerBound {
            index = slash + marker.count
            let rest = bytes[index...].prefix(maxURLBytes).prefix { !ends.contains($0) }
            let before = bytes[..<slash]
            let scheme = ["https:", "http:"].first { before.suffix($0.utf8.count).elementsEqual($0.utf8) }
            guard !rest.isEmpty, scheme != nil || before.last.map(starts.contains) == true && isHost(rest)
            else { continue }
            let url = String(decoding: bytes[(slash - (scheme?.utf8.count ?? 0))..<rest.endIndex], as: UTF8.self)
            guard !url.hasPrefix(namespaces), known.insert(url).inserted else { continue }
            urls.append(url)
        }
        return urls
    }

    /// Returns a Boolean value that indicates whether a text begins with a domain name that has a dot.
    private static func isHost(_ bytes: ArraySlice<UInt8>) -> Bool {
        let host = bytes.prefix { ![UInt8(ascii: "/"), UInt8(ascii: ":")].contains($0) }
        return host.dropFirst().dropLast().contains(UInt8(ascii: "."))
            && host.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            }
    }
}
