// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import PackageFormat

/// The manifest. What is taken must come back as it was written, and equal manifests must give equal bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzManifest(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzz.run(bytes, count) { data in
        let manifest = try PackageManifest(decoding: data)
        let encoded = try manifest.encoded()
        let again = try PackageManifest(decoding: encoded)
        Fuzz.expect(again == manifest, "came back as another manifest")
        Fuzz.expect(try again.encoded() == encoded, "came back as other bytes")
        for file in manifest.files {
            guard let slice = file.slice, let archive = manifest.archive else { continue }
            Fuzz.expect(slice.offset >= 0 && slice.end <= archive.size, "a slice outside of its archive")
        }
    }
    return 0
}
