// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
@_spi(Packaging) internal import PackageFormat

/// Fuzzes tar.gz and tar.zst archives. The first byte selects the form of the rest: a complete file, or a tar that this
/// program compresses. A mutation rarely produces the valid checksum of a compressed file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTar(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzz.run(bytes, count) { data in
        guard let kind = data.first else { return }
        let rest = data.dropFirst()
        let file =
            switch kind % 3 {
            case 0: Wrapping.gzip(rest)
            case 1: Wrapping.zstandard(rest)
            default: Data(rest)
            }
        _ = try Fuzz.contents(of: Fuzz.file(file))
    }
    return 0
}
