// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A table of media types by file extension.
///
/// The types are those of the IANA registry and of the HTML standard (JavaScript is `text/javascript`). They have no
/// `charset` parameter, because a file name does not determine the encoding; see `CharsetSniffer`.
public struct MediaTypes: Sendable {
    /// The media types by extension, in lower case and without the dot.
    public var types: [String: String]

    /// Creates a table.
    public init(types: [String: String] = MediaTypes.known) {
        self.types = types
    }

    /// Returns the media type of a file name, or `application/octet-stream` for an unknown extension.
    public func type(of name: String) -> String {
        Self.fileExtension(of: name).flatMap { types[$0] } ?? "application/octet-stream"
    }

    /// Returns a Boolean value that indicates whether files of a type are compressed already, so that deflate has no
    /// effect.
    public func isCompressed(_ type: String) -> Bool {
        let type = type.prefix { $0 != ";" }
        if Self.compressible.contains(String(type)) { return false }
        return type.hasPrefix("image/") || type.hasPrefix("audio/") || type.hasPrefix("video/")
            || Self.compressed.contains(String(type))
    }

    /// Returns a Boolean value that indicates whether files of a type are text, so that `charset` applies to them.
    /// - Parameter type: a media type without parameters, in lower case.
    public static func isText(_ type: String) -> Bool {
        type.hasPrefix("text/") || type.hasSuffix("+xml") || type.hasSuffix("+json") || textual.contains(type)
    }

    private static let textual: Set<String> = [
        "application/javascript", "application/json", "application/json5", "application/jsonl", "application/toml",
        "application/x-ndjson", "application/x-subrip", "application/xml", "application/yaml",
    ]

    /// Returns the extension of the last path component in lower case, or `nil` for `.name` and `name`.
    static func fileExtension(of name: String) -> String? {
        let last = name.utf8.split(separator: UInt8(ascii: "/")).last ?? "".utf8[...]
        guard let dot = last.lastIndex(of: UInt8(ascii: ".")), dot != last.startIndex else { return nil }
        return Substring(last[last.index(after: dot)...]).lowercased()
    }

    private static let compressible: Set<String> = [
        "image/svg+xml", "image/bmp", "image/x-icon", "audio/wav", "audio/midi", "video/mp2t", "image/tiff",
    ]

    private static let compressed: Set<String> = [
        "font/woff", "font/woff2", "application/zip", "application/gzip", "application/zstd", "application/x-bzip2",
        "application/x-xz", "application/x-7z-compressed", "application/vnd.rar", "application/epub+zip",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ]

    /// The default table.
    public static let known: [String: String] = [
        // Documents and code.
        "html": "text/html",
        "htm": "text/html",
        "xhtml": "application/xhtml+xml",
        "xht": "application/xhtml+xml",
        "css": "text/css",
        "js": "text/javascript",
        "mjs": "text/javascript",
        "cjs": "text/javascript",
        "json": "application/json",
        "json5": "application/json5",
        "jsonl": "application/jsonl",
        "ndjson": "application/x-ndjson",
        "geojson": "application/geo+json",
        "webmanifest": "application/manifest+json",
        "map": "application/json",
        "ipynb": "application/x-ipynb+json",
        "jsonld": "application/ld+json",
        "xml": "application/xml",
        "xsl": "application/xslt+xml",
        "xslt": "application/xslt+xml",
        "atom": "application/atom+xml",
        "rss": "application/rss+xml",
        "txt": "text/plain",
        "text": "text/plain",
        "log": "text/plain",
        "md": "text/markdown",
        "csv": "text/csv",
        "tsv": "text/tab-separated-values",
        "vtt": "text/vtt",
        "srt": "application/x-subrip",
        "ics": "text/calendar",
        "yaml": "application/yaml",
        "yml": "application/yaml",
        "toml": "application/toml",
        "py": "text/x-python",
        "tsx": "text/plain",
        "glsl": "text/plain",
        "wgsl": "text/wgsl",
        "wasm": "application/wasm",
        "pdf": "application/pdf",
        "rtf": "application/rtf",
        // Images.
        "svg": "image/svg+xml",
        "png": "image/png",
        "apng": "image/apng",
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "jfif": "image/jpeg",
        "gif": "image/gif",
        "webp": "image/webp",
        "avif": "image/avif",
        "heic": "image/heic",
        "heif": "image/heif",
        "jxl": "image/jxl",
        "ico": "image/x-icon",
        "cur": "image/x-icon",
        "bmp": "image/bmp",
        "tif": "image/tiff",
        "tiff": "image/tiff",
        // Fonts.
        "woff": "font/woff",
        "woff2": "font/woff2",
        "ttf": "font/ttf",
        "otf": "font/otf",
        "ttc": "font/collection",
        "eot": "application/vnd.ms-fontobject",
        // Audio and video.
        "mp3": "audio/mpeg",
        "m4a": "audio/mp4",
        "aac": "audio/aac",
        "ogg": "audio/ogg",
        "oga": "audio/ogg",
        "opus": "audio/ogg",
        "flac": "audio/flac",
        "wav": "audio/wav",
        "weba": "audio/webm",
        "mid": "audio/midi",
        "mp4": "video/mp4",
        "m4v": "video/mp4",
        "webm": "video/webm",
        "ogv": "video/ogg",
        "mov": "video/quicktime",
        // MPEG transport streams and segments of HLS. Sources in TypeScript are not served to browsers.
        "ts": "video/mp2t",
        "m2ts": "video/mp2t",
        "m4s": "video/iso.segment",
        "m3u8": "application/vnd.apple.mpegurl",
        "mpd": "application/dash+xml",
        // Models.
        "gltf": "model/gltf+json",
        "glb": "model/gltf-binary",
        "obj": "model/obj",
        "stl": "model/stl",
        // Archives.
        "zip": "application/zip",
        "whl": "application/zip",
        "gz": "application/gzip",
        "tgz": "application/gzip",
        "zst": "application/zstd",
        "bz2": "application/x-bzip2",
        "xz": "application/x-xz",
        "7z": "application/x-7z-compressed",
        "rar": "application/vnd.rar",
        "tar": "application/x-tar",
        "epub": "application/epub+zip",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ]
}
