// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TemporaryFolderTests {
    @Test func `Files are written with their missing parent folders, and listed`() throws {
        let folder = try TemporaryFolder()
        #expect(try folder.names().isEmpty)
        #expect(try folder.write("a/b/text", "täxt".utf8) == folder.path + "/a/b/text")
        try folder.write("a/.hidden", [])
        try folder.write("top", [1])
        #expect(try folder.text(of: "a/b/text") == "täxt")
        #expect(try folder.names() == ["a", "a/.hidden", "a/b", "a/b/text", "top"])
        #expect(try folder.names(below: "a") == [".hidden", "b", "b/text"])
        #expect(try folder.files() == ["a/.hidden", "a/b/text", "top"])
        #expect(try folder.files(in: "a") == [".hidden", "b/text"])
        #expect(try TemporaryFolder.files(in: folder.path + "/a/b") == ["text"])
    }

    @Test func `A folder is removed with its last reference, and other folders remain`() throws {
        let other = try TemporaryFolder()
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = try #require(folder?.path)
        try folder?.write("a/file", [])
        #expect(FileManager.default.fileExists(atPath: path))
        folder = nil
        #expect(!FileManager.default.fileExists(atPath: path))
        try other.write("file", [])
    }
}
