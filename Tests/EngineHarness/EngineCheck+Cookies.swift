// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter

// The cookie store of the engine.
extension EngineCheck {
    @MainActor
    func checkCookies(_ engine: WebKitGTKEngine) async throws {
        let cookie = EngineCookie(
            name: "id", value: "7", domain: "shop.example", expires: Int64(Date().timeIntervalSince1970) + 600,
            isSecure: true, isHTTPOnly: true)
        try await engine.cookies.set(cookie)
        let stored = try await engine.cookies.all()
        try expect(stored == [cookie], "stored: \(stored)")
        for bad in [
            EngineCookie(name: "a", value: "1\r\nX: y", domain: "shop.example"),
            EngineCookie(name: "a", value: "1; Path=/x", domain: "shop.example"),
            EngineCookie(name: "a=b", value: "1", domain: "shop.example"),
            EngineCookie(name: "a", value: "1", domain: ""),
            EngineCookie(name: "a", value: "1\0", domain: "shop.example"),
            EngineCookie(name: "a", value: "1", domain: "shop.example", path: "x"),
        ] {
            try await expectError(.cookie, "\(bad)") { try await engine.cookies.set(bad) }
        }
        try await engine.cookies.remove(name: "id", domain: "shop.example", path: "/")
        let left = try await engine.cookies.all()
        try expect(left.isEmpty, "left: \(left)")
    }

    /// Checks that the cookie store and a view can be used after their engine is released.
    @MainActor
    func checkCookiesOutlive() async throws {
        let (cookies, view) = try { () -> (any EngineCookieStore, WebKitGTKView) in
            let engine = try WebKitGTKEngine()
            return (engine.cookies, try engine.makeView())
        }()
        let cookie = EngineCookie(name: "id", value: "8", domain: "shop.example")
        try await cookies.set(cookie)
        let stored = try await cookies.all()
        try expect(stored == [cookie], "stored: \(stored)")
        try await view.warmUp()
    }

    @MainActor
    private func cookies(in folder: String) throws -> any EngineCookieStore {
        var configuration = WebKitGTKEngine.Configuration()
        configuration.storage = .directory(path: folder + "/engine")
        return try WebKitGTKEngine(configuration).cookies
    }

    @MainActor
    func checkCookiesWritten(in folder: String) async throws {
        let cookies = try cookies(in: folder)
        let tomorrow = Int64(Date().timeIntervalSince1970) + 86_400
        try await cookies.set(EngineCookie(name: "id", value: "9", domain: "shop.example", expires: tomorrow))
        try await cookies.set(EngineCookie(name: "session", value: "1", domain: "shop.example"))
    }

    /// Checks that a later process reads the cookies with an expiry.
    @MainActor
    func checkCookiesRead(in folder: String) async throws {
        let stored = try await cookies(in: folder).all()
        try expect(stored.map(\.name) == ["id"] && stored.map(\.value) == ["9"], "stored: \(stored)")
        let left = (stored.first?.expires ?? 0) - Int64(Date().timeIntervalSince1970)
        try expect((80_000...86_400).contains(left), "seconds left: \(left)")
    }
}
