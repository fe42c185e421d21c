// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

/// The guarantees of ``Program``, with which tests run programs.
@Suite("Programs run by tests", .timeLimit(.minutes(1)))
struct ProgramTests {
    private let folder: TemporaryFolder
    private let shell = Program(at: "/bin/sh")

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("A run returns the status and both outputs, with the given environment")
    func outcome() async throws {
        let outcome = try await shell.run(
            ["-c", "echo \"$WORD ${HOME-none}\"; echo 'error: bad' >&2; exit 3"], in: folder.path,
            environment: ["WORD": "yes", "HOME": nil])
        #expect(outcome.status == 3 && outcome.output == "yes none\n" && outcome.errorLines == ["error: bad"])
        #expect(try await shell.run("-c", "kill -9 $$", in: folder.path).status == -SIGKILL)
        await #expect(throws: (any Error).self) { try await Program(at: "/nowhere/at/all").run(in: folder.path) }
        #expect(try folder.names().isEmpty)
    }

    @Test("A program that ignores its signal is killed")
    func stubborn() async throws {
        let program = try await shell.start(["-c", "trap '' TERM; echo here; sleep 600"], in: folder.path)
        #expect(program.firstLine == "here")
        let ending = Task { await program.end(by: SIGTERM) }
        ending.cancel()
        #expect(await ending.value == -SIGKILL)
    }

    @Test("A run does not wait for processes that the program leaves")
    func heirs() async throws {
        let outcome = try await shell.run("-c", "sleep 600 & echo $!", in: folder.path)
        let heir = try #require(pid_t(outcome.output.trimmingCharacters(in: .newlines)))
        #expect(kill(heir, SIGKILL) == 0)
    }

    #if os(Linux)
        @Test("A program inherits no other descriptors, however many are open")
        func descriptors() async throws {
            var limit = rlimit()
            try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let null = open("/dev/null", O_RDONLY)
            defer { close(null) }
            let number = fcntl(null, F_DUPFD, CInt(min(limit.rlim_cur, 3_000)) - 200)
            try #require(number > 2)
            defer { close(number) }
            let outcome = try await shell.run("-c", "for fd in /proc/$$/fd/*; do echo ${fd##*/}; done", in: folder.path)
            let seen = Set(outcome.output.split(separator: "\n").compactMap { CInt($0) })
            #expect(seen.isSuperset(of: [0, 1, 2]) && !seen.contains(number) && !seen.contains(null), "\(seen)")
        }
    #endif
}
