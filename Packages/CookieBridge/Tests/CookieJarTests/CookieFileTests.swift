// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import SystemSupport
import Testing

@testable import CookieJar

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite(.timeLimit(.minutes(3)))
final class CookieFileTests {
    let jar = Jar()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cookies-\(UUID().uuidString)")
    var path: String { folder.appendingPathComponent("cookies").path }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The options of a file that only a flush writes.
    private static var patient: CookieFile.Options {
        var options = CookieFile.Options()
        options.delay = .seconds(100_000)
        return options
    }

    @Test func `Flushed cookies are read again, except session cookies`() async throws {
        try jar.set("a=1; Max-Age=60; Secure; HttpOnly; SameSite=Strict; Path=/x")
        try jar.set("b=\"ü\\\"; Domain=shop.example; Expires=Tue, 19 Jan 2038 03:14:07 GMT")
        try jar.set("c=session")
        let file = CookieFile(path: path, options: Self.patient)
        file.follow(jar.jar)
        try await file.flush()
        let read = try CookieFile(path: path).load()
        #expect(read == CookieFile.Contents(cookies: Array(jar.jar.cookies.prefix(2)), refused: 0, damage: nil))
        #expect(Jar(cookies: read.cookies).jar.cookies == read.cookies)
        #expect(try mode(path) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["cookies"])
    }

    @Test func `A missing file means no cookies`() throws {
        #expect(try CookieFile(path: path).load() == CookieFile.Contents(cookies: [], refused: 0, damage: nil))
    }

    @Test func `Dates are kept exactly`() async throws {
        var cookie = jar.cookie("a", expires: 86_400.1)
        cookie.created = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
        cookie.lastAccess = .distantPast
        try jar.jar.insert(cookie)
        let file = CookieFile(path: path, options: Self.patient)
        file.follow(jar.jar)
        try await file.flush()
        #expect(try file.load().cookies == [cookie])
    }

    @Test func `Many changes are one write, and no change is no write`() async throws {
        let writes = Mutex(0)
        let file = CookieFile(path: path, options: Self.patient) { step in
            if step == .created { writes.withLock { $0 += 1 } }
        }
        file.follow(jar.jar)
        for number in 0..<100 { try jar.set("a=\(number); Max-Age=60") }
        try await file.flush()
        try await file.flush()
        _ = try jar.sent()
        try await file.flush()
        #expect(writes.withLock { $0 } == 1)
        #expect(try file.load().cookies.map(\.value) == ["99"])
    }

    @Test func `Cookies that were just read are not written again`() async throws {
        let writes = Mutex(0)
        let count: @Sendable (AtomicFile.Step) -> Void = { step in
            if step == .created { writes.withLock { $0 += 1 } }
        }
        let empty = CookieFile(path: path, options: Self.patient, step: count)
        #expect(try empty.load().cookies.isEmpty)
        empty.follow(jar.jar)
        try await empty.flush()
        #expect(writes.withLock { $0 } == 0)
        try jar.set("a=1; Max-Age=60")
        try await empty.flush()
        #expect(writes.withLock { $0 } == 1)
        let next = CookieFile(path: path, options: Self.patient, step: count)
        let read = Jar(cookies: try next.load().cookies)
        next.follow(read.jar)
        try await next.flush()
        #expect(writes.withLock { $0 } == 1)
        // A jar with other cookies than the file is written.
        next.follow(Jar().jar)
        try await next.flush()
        #expect(try writes.withLock { $0 } == 2 && next.load().cookies.isEmpty)
    }

    @Test func `Changes are written without a flush`() async throws {
        let (steps, continuation) = AsyncStream.makeStream(of: AtomicFile.Step.self)
        var options = CookieFile.Options()
        options.delay = .zero
        let file = CookieFile(path: path, options: options) { continuation.yield($0) }
        var iterator = steps.filter { $0 == .directorySynced }.makeAsyncIterator()
        file.follow(jar.jar)
        _ = await iterator.next()
        try jar.set("a=1; Max-Age=60")
        _ = await iterator.next()
        #expect(try file.load().cookies.map(\.value) == ["1"])
        // The removal of a persistent cookie changes the file; the removal of a session cookie does not.
        jar.jar.removeAll()
        _ = await iterator.next()
        #expect(try file.load().cookies.isEmpty)
    }

