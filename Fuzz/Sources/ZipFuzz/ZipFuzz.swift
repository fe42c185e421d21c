// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
@_spi(Packaging) internal import PackageFormat

/// Fuzzes the zip validator. For an accepted archive, both readers of entries must return the same files.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZip(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzz.run(bytes, count) { data in
        let directory = try ZipValidator(limits: Fuzz.limits).validate(data)
        let files = try Fuzz.contents(of: Fuzz.file(data))
        Fuzz.expect(
            Set(files.keys) == Set(directory.entries.map(\.path)), "the reader and the directory list different files")
        for entry in directory.entries {
            let slice = ArchiveSlice(entry)
            var inflater = try SliceInflater(slice, size: entry.size, name: entry.path.description)
            var unpacked = Data()
            try inflater.append(data[Int(slice.offset)..<Int(slice.end)]) { unpacked.append($0) }
            try inflater.finish()
            Fuzz.expect(unpacked == files[entry.path], "\(entry.path) differs")
        }
    }
    return 0
}
