// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Testing
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

@MainActor
@Suite("Snapshots", .timeLimit(.minutes(1)))
struct SnapshotTests {
    private let fixture: Fixture
    private var page: PageDriver { fixture.page }

    init() throws {
        fixture = try Fixture()
        fixture.web.bounds = CGRect(x: 0, y: 0, width: 2, height: 1)
    }

    /// The sizes in which a picture was drawn.
    @MainActor
    private final class Drawn {
        var sizes: [[Int]] = []
    }

    /// Returns a picture that draws bytes of the size that is asked for.
    private func picture(_ width: Int, _ height: Int, _ drawn: Drawn = Drawn()) -> PlatformImage {
        PlatformImage(width: width, height: height) { width, height in
            drawn.sizes.append([width, height])
            return (Data(repeating: 7, count: width * height * 4), Data("png".utf8))
        }
    }

    private func code(of call: () async throws -> PageSnapshot) async -> EngineError? {
        await #expect(throws: EngineError.self) { _ = try await call() }
    }

    @Test("A picture keeps its size, its pixels and its file")
    func takes() async throws {
        page.onSnapshot = { (picture(6, 3), nil) }
        let snapshot = try await fixture.view.snapshots?.snapshot()
        #expect(snapshot?.width == 6 && snapshot?.height == 3 && snapshot?.png == Data("png".utf8))
        #expect(snapshot?.pixels == Data(repeating: 7, count: 72))
    }

    @Test("An error of WebKit, no picture, or a picture without its bytes is the error snapshot, in one line")
    func fails() async throws {
        let error = NSError(domain: "a", code: 1, userInfo: [NSLocalizedDescriptionKey: "one\ntwo"])
        page.onSnapshot = { (nil, error) }
        let failed = await code(of: fixture.view.snapshot)
        #expect(failed?.code == .snapshot && failed?.message == "one two")
        let short = PlatformImage(width: 6, height: 3) { _, _ in (Data(count: 71), Data("png".utf8)) }
        let fileless = PlatformImage(width: 1, height: 1) { _, _ in (Data(count: 4), Data()) }
        let unreadable = PlatformImage(width: 1, height: 1) { _, _ in nil }
        for result in [(nil, nil), (picture(1, 1), error), (short, nil), (fileless, nil), (unreadable, nil)] {
            page.onSnapshot = { result }
            #expect(await code(of: fixture.view.snapshot)?.code == .snapshot)
        }
        page.onSnapshot = { (nil, WKError(.webContentProcessTerminated)) }
        #expect(await code(of: fixture.view.snapshot)?.code == .processEnded)
    }

    @Test("WebKit is not asked for the picture of a view without a size or with an excessive one")
    func refusesSizes() async throws {
        page.onSnapshot = {
            Issue.record("WebKit was asked")
            return (nil, nil)
        }
        let sizes: [(CGFloat, CGFloat)] = [
            (0, 0), (0, 10), (10, 0), (0.5, 10), (-10, 10), (.nan, 10), (8_193, 1), (1, .infinity),
        ]
        for (width, height) in sizes {
            fixture.web.bounds = CGRect(x: 0, y: 0, width: width, height: height)
            #expect(await code(of: fixture.view.snapshot)?.code == .snapshot, "\(width) x \(height)")
        }
    }

    @Test("A view of the greatest size has snapshots")
    func acceptsTheLargestView() async throws {
        page.onSnapshot = { (picture(1, 1), nil) }
        for (width, height) in [(8_192, 1), (1, 8_192)] {
            fixture.web.bounds = CGRect(x: 0, y: 0, width: width, height: height)
            #expect(try await fixture.view.snapshot().width == 1)
        }
    }

    private struct Scaling {
        let size: [Int]
        let expected: [Int]
    }