    @Test(arguments: AtomicFile.Step.allCases)
    func `A kill at any step leaves the old file or the new one`(last: AtomicFile.Step) async throws {
        struct Kill: Error {}
        try jar.set("a=old; Max-Age=60")
        let first = CookieFile(path: path, options: Self.patient)
        first.follow(jar.jar)
        try await first.flush()
        try jar.set("a=new; Max-Age=60")
        try jar.set("b=new; Max-Age=60")

        let killed = CookieFile(path: path, options: Self.patient) { if $0 == last { throw Kill() } }
        killed.follow(jar.jar)
        await #expect(throws: Kill.self) { try await killed.flush() }

        let read = try CookieFile(path: path).load()
        let isNew = last == .renamed || last == .directorySynced
        #expect(read.cookies.map(\.value) == (isNew ? ["new", "new"] : ["old"]))
        #expect(read.damage == nil && read.refused == 0)
        // Leftover files do not prevent the next write.
        let next = CookieFile(path: path, options: Self.patient)
        next.follow(jar.jar)
        try await next.flush()
        #expect(try next.load().cookies.map(\.value) == ["new", "new"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["cookies"])
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"format":1}"#, #"{"format":"1","cookies":[]}"#, #"{"format":0,"cookies":[]}"#,
        #"{"format":1,"cookies":[{"name":"a"}]}"#, #"{"format":1,"cookies":[]"#, "\u{0}\u{0}\u{0}",
        String(repeating: "[", count: 100_000),
    ])
    func `A damaged file is moved aside and reported`(text: String) async throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let file = CookieFile(path: path, options: Self.patient)
        let read = try file.load()
        #expect(read.cookies.isEmpty)
        #expect(read.damage == CookieFile.Damage(reason: .unreadable, path: path + ".damaged"))
        #expect(try String(contentsOfFile: path + ".damaged", encoding: .utf8) == text)
        #expect(try file.load().damage == nil)
        // A later write creates a new file, which can be read.
        try jar.set("a=1; Max-Age=60")
        file.follow(jar.jar)
        try await file.flush()
        #expect(try file.load().cookies.count == 1)
    }

    @Test func `Every truncation and every changed byte is detected or harmless`() async throws {
        try jar.set("a=1; Max-Age=60")
        let file = CookieFile(path: path, options: Self.patient)
        file.follow(jar.jar)
        try await file.flush()
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for count in 0..<whole.count {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path))
            #expect(try file.load().damage?.reason == .unreadable, "\(count) bytes")
        }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            var bytes = whole
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            try bytes.write(to: URL(fileURLWithPath: path))
            let read = try file.load()
            #expect(read.damage != nil || read.cookies.count + read.refused == 1)
            // A jar can be created with the cookies that were read.
            _ = Jar(cookies: read.cookies)
        }
    }

    @Test func `A file of a later format is moved aside unchanged`() throws {
        try Data(#"{"format":2,"cookies":{}}"#.utf8).write(to: URL(fileURLWithPath: path))
        #expect(try CookieFile(path: path).load().damage?.reason == .newerFormat)
        #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
    }

    @Test func `A file that is too large is neither read nor written`() async throws {
        var options = Self.patient
        options.maxBytes = 1_000
        try Data(count: 1_001).write(to: URL(fileURLWithPath: path))
        let file = CookieFile(path: path, options: options)
        #expect(try file.load().damage?.reason == .tooLarge)
        try jar.set("a=\(String(repeating: "v", count: 1_000)); Max-Age=60")
        file.follow(jar.jar)
        let error = await #expect(throws: CookieFileError.self) { try await file.flush() }
        #expect(error?.code == .tooLarge)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `Cookies that no jar would have written are ignored and counted`() async throws {
        try jar.set("good=1; Max-Age=60")
        try jar.set("evil=1; Max-Age=60")
        let file = CookieFile(path: path, options: Self.patient)
        file.follow(jar.jar)
        try await file.flush()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacing("evil", with: "a=b;").write(toFile: path, atomically: false, encoding: .utf8)
        let read = try file.load()
        #expect(read.cookies.map(\.identity.name) == ["good"])
        #expect(read.refused == 1 && read.damage == nil)
    }

    @Test func `A symbolic link is neither read nor written through`() async throws {
        let victim = folder.appendingPathComponent("victim").path
        try Data(#"{"format":1,"cookies":[]}"#.utf8).write(to: URL(fileURLWithPath: victim))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
        let file = CookieFile(path: path, options: Self.patient)
        #expect(throws: CookieFileError.self) { try file.load() }
        try jar.set("a=1; Max-Age=60")
        file.follow(jar.jar)
        let error = await #expect(throws: CookieFileError.self) { try await file.flush() }
        #expect(error?.code == .symbolicLink)
        // A symbolic link in place of the new file is not followed either.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path + ".new", withDestinationPath: victim)
        try await file.flush()
        #expect(try file.load().cookies.count == 1)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == #"{"format":1,"cookies":[]}"#)
    }

    @Test func `A folder at the path, or a missing parent folder, is an error`() async throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let file = CookieFile(path: path, options: Self.patient)
        #expect(throws: CookieFileError.self) { try file.load() }
        file.follow(jar.jar)
        let error = await #expect(throws: CookieFileError.self) { try await file.flush() }
        #expect(error?.code == .notAFile)
        let nowhere = CookieFile(path: path + "/no/cookies", options: Self.patient)
        nowhere.follow(jar.jar)
        let other = await #expect(throws: CookieFileError.self) { try await nowhere.flush() }
        #expect(other?.code == .io && other?.path.hasSuffix("/no") == true)
    }

    @Test func `A FIFO at the path does not block`() async throws {
        #expect(mkfifo(path, 0o600) == 0)
        let file = CookieFile(path: path, options: Self.patient)
        let error = #expect(throws: CookieFileError.self) { try file.load() }
        #expect(error?.code == .notAFile)
    }

    @Test func `A failed background write is reported, and the next change tries again`() async throws {
        let (failures, continuation) = AsyncStream.makeStream(of: String.self)
        var options = CookieFile.Options()
        options.delay = .zero
        options.onFailure = { continuation.yield("\($0)") }
        let file = CookieFile(path: folder.path + "/later/cookies", options: options)
        var iterator = failures.makeAsyncIterator()
        file.follow(jar.jar)
        #expect(await iterator.next()?.hasPrefix("io: open") == true)
        try FileManager.default.createDirectory(atPath: folder.path + "/later", withIntermediateDirectories: false)
        try jar.set("a=1; Max-Age=60")
        try await file.flush()
        #expect(try file.load().cookies.count == 1)
    }

    @Test func `A flush includes changes that other threads made before it`() async throws {
        let file = CookieFile(path: path, options: Self.patient)
        file.follow(jar.jar)
        let url = try #require(CookieURL("https://shop.example/"))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { [jar] in
                    jar.jar.store(setCookies: ["c\(number)=1; Max-Age=60"], from: url)
                    try? await file.flush()
                    let names = (try? file.load().cookies.map(\.identity.name)) ?? []
                    #expect(names.contains("c\(number)"))
                }
            }
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
