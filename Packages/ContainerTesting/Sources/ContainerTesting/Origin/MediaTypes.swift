// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Hummingbird

/// The media types of file extensions for which Hummingbird has no type or another type.
///
/// No type has a `charset`, because a file name does not contain the encoding.
enum MediaTypes {
    /// The media type of files with an unknown extension.
    static let unknown = "application/octet-stream"

    static let additional: [String: MediaType] = {
        var types: [String: MediaType] = [
            "map": MediaType(type: .application, subType: "json"),
            "ipynb": MediaType(type: .application, subType: "json"),
            "webmanifest": MediaType(type: .application, subType: "manifest+json"),
            "wasm": MediaType(type: .application, subType: "wasm"),
            "whl": MediaType(type: .application, subType: "zip"),
            "avif": MediaType(type: .image, subType: "avif"),
            "svg": MediaType(type: .image, subType: "svg+xml"),
            "xml": MediaType(type: .application, subType: "xml"),
        ]
        for (suffix, subType) in [
            "html": "html", "htm": "html", "css": "css", "js": "javascript", "mjs": "javascript", "txt": "plain",
            "md": "markdown", "csv": "csv", "py": "x-python", "ics": "calendar",
        ] {
            types[suffix] = MediaType(type: .text, subType: subType)
        }
        return types
    }()
}
