// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import CookieJar
import Foundation
import Testing

/// Tests that compare a jar with a model: a list that is searched linearly, as in the text of the draft.
@Suite(.timeLimit(.minutes(3)))
struct ModelTests {
    @Test(arguments: 0..<20)
    func `Retrieval equals that of a plain list`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let jar = Jar()
        var model = Model()
        for _ in 0..<400 {
            if Int.random(in: 0..<3, using: &random) == 0 {
                jar.clock.advance(by: TimeInterval(Int.random(in: 0...3, using: &random)))
            }
            let text = Model.url(&random)
            let url = try #require(CookieURL(text))
            let now = jar.clock.now
            if Bool.random(using: &random) {
                let cookie = Model.cookie(&random, now: now)
                try jar.jar.insert(cookie)
                model.insert(cookie, now: now)
            } else {
                let expected = model.sent(to: url, now: now)
                #expect(jar.jar.cookies(matching: url).map { "\($0.identity) \($0.value)" } == expected, "\(text)")
            }
        }
        #expect(model.found > 50)
    }

    private struct Model {
        private var cookies: [Cookie] = []
        var found = 0

        static let hosts = ["shop.example", "www.shop.example", "a.www.shop.example", "x.co.uk", "co.uk", "127.0.0.1"]
        static let paths = ["/", "/a", "/a/", "/a/b", "/ab"]

        static func url(_ random: inout SeededGenerator) -> String {
            let scheme = Bool.random(using: &random) ? "https" : "http"
            return "\(scheme)://\(pick(hosts, &random))\(pick(paths, &random))"
        }

        static func cookie(_ random: inout SeededGenerator, now: Date) -> Cookie {
            let seconds = Int.random(in: -1...20, using: &random)
            return Cookie(
                Cookie.Identity(
                    name: pick(["n", "m", ""], &random), domain: pick(hosts, &random),
                    isHostOnly: Bool.random(using: &random), path: pick(paths, &random)),
                value: pick(["1", "2", "3"], &random), expires: seconds > 15 ? nil : now + TimeInterval(seconds),
                created: now,
                isSecure: Bool.random(using: &random))
        }

        static func pick(_ list: [String], _ random: inout SeededGenerator) -> String {
            list[Int.random(in: 0..<list.count, using: &random)]
        }

        mutating func insert(_ cookie: Cookie, now: Date) {
            cookies.removeAll { $0.expires.map { $0 <= now } ?? false }
            let place = cookies.firstIndex { $0.identity == cookie.identity }
            if let end = cookie.expires, end <= now {
                if let place { cookies.remove(at: place) }
            } else if let place {
                var new = cookie
                new.created = cookies[place].created
                cookies[place] = new
            } else {
                cookies.append(cookie)
            }
        }

        mutating func sent(to url: CookieURL, now: Date) -> [String] {
            let isAddress = url.host.first?.isNumber == true
            let list = cookies.filter { cookie in
                let domain = cookie.identity.domain
                let isSuffix = domain == "co.uk" || domain == "127.0.0.1"
                let isHost = domain == url.host
                let isBelow = isHost || (!isAddress && url.host.hasSuffix("." + domain))
                guard cookie.identity.isHostOnly ? isHost : isBelow && !isSuffix else { return false }
                guard cookie.expires.map({ $0 > now }) ?? true, !cookie.isSecure || url.isSecure else { return false }
                let path = cookie.identity.path
                return path == url.path || url.path.hasPrefix(path.hasSuffix("/") ? path : path + "/")
            }
            found += list.count
            // The sort is stable, so cookies that were stored first remain before later cookies.
            return list.enumerated().sorted { left, right in
                let (a, b) = (left.element, right.element)
                if a.identity.path.count != b.identity.path.count {
                    return a.identity.path.count > b.identity.path.count
                }
                return a.created == b.created ? left.offset < right.offset : a.created < b.created
            }.map { "\($0.element.identity) \($0.element.value)" }
        }
    }
}