    private static let scalings: [Scaling] = [
        .init(size: [2_048, 2_048], expected: [2_048, 2_048]), .init(size: [4_096, 4_096], expected: [2_048, 2_048]),
        .init(size: [8_192, 2_048], expected: [4_096, 1_024]), .init(size: [2_048, 8_192], expected: [1_024, 4_096]),
        .init(size: [1, 1 << 22], expected: [1, 1 << 22]), .init(size: [1, 1 << 30], expected: [1, 1 << 22]),
        .init(size: [1 << 30, 1], expected: [1 << 22, 1]), .init(size: [1 << 40, 1 << 40], expected: [2_048, 2_048]),
        .init(size: [.max, .max], expected: [2_048, 2_048]),
    ]

    @Test("A large picture is scaled down")
    func scales() {
        for scaling in Self.scalings {
            let size = PageSnapshot.size(fitting: (scaling.size[0], scaling.size[1]))
            #expect([size?.width, size?.height] == scaling.expected, "\(scaling.size)")
        }
    }

    @Test("No picture is larger than the limit, and an empty picture has no size")
    func limitsPictures() async throws {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<2_000 {
            let side = { (random: inout SeededGenerator) in
                1 << Int.random(in: 0...40, using: &random) | Int.random(in: 0...9_999, using: &random)
            }
            let (width, height) = (side(&random), side(&random))
            let size = try #require(PageSnapshot.size(fitting: (width, height)))
            #expect(size.width > 0 && size.height > 0 && size.width * size.height <= PageSnapshot.maxPixels)
            #expect(size.width <= width && size.height <= height)
        }
        for (width, height) in [(0, 0), (0, 5), (5, 0), (-5, 5), (.min, .min)] {
            #expect(PageSnapshot.size(fitting: (width, height)) == nil)
        }
        let drawn = Drawn()
        page.onSnapshot = { (picture(8_192, 8_192, drawn), nil) }
        let snapshot = try await fixture.view.snapshot()
        #expect(drawn.sizes == [[2_048, 2_048]] && snapshot.pixels.count == 16 << 20)
    }

    /// Starts a snapshot, waits until WebKit has been asked, and returns the sizes that were drawn after its end.
    private func end(_ expected: EngineError.Code?, by end: (Task<PageSnapshot, any Error>) async throws -> Void)
        async throws
    {
        let (drawn, gate) = (Drawn(), CallGate())
        gate.close()
        var isReturned = false
        page.onSnapshot = {
            await gate.pass()
            defer { isReturned = true }
            return (picture(1, 1, drawn), nil)
        }
        let call = Task { try await fixture.view.snapshot() }
        for await _ in gate.arrivals { break }
        try await end(call)
        do {
            _ = try await call.value
            Issue.record("no error")
        } catch {
            #expect((error as? EngineError)?.code == expected)
            #expect(expected != nil || error is CancellationError)
        }
        // The handler of WebKit is called late, and nothing is converted for it.
        gate.open()
        try await until { isReturned }
        for _ in 0..<100 { await Task.yield() }
        #expect(drawn.sizes.isEmpty)
    }

    @Test("A snapshot ends with the view, its process and its page, and when its task is cancelled")
    func ends() async throws {
        try await fixture.open("https://a.example/")
        try await end(nil) { $0.cancel() }
        try await end(.pageGone) { _ in await fixture.navigate("https://a.example/b") }
        try await end(.processEnded) { _ in page.terminateProcess() }
        #expect(await code(of: fixture.view.snapshot)?.code == .processEnded)
        try await fixture.open("https://a.example/")
        try await end(.processEnded) { _ in fixture.view.discard() }
        #expect(await code(of: fixture.view.snapshot)?.code == .processEnded)
    }

    @Test("Snapshots of one view at the same time do not mix")
    func severalAtOnce() async throws {
        var count = 0
        page.onSnapshot = {
            count += 1
            let width = count
            await Task.yield()
            return (picture(width, 1), nil)
        }
        let calls = (0..<5).map { _ in Task { try await fixture.view.snapshot().width } }
        var widths: Set<Int> = []
        for call in calls { widths.insert(try await call.value) }
        #expect(widths == [1, 2, 3, 4, 5])
    }
}
