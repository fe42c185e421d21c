// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageFormat
import Testing

@Suite("Media types", .timeLimit(.minutes(1)))
struct MediaTypesTests {
    @Test(
        "Types go by the extension, without regard to case",
        arguments: [
            ("index.html", "text/html;charset=utf-8"), ("a/B.HTML", "text/html;charset=utf-8"),
            ("app.js", "text/javascript;charset=utf-8"), ("app.mjs", "text/javascript;charset=utf-8"),
            ("app.min.css", "text/css;charset=utf-8"), ("a.json", "application/json;charset=utf-8"),
            ("a.webmanifest", "application/manifest+json;charset=utf-8"),
            ("a.js.map", "application/json;charset=utf-8"),
            ("a.wasm", "application/wasm"), ("a.svg", "image/svg+xml;charset=utf-8"), ("a.woff2", "font/woff2"),
            ("a.woff", "font/woff"), ("a.ttf", "font/ttf"), ("a.ipynb", "application/x-ipynb+json;charset=utf-8"),
            ("a.png", "image/png"), ("a.mp3", "audio/mpeg"), ("a.mp4", "video/mp4"),
            ("LICENSE", "application/octet-stream"), ("a.unknown", "application/octet-stream"),
            ("html", "application/octet-stream"), (".html", "application/octet-stream"),
            ("a.html/b", "application/octet-stream"), ("a.", "application/octet-stream"),
        ])
    func types(_ name: String, _ type: String) {
        #expect(MediaTypes().type(of: name) == type)
    }

    @Test("Every known type is one that a manifest takes")
    func table() {
        for (name, type) in MediaTypes.known {
            #expect(name == name.lowercased() && !name.contains("."))
            #expect(type.split(separator: "/").count == 2 && !type.contains(" "), "\(name)")
        }
    }

    @Test("What is compressed already is told from what is not")
    func compression() {
        for name in ["a.png", "a.woff2", "a.mp4", "a.gz", "a.jpg", "a.whl"] {
            #expect(MediaTypes().isCompressed(MediaTypes().type(of: name)), "\(name)")
        }
        for name in ["a.svg", "a.html", "a.wasm", "a.ttf", "a.bmp", "a.ico", "a.wav", "a", "a.tar"] {
            #expect(!MediaTypes().isCompressed(MediaTypes().type(of: name)), "\(name)")
        }
    }
}
