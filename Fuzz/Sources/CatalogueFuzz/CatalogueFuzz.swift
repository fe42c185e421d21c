// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import PackageFormat

/// Fuzzes the catalogue. An accepted catalogue must be within its limits, without duplicates, and equal after encoding
/// and decoding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCatalogue(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzz.run(bytes, count) { data in
        let catalogue = try PackageCatalogue(decoding: data)
        let packages = catalogue.packages
        Fuzz.expect(packages.count <= PackageCatalogue.maxPackages, "\(packages.count) packages")
        Fuzz.expect((0..<1 << 53).contains(catalogue.sequence), "the number is \(catalogue.sequence)")
        Fuzz.expect(Set(packages.map(\.package)).count == packages.count, "a package is listed twice")
        Fuzz.expect(Set(packages.map(\.manifestURL)).count == packages.count, "a manifest is listed twice")
        let encoded = try catalogue.encoded()
        Fuzz.expect(encoded.count <= PackageCatalogue.maxBytes, "\(encoded.count) bytes when encoded")
        let again = try PackageCatalogue(decoding: encoded)
        Fuzz.expect(again == catalogue, "the decoded catalogue differs")
        Fuzz.expect(try again.encoded() == encoded, "the encoded bytes differ")
    }
    return 0
}
