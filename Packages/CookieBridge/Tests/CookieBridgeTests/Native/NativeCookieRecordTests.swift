// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import CookieJar
import Foundation
import PublicSuffixList
import Testing

@_spi(Facade) @testable import CookieBridge

/// Tests of the attributes that are restored, and of the cookies that the app has removed before a launch.
@Suite("Native cookie record", .timeLimit(.minutes(1)))
struct NativeCookieRecordTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var path: String { folder.path + "/native-cookies.json" }

    private func record(
        _ entries: [Cookie] = [], file: CookieFile? = nil, kind: String = "shared"
    ) -> NativeCookieRecord {
        let jar = CookieStore(
            publicSuffixes: SuffixList(), limits: NativeCookieRecord.limits, cookies: entries, now: { start })
        file?.follow(jar)
        return NativeCookieRecord(jar, file: file, kind: kind)
    }

    /// Returns the record of the next process.
    private func next(_ record: NativeCookieRecord) -> NativeCookieRecord { self.record(record.persistent) }

    @Test("Lost attributes are restored, and attributes of the storage are never removed")
    func attributes() {
        let record = record()
        record.recordWritten(cookie("a", "1", isSecure: true, isHTTPOnly: true, sameSite: .strict))
        let restored = record.restored(cookie("a", "2"))
        #expect(restored.value == "2" && restored.isSecure && restored.isHTTPOnly && restored.sameSite == .strict)
        record.recordWritten(cookie("a", "1"))
        let shown = cookie("a", "3", isSecure: true, isHTTPOnly: true, sameSite: .lax)
        #expect(record.restored(shown) == shown)
        #expect(record.restored(cookie("b", "1")) == cookie("b", "1"))
    }

    @Test("A write replaces the attributes; a read of the restored cookie does not")
    func relaxation() {
        let record = record()
        record.recordWritten(cookie("a", "1", isHTTPOnly: true))
        record.recordShown(record.restored(cookie("a", "1")))
        #expect(record.restored(cookie("a", "1")).isHTTPOnly)
        record.recordWritten(cookie("a", "2"))
        #expect(!record.restored(cookie("a", "2")).isHTTPOnly)
    }

    @Test("A missing cookie counts as removed only if an earlier process has begun with it")
    func removal() {
        let first = record()
        #expect(first.begin(with: []).isEmpty)
        for made in [cookie("a", "1", expires: 600), cookie("session", "1")] { first.recordWritten(made) }
        // The first process was killed before Foundation wrote its file.
        #expect(next(first).begin(with: []).isEmpty)

        let second = next(first)
        #expect(second.begin(with: [cookie("a", "1", expires: 600)]).isEmpty)
        #expect(next(second).begin(with: []) == [name("a")])
        // A later write may be missing for the same reason as the first.
        second.recordWritten(cookie("a", "2", expires: 900))
        #expect(next(second).begin(with: []).isEmpty)
    }

    @Test("A removed cookie is reported until it is forgotten or there again, and an expired one never")
    func once() {
        let expired = record([cookie("a", "seen-shared", expires: -1)])
        #expect(expired.begin(with: []).isEmpty)
        let record = record([cookie("a", "seen-shared", expires: 600)])
        #expect(record.begin(with: []) == [name("a")])
        // The process was killed before another store has removed the cookie.
        let second = next(record)
        #expect(second.begin(with: []) == [name("a")] && !second.contains(name("a")))
        let third = next(second)
        third.recordWritten(cookie("a", "2", expires: 600))
        third.forget([name("a")])
        #expect(third.contains(name("a")))
        second.forget([name("a")])
        #expect(next(second).begin(with: []).isEmpty && second.all.isEmpty)
        // The attributes of the removed cookie do not apply to a new one.
        let last = self.record([cookie("a", "seen-shared", expires: 600, isHTTPOnly: true)])
        _ = last.begin(with: [])
        #expect(!last.restored(cookie("a", "3")).isHTTPOnly)
    }

    @Test("The cookies of another kind of storage do not count as removed")
    func kinds() {
        let other = record([cookie("a", "seen-shared", expires: 600)], kind: "named")
        #expect(other.begin(with: []).isEmpty && other.all.isEmpty)
    }

    @Test("The file has no values, the mode 0600, and the attributes of the next process")
    func storage() async throws {
        let record = record(file: CookieFile(path: path))
        record.recordShown(cookie("id", "secret-value", expires: 600, isSecure: true, isHTTPOnly: true))
        await record.flush()
        let text = try folder.text(of: "native-cookies.json")
        #expect(text.contains("\"id\"") && !text.contains("secret-value"))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let read = try CookieFile(path: path).load().cookies
        let restored = self.record(read).restored(cookie("id", "secret-value", expires: 600))
        #expect(restored.isSecure && restored.isHTTPOnly)
        record.clear(.domains(["shop.example"]))
        await record.flush()
        #expect(try !folder.text(of: "native-cookies.json").contains("shop.example"))
    }

    @Test("Many cookies of one domain do not displace an entry")
    func limits() {
        let record = record()
        record.recordWritten(cookie("hidden", "1", isHTTPOnly: true))
        for number in 0..<1_000 { record.recordWritten(cookie("c\(number)", "1")) }
        #expect(record.restored(cookie("hidden", "1")).isHTTPOnly)
    }
}
