// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Packaging) import PackageFormat
import Testing

@Suite("Media types", .timeLimit(.minutes(1)))
struct MediaTypesTests {
    @Test(
        "The type depends on the extension, ignoring case",
        arguments: [
            ("index.html", "text/html"), ("a/B.HTML", "text/html"),
            ("app.js", "text/javascript"), ("app.mjs", "text/javascript"),
            ("app.min.css", "text/css"), ("a.json", "application/json"),
            ("a.webmanifest", "application/manifest+json"),
            ("a.js.map", "application/json"),
            ("a.wasm", "application/wasm"), ("a.svg", "image/svg+xml"), ("a.woff2", "font/woff2"),
            ("a.woff", "font/woff"), ("a.ttf", "font/ttf"), ("a.ipynb", "application/x-ipynb+json"),
            ("a.png", "image/png"), ("a.mp3", "audio/mpeg"), ("a.mp4", "video/mp4"),
            ("LICENSE", "application/octet-stream"), ("a.unknown", "application/octet-stream"),
            ("segment-1.ts", "video/mp2t"), ("a.m4s", "video/iso.segment"), ("a.xht", "application/xhtml+xml"),
            ("a.svgz", "application/octet-stream"), ("a/\u{301}b.js", "text/javascript"),
            ("html", "application/octet-stream"), (".html", "application/octet-stream"),
            ("a.html/b", "application/octet-stream"), ("a.", "application/octet-stream"),
        ])
    func types(_ name: String, _ type: String) {
        #expect(MediaTypes().type(of: name) == type)
    }

    @Test("A manifest accepts every known type")
    func table() {
        for (name, type) in MediaTypes.known {
            #expect(name == name.lowercased() && !name.contains("."))
            #expect(type.split(separator: "/").count == 2 && !type.contains(" "), "\(name)")
            #expect(!type.contains(";"), "\(name)")
        }
    }

    @Test("Text types, which may have a charset, are distinguished from others")
    func text() {
        for name in [
            "a.html", "a.css", "a.js", "a.txt", "a.svg", "a.json", "a.webmanifest", "a.yaml", "a.xml", "a.gltf",
        ] {
            #expect(MediaTypes.isText(MediaTypes().type(of: name)), "\(name)")
        }
        for name in ["a.png", "a.wasm", "a.woff2", "a.rtf", "a.pdf", "a.m3u8", "a"] {
            #expect(!MediaTypes.isText(MediaTypes().type(of: name)), "\(name)")
        }
    }

    @Test("Compressed types are distinguished from others")
    func compression() {
        for name in ["a.png", "a.woff2", "a.mp4", "a.gz", "a.jpg", "a.whl"] {
            #expect(MediaTypes().isCompressed(MediaTypes().type(of: name)), "\(name)")
        }
        for name in ["a.svg", "a.html", "a.wasm", "a.ttf", "a.bmp", "a.ico", "a.wav", "a", "a.tar"] {
            #expect(!MediaTypes().isCompressed(MediaTypes().type(of: name)), "\(name)")
        }
    }
}
