// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import ResourceLoading
import Testing

@Suite("Bodies", .timeLimit(.minutes(1)))
struct ResourceBodyTests {
    private func stream(_ pieces: [String]) -> ResourceBody {
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        for piece in pieces { continuation.yield(Data(piece.utf8)) }
        continuation.finish()
        return .stream(ByteStream(stream))
    }

    private func temporaryFile(_ text: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("A body within the limit is read whole, one beyond it is refused")
    func limits() async throws {
        #expect(try await stream(["ab", "cd"]).collect(upTo: 4) == Data("abcd".utf8))
        for body in [stream(["ab", "cd"]), .bytes(Data("abcd".utf8))] {
            await #expect { try await body.collect(upTo: 3) } throws: { ($0 as? ResourceError)?.code == .tooLarge }
        }
        #expect(try await ResourceBody.empty.collect(upTo: 0).isEmpty)
    }

    @Test("A slice gives its range, also after the file was unlinked")
    func slice() async throws {
        let path = try temporaryFile("0123456789")
        let slice = FileSlice(try OpenFile(path: path), range: 2..<6)
        try FileManager.default.removeItem(atPath: path)
        #expect(try slice.read() == Data("2345".utf8))
        #expect(try slice.read(at: 1, count: 2) == Data("34".utf8))
        #expect(try await ResourceBody.file(slice).collect(upTo: 4) == Data("2345".utf8))
    }

    @Test("A file that is shorter than its slice is an I/O error, and so is a missing one")
    func shortFile() throws {
        let path = try temporaryFile("0123")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let slice = FileSlice(try OpenFile(path: path), range: 0..<5)
        #expect { try slice.read() } throws: { ($0 as? ResourceError)?.code == .io }
        #expect { try OpenFile(path: path + "-missing") } throws: { ($0 as? ResourceError)?.code == .io }
    }

    @Test("Errors of other types are wrapped once, cancellation keeps its name")
    func errors() {
        #expect(ResourceError(CancellationError()).code == .cancelled)
        let own = ResourceError(.tls, "refused", at: "https://a.example/")
        #expect(ResourceError(own, at: "elsewhere").location == "https://a.example/")
        #expect(own.description == "tls: refused (https://a.example/)")
        #expect(ResourceError(POSIXError(.EIO)).code == .internal)
    }
}
