// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import Testing

@testable import ResourceLoading

@Suite("Bodies", .timeLimit(.minutes(1)))
struct ResourceBodyTests {
    private func stream(_ chunks: [String], length: Int64? = nil) -> ResourceBody {
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        for chunk in chunks { continuation.yield(Data(chunk.utf8)) }
        continuation.finish()
        return .stream(ByteStream(stream, length: length))
    }

    private func expectTooLarge(_ body: ResourceBody, limit: Int) async {
        await #expect {
            try await body.collect(upTo: limit)
        } throws: {
            ($0 as? ResourceError)?.code == .tooLarge
        }
    }

    @Test("Every kind of body returns its bytes, up to and including the limit")
    func collect() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("file", "abcdef".utf8)
        let slice = FileSlice(try OpenFile(path: path), range: 1..<5)
        for body in [.bytes(Data("bcde".utf8)), .file(slice), stream(["b", "", "cde"]), stream(["bcde"], length: 4)] {
            #expect(try await body.collect(upTo: 4) == Data("bcde".utf8))
        }
        #expect(try await ResourceBody.empty.collect(upTo: 0) == Data())
        #expect(try await stream([]).collect(upTo: 0) == Data())
    }

    @Test("A body that exceeds the limit by one byte is rejected, whatever its announced length")
    func limits() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("file", "abcdef".utf8)
        await expectTooLarge(.bytes(Data("abcde".utf8)), limit: 4)
        await expectTooLarge(.file(FileSlice(try OpenFile(path: path), range: 0..<5)), limit: 4)
        await expectTooLarge(stream(["ab", "cde"]), limit: 4)
        await expectTooLarge(stream(["ab", "cde"], length: 1), limit: 4)
        await expectTooLarge(stream([], length: .max), limit: 4)
    }

    @Test("The length is known for every body except a stream without a length")
    func lengths() {
        #expect(ResourceBody.empty.length == 0)
        #expect(ResourceBody.bytes(Data("abc".utf8)).length == 3)
        #expect(stream(["abc"]).length == nil)
        #expect(stream(["abc"], length: 3).length == 3)
    }

    @Test("The pieces of every kind of body are its bytes, from any offset")
    func pieces() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("file", "abcdefg".utf8)
        let slice = FileSlice(try OpenFile(path: path), range: 1..<6)
        func texts(_ pieces: ResourceBody.Pieces) async throws -> [String] {
            var texts: [String] = []
            for try await piece in pieces { texts.append(String(decoding: piece, as: UTF8.self)) }
            return texts
        }
        // The first index of a slice is not zero.
        let bytes = ResourceBody.bytes(Data("abcdef".utf8).dropFirst())
        #expect(try await texts(bytes.pieces(upTo: 2)) == ["bcdef"])
        #expect(try await texts(bytes.pieces(from: 1, upTo: 2, cutsBytes: true)) == ["cd", "ef"])
        #expect(try await texts(bytes.pieces(from: 5)) == [])
        #expect(try await texts(ResourceBody.file(slice).pieces(upTo: 2)) == ["bc", "de", "f"])
        #expect(try await texts(ResourceBody.file(slice).pieces(from: 3, upTo: 2)) == ["ef"])
        #expect(try await texts(stream(["b", "", "cd", "ef"]).pieces(upTo: 1)) == ["b", "cd", "ef"])
        #expect(try await texts(stream(["b", "cd", "ef"]).pieces(from: 2)) == ["d", "ef"])
        #expect(try await texts(ResourceBody.empty.pieces()) == [])
        await #expect {
            try await texts(stream(["b", "cd"]).pieces(from: 4))
        } throws: {
            ($0 as? ResourceError)?.code == .connectionLost
        }
    }

    @Test("A slice of a body has its bytes, and a stream and a range beyond the end have no slice")
    func slices() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("file", "abcdefg".utf8)
        let slice = FileSlice(try OpenFile(path: path), range: 1..<6)
        for body in [ResourceBody.bytes(Data("abcdef".utf8).dropFirst()), .file(slice)] {
            #expect(try await body.slice(1..<3)?.collect(upTo: 9) == Data("cd".utf8))
            #expect(try await body.slice(0..<5)?.collect(upTo: 9) == Data("bcdef".utf8))
            #expect(try await body.slice(5..<5)?.collect(upTo: 9) == Data())
            #expect(body.slice(4..<6) == nil)
            #expect(body.slice(-1..<2) == nil)
        }
        #expect(ResourceBody.empty.slice(0..<0)?.length == 0)
        #expect(ResourceBody.empty.slice(0..<1) == nil)
        #expect(stream(["abc"], length: 3).slice(0..<3) == nil)
    }

    @Test("An error of the source reaches the reader unchanged")
    func failing() async throws {
        let (source, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        continuation.yield(Data("a".utf8))
        continuation.finish(throwing: ResourceError(.connectionLost, "cut", at: "https://a/"))
        await #expect {
            try await ResourceBody.stream(ByteStream(source)).collect(upTo: 100)
        } throws: {
            ($0 as? ResourceError)?.code == .connectionLost
        }
    }

    @Test("A stream requests data only when the reader requests it")
    func pulled() async throws {
        let asked = Mutex(0)
        let source = AsyncThrowingStream<Data, any Error> {
            let number = asked.withLock { count in
                count += 1
                return count
            }
            return number < 4 ? Data("\(number)".utf8) : nil
        }
        var iterator = ByteStream(source).makeAsyncIterator()
        #expect(asked.withLock { $0 } == 0)
        for number in 1...3 {
            #expect(try await iterator.next() == Data("\(number)".utf8))
            #expect(asked.withLock { $0 } == number)
        }
        #expect(try await iterator.next() == nil)
    }

    /// An iterator that returns numbered pieces, counts its calls, and then ends or throws.
    private struct Numbers: AsyncIteratorProtocol {
        let count: Int
        let error: ResourceError?
        var calls = 0

        mutating func next() async throws -> Data? {
            calls += 1
            guard calls > count else { return Data("\(calls)".utf8) }
            if let error { throw error }
            return nil
        }
    }

    @Test("Systems before iOS 18 and macOS 15 read the same pieces and keep the source's state", arguments: [0, 3])
    func oldSystems(count: Int) async throws {
        var old = BasePieces(base: Numbers(count: count, error: nil))
        var new = old
        for number in 0..<count {
            let piece = Data("\(number + 1)".utf8)
            #expect(try await old.nextOffActor(isolation: nil) == piece)
            #expect(try await new.next(isolation: nil) == piece)
            #expect(old.base.calls == number + 1 && new.base.calls == number + 1)
        }
        #expect(try await old.nextOffActor(isolation: nil) == nil)
        #expect(try await new.next(isolation: nil) == nil)
        #expect(old.base.calls == count + 1 && new.base.calls == count + 1)
    }

    @Test("Systems before iOS 18 and macOS 15 pass an error on, and the failed call counts")
    func failureOnOldSystems() async throws {
        var pieces = BasePieces(base: Numbers(count: 1, error: ResourceError(.connectionLost, "cut")))
        #expect(try await pieces.nextOffActor(isolation: nil) == Data("1".utf8))
        for calls in 2...3 {
            do {
                _ = try await pieces.nextOffActor(isolation: nil)
                Issue.record("no error")
            } catch let error as ResourceError {
                #expect(error.code == .connectionLost)
            }
            #expect(pieces.base.calls == calls)
        }
    }

    @Test("Systems before iOS 18 and macOS 15 also read pieces on behalf of an actor")
    @MainActor func actorOnOldSystems() async throws {
        var pieces = BasePieces(base: Numbers(count: 1, error: nil))
        #expect(try await pieces.nextOffActor(isolation: MainActor.shared) == Data("1".utf8))
        #expect(try await pieces.nextOffActor(isolation: MainActor.shared) == nil)
        #expect(pieces.base.calls == 2)
    }

    @Test("Cancelling a reader cancels the source")
    func cancelled() async throws {
        let (source, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        let (ends, end) = AsyncStream<Bool>.makeStream()
        continuation.onTermination = { reason in
            if case .cancelled = reason { end.yield(true) } else { end.yield(false) }
        }
        let body = ResourceBody.stream(ByteStream(source))
        let reader = Task { try await body.collect(upTo: 100) }
        reader.cancel()
        var iterator = ends.makeAsyncIterator()
        #expect(await iterator.next() == true)
        _ = await reader.result
    }
}
