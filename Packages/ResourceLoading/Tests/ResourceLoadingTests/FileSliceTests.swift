// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ResourceLoading
import Testing

@Suite("File slices", .timeLimit(.minutes(1)))
struct FileSliceTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try folder.write("file", "0123456789".utf8)
    }

    private func expectIO(_ body: () throws -> some Any) {
        #expect {
            _ = try body()
        } throws: { error in
            let error = error as? ResourceError
            return error?.code == .io && error?.location != nil
        }
    }

    @Test(
        "A slice has the bytes of its range",
        arguments: [(0..<10, "0123456789"), (0..<1, "0"), (3..<7, "3456"), (9..<10, "9"), (5..<5, "")]
            as [(Range<Int64>, String)])
    func ranges(range: Range<Int64>, text: String) throws {
        let slice = FileSlice(try OpenFile(path: path), range: range)
        #expect(try slice.read() == Data(text.utf8))
        #expect(ResourceBody.file(slice).length == Int64(text.utf8.count))
    }

    @Test("Offsets are relative to the start of the slice")
    func parts() throws {
        let slice = FileSlice(try OpenFile(path: path), range: 2..<8)
        #expect(try slice.read(at: 0, count: 2) == Data("23".utf8))
        #expect(try slice.read(at: 4, count: 2) == Data("67".utf8))
        #expect(try slice.read(at: 6, count: 0) == Data())
    }

    @Test("Bytes stay readable after the file was unlinked")
    func unlinked() throws {
        let slice = FileSlice(try OpenFile(path: path), range: 0..<10)
        try FileManager.default.removeItem(atPath: path)
        #expect(try slice.read() == Data("0123456789".utf8))
    }

    @Test("A file that ends early causes an error")
    func ended() throws {
        let slice = FileSlice(try OpenFile(path: path), range: 0..<10)
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.truncate(atOffset: 4)
        try handle.close()
        expectIO { try slice.read() }
        #expect(try slice.read(at: 0, count: 4) == Data("0123".utf8))
        let beyond = FileSlice(try OpenFile(path: path), range: 100..<101)
        expectIO { try beyond.read() }
    }

    @Test("Errors of opening and reading contain the path")
    func unreadable() throws {
        expectIO { try OpenFile(path: path + "-none") }
        expectIO { try OpenFile(path: "") }
        let folder = FileSlice(try OpenFile(path: FileManager.default.temporaryDirectory.path), range: 0..<1)
        expectIO { try folder.read() }
    }

    @Test("A file is closed when its last slice is released")
    func closes() throws {
        // open(2) returns the lowest free descriptor (POSIX), so repeated numbers show that files were closed.
        var numbers: Set<CInt> = []
        for _ in 0..<2_000 {
            numbers.insert(FileSlice(try OpenFile(path: path), range: 0..<1).file.descriptor)
        }
        #expect(numbers.count < 1_000)
    }
}
