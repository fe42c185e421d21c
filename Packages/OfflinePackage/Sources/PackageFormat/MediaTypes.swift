// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Media types by a file's extension.
///
/// The types are those of the IANA registry and of the HTML standard (JavaScript is `text/javascript`); text comes
/// with `charset=utf-8`, since a packaged file has no server that would know better.
public struct MediaTypes: Sendable {
    /// By extension, in lower case and without the dot.
    public var types: [String: String]

    public init(types: [String: String] = MediaTypes.known) {
        self.types = types
    }

    /// The type of a file by its name; `application/octet-stream` where the extension is not known.
    public func type(of name: String) -> String {
        Self.fileExtension(of: name).flatMap { types[$0] } ?? "application/octet-stream"
    }

    /// Whether files of this type are compressed already, so that deflate would only cost time.
    public func isCompressed(_ type: String) -> Bool {
        let type = type.prefix { $0 != ";" }
        if Self.compressible.contains(String(type)) { return false }
        return type.hasPrefix("image/") || type.hasPrefix("audio/") || type.hasPrefix("video/")
            || Self.compressed.contains(String(type))
    }

    /// What follows the last dot of a path's last part, in lower case; `nil` for `.name` and `name`.
    static func fileExtension(of name: String) -> String? {
        let last = name.split(separator: "/").last ?? ""
        guard let dot = last.lastIndex(of: "."), dot != last.startIndex else { return nil }
        return last[last.index(after: dot)...].lowercased()
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

    /// The table that is used unless another is given.
    public static let known: [String: String] = [
        // Documents and code.
        "html": "text/html;charset=utf-8",
        "htm": "text/html;charset=utf-8",
        "xhtml": "application/xhtml+xml;charset=utf-8",
        "css": "text/css;charset=utf-8",
        "js": "text/javascript;charset=utf-8",
        "mjs": "text/javascript;charset=utf-8",
        "cjs": "text/javascript;charset=utf-8",
        "json": "application/json;charset=utf-8",
        "json5": "application/json5;charset=utf-8",
        "jsonl": "application/jsonl;charset=utf-8",
        "ndjson": "application/x-ndjson;charset=utf-8",
        "geojson": "application/geo+json;charset=utf-8",
        "webmanifest": "application/manifest+json;charset=utf-8",
        "map": "application/json;charset=utf-8",
        "ipynb": "application/x-ipynb+json;charset=utf-8",
        "jsonld": "application/ld+json;charset=utf-8",
        "xml": "application/xml;charset=utf-8",
        "xsl": "application/xslt+xml;charset=utf-8",
        "atom": "application/atom+xml;charset=utf-8",
        "rss": "application/rss+xml;charset=utf-8",
        "txt": "text/plain;charset=utf-8",
        "text": "text/plain;charset=utf-8",
        "log": "text/plain;charset=utf-8",
        "md": "text/markdown;charset=utf-8",
        "csv": "text/csv;charset=utf-8",
        "tsv": "text/tab-separated-values;charset=utf-8",
        "vtt": "text/vtt;charset=utf-8",
        "srt": "application/x-subrip;charset=utf-8",
        "ics": "text/calendar;charset=utf-8",
        "yaml": "application/yaml;charset=utf-8",
        "yml": "application/yaml;charset=utf-8",
        "toml": "application/toml;charset=utf-8",
        "py": "text/x-python;charset=utf-8",
        "ts": "text/plain;charset=utf-8",
        "tsx": "text/plain;charset=utf-8",
        "glsl": "text/plain;charset=utf-8",
        "wgsl": "text/wgsl;charset=utf-8",
        "wasm": "application/wasm",
        "pdf": "application/pdf",
        "rtf": "application/rtf",
        // Images.
        "svg": "image/svg+xml;charset=utf-8",
        "png": "image/png",
        "apng": "image/apng",
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "gif": "image/gif",
        "webp": "image/webp",
        "avif": "image/avif",
        "heic": "image/heic",
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
        // Sound and film.
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
        "m3u8": "application/vnd.apple.mpegurl",
        "mpd": "application/dash+xml;charset=utf-8",
        // Models.
        "gltf": "model/gltf+json;charset=utf-8",
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
