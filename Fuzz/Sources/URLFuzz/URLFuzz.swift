// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import PackageFormat

/// Fuzzes the URLs that packages serve.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzURL(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    // Most inputs are not URLs, so each input is also tried as a path.
    for text in [text, "https://shop.example/\(text)"] {
        guard let url = PackageURL(text) else { continue }
        Fuzz.expect(
            url.path.utf8.first == UInt8(ascii: "/") && !url.path.utf8.contains(0), "an invalid path: \(url.path)"
        )
        Fuzz.expect(PackageURL(url.origin + escaped(url.path)) == url, "the normal form is not stable")
        let end = url.path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? url.path.startIndex
        guard let folder = PackageURL(url.origin + escaped(String(url.path[...end]))) else {
            Fuzz.expect(false, "the folder has no URL: \(url.path)")
            continue
        }
        Fuzz.expect(folder.isPrefix(of: url), "the URL is not in its folder: \(url.path)")
        Fuzz.expect(folder.path + url.path(below: folder) == url.path, "wrong path below the folder: \(url.path)")
        Fuzz.expect(url.asFolder.map { $0.path == url.path + "/" } ?? (folder == url), "wrong folder: \(url.path)")
    }
    return 0
}

/// Returns a path with every byte percent-encoded, except for slashes.
private func escaped(_ path: String) -> String {
    path.utf8.map { $0 == UInt8(ascii: "/") ? "/" : "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        .joined()
}
