// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import FuzzSupport
@_spi(Packaging) internal import PackageFormat

/// Fuzzes the slice inflater. Four bytes select the method, the size and the step; the rest is the slice.
///
/// The result must not depend on the pieces, nor on whether the slice is read from a file. It must not exceed the size.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSlice(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzz.run(bytes, count) { data in
        guard data.count >= 4 else { return }
        let head = [UInt8](data.prefix(4))
        let packed = Data(data.dropFirst(4))
        let method: ArchiveSlice.Method = head[0] & 1 == 0 ? .deflate : .stored
        let size = method == .stored ? Int64(packed.count) : Int64(head[1]) << 8 | Int64(head[2])
        let slice = ArchiveSlice(offset: 0, size: Int64(packed.count), method: method)
        let whole = try? inflate(packed, slice, size, step: max(packed.count, 1))
        let cut = try? inflate(packed, slice, size, step: Int(head[3] % 64) + 1)
        Fuzz.expect(whole == cut, "the result depends on the pieces")
        if let result = try read(packed, slice, size) {
            // libdeflate accepts some slices that zlib rejects. If both accept a slice, the results are equal.
            let stored = try? result.get()
            Fuzz.expect(whole == nil || whole == stored, "the result depends on the source")
            Fuzz.expect(stored.map { Int64($0.count) == size } ?? true, "not \(size) bytes")
        }
        if let whole { Fuzz.expect(Int64(whole.count) == size, "\(whole.count) bytes of \(size)") }
    }
    return 0
}

private func inflate(_ packed: Data, _ slice: ArchiveSlice, _ size: Int64, step: Int) throws -> Data {
    var inflater = try SliceInflater(slice, size: size, name: "slice")
    var result = Data()
    var rest = packed
    while !rest.isEmpty {
        try inflater.append(rest.prefix(step)) { piece in
            result.append(piece)
            Fuzz.expect(!piece.isEmpty && Int64(result.count) <= size, "more than \(size) bytes")
        }
        rest = rest.dropFirst(step)
    }
    try inflater.finish()
    return result
}

/// Returns the content of an archive that consists of the slice; `nil` if no manifest can describe the archive.
private func read(_ packed: Data, _ slice: ArchiveSlice, _ size: Int64) throws -> Result<Data, PackageError>? {
    let digest = SHA256Digest(of: packed)
    var file = try PackageManifest.File(path: ArchivePath("slice"), size: size, sha256: digest, mediaType: "a/b")
    file.slice = slice
    let manifest = try PackageManifest(
        id: PackageID("a"), version: PackageVersion("1"), baseURL: PackageBaseURL("https://h.example/"),
        archive: .init(size: Int64(packed.count), sha256: digest), files: [file])
    let path = try Fuzz.file(packed)
    do {
        return try .success(Fuzz.contents(of: path, by: ArchiveSlices(manifest))[file.path] ?? Data())
    } catch let error as PackageError {
        return [.badManifest, .tooLarge].contains(error.code) ? nil : .failure(error)
    }
}
