// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
@_spi(Packaging) internal import PackageFormat

/// The URLs that packages answer: what pages ask for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzURL(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    // Most inputs are no URL at all; each is tried as the path of one, too.
    for text in [text, "https://shop.example/\(text)"] {
        guard let url = PackageURL(text) else { continue }
        Fuzz.expect(
            url.path.utf8.first == UInt8(ascii: "/") && !url.path.utf8.contains(0), "a path that cannot be: \(url.path)"
        )
        Fuzz.expect(PackageURL(url.origin + escaped(url.path)) == url, "the normal form has another normal form")
        let end = url.path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? url.path.startIndex
        guard let folder = PackageURL(url.origin + escaped(String(url.path[...end]))) else {
            Fuzz.expect(false, "its folder has no URL: \(url.path)")
            continue
        }
        Fuzz.expect(folder.isPrefix(of: url), "does not lie in its folder: \(url.path)")
        Fuzz.expect(folder.path + url.path(below: folder) == url.path, "another path below its folder: \(url.path)")
        Fuzz.expect(url.asFolder.map { $0.path == url.path + "/" } ?? (folder == url), "another folder: \(url.path)")
    }
    return 0
}

/// Every byte but slashes as an escape.
private func escaped(_ path: String) -> String {
    path.utf8.map { $0 == UInt8(ascii: "/") ? "/" : "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        .joined()
}
