// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import BaseTesting

@Suite("Locked files", .timeLimit(.minutes(1)))
struct LockedFilesTests {
    @Test("Only locks that the process has are counted, not those of others or those that it waits for")
    func processes() {
        let list = """
            1: POSIX  ADVISORY  WRITE 28780 fe:00:11 1073741824 1073742335
            2: FLOCK  ADVISORY  WRITE 28780 fe:00:12 0 EOF
            2: -> FLOCK  ADVISORY  WRITE 5 fe:00:13 0 EOF
            3: POSIX  ADVISORY  READ 5 fe:00:14 0 EOF
            4: OFDLCK ADVISORY  READ -1 fe:00:15 0 EOF

            """
        #expect(LockedFiles.numbers(in: list, lockedBy: 28_780) == [11, 12])
        #expect(LockedFiles.numbers(in: list, lockedBy: 5) == [14])
    }

    @Test("A lock of this process is found until it is released", .enabled(if: LockedFiles.areListed))
    func own() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(filePath: folder.path + "/a"))
        try Data().write(to: URL(filePath: folder.path + "/b"))
        let file = try FileHandle(forUpdating: URL(filePath: folder.path + "/a"))
        #expect(flock(file.fileDescriptor, LOCK_EX) == 0)
        #expect(try LockedFiles.below(folder.path) == ["a"])
        // Closing alone would not suffice: programs that other tests start may have inherited the file for a moment.
        #expect(flock(file.fileDescriptor, LOCK_UN) == 0)
        try file.close()
        #expect(try LockedFiles.below(folder.path) == [])
    }
}
