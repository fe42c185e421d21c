// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
import ProgramTesting
import Testing

extension RealEngine {
    /// `open --suggest`: observed requests of a page as publishable tables.
    @Suite("Suggesting tables", .timeLimit(.minutes(5)))
    struct SuggestTests {
        /// The parts of `resources.json` and `hosts.json` that the tests read.
        private struct Resources: Decodable {
            struct Entry: Decodable {
                let md5: String
                let download: String
                let ctype: String?
                let path: String
                let size: Int
                let sha256: String
            }

            struct Content: Decodable {
                let version: String
                let update: Bool
                let resourcemap: [String: Entry]
            }

            let code: Int
            let data: Content
        }

        private struct Hosts: Decodable {
            struct Host: Decodable, Equatable {
                let host: String
                let requests: Int
                let runs: Int
                let firstMs: Int
            }

            let page: String
            let runs: Int
            let hosts: [Host]
        }

        private static let html = """
            <!doctype html><html><head><meta charset="utf-8"><title>Offers</title>
            <link rel="stylesheet" href="style.css"></head><body><h1>Offers</h1>
            <script>
            const id = new URLSearchParams(location.search).get("id");
            const json = answer => answer.json();
            const post = (url, body) => fetch(url, {
                method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
            Promise.all([
                fetch(`api/detail?v=2&id=${id}`).then(json),
                fetch("api/items?size=20").then(json),
                fetch(`api/advert?seed=${Math.random()}`).then(json),
                post("api/query", { size: 20, id: Number(id) }).then(json),
                post("collect", { event: "open" }),
                fetch("api/gone").catch(() => 0),
                fetch("api/mine", { headers: { "X-Trace": "1" } }).then(json),
            ]).then(() => document.documentElement.dataset.ready = "yes");
            </script></body></html>
            """

        private func shop() async throws -> Shop {
            func route(_ method: HTTPRequest.Method, _ path: String) throws -> OriginRoute {
                OriginRoute(method, try #require(OriginPathPattern(path))) { _ in
                    OriginResponse(.ok, headers: [.contentType: "application/json"], body: .bytes(Data("{}".utf8)))
                }
            }
            let shop = try await Shop(routes: [
                try route(.get, "/api/detail"), try route(.get, "/api/items"), try route(.get, "/api/advert"),
                try route(.get, "/api/mine"), try route(.post, "/api/query"), try route(.post, "/collect"),
            ])
            try shop.folder.write("site/offers.html", Self.html.utf8)
            return shop
        }

        /// Returns the URL of the page with a host name instead of an address, because `hosts.json` contains only
        /// names.
        private func page(_ shop: Shop, _ id: Int) -> String {
            shop.origin.url.replacingOccurrences(of: "127.0.0.1", with: "localhost") + "/offers.html?id=\(id)"
        }

        private func file<Value: Decodable>(_ name: String, of shop: Shop, as type: Value.Type) throws -> Value {
            try JSONDecoder().decode(
                type, from: Data(contentsOf: URL(fileURLWithPath: "\(shop.folder.path)/out/\(name)")))
        }

        @Test(
            "Requests suggested by two runs are prefetched for another page, each once",
            arguments: ["proxy", "scheme"])
        func loop(mode: String) async throws {
            let shop = try await shop()
            try shop.folder.write("out/prefetch.json", "old".utf8)
            let options = ["--mode", mode, "--until", Shop.ready]
            let watched = try await Program("container-browser").run(
                ["open", page(shop, 163), "--suggest", "out", "--runs", "2", "--json"] + options, in: shop.folder.path)
            try #require(watched.status == 0, "\(watched.errors)")
            let base = page(shop, 0).replacingOccurrences(of: "/offers.html?id=0", with: "")
            let table = try String(contentsOfFile: shop.folder.path + "/out/prefetch.json", encoding: .utf8)
            let rows = table.split(separator: "\n").map { $0.trimmingCharacters(in: [" ", ","]) }
            #expect(
                rows.filter { $0.hasPrefix(#"{"api""#) }.sorted() == [
                    #"{"api":"\#(base)/api/detail?v=2","method":"GET","urlParam":true}"#,
                    #"{"api":"\#(base)/api/items?size=20","method":"GET"}"#,
                    #"{"api":"\#(base)/api/query","method":"POST","bodyParam":true,"body":{"size":20}}"#,
                ], "\(table)")
            for line in [
                "GET \(base)/api/advert: it differs from run to run in seed",
                "POST \(base)/collect: its path names a report, not data",
                "GET \(base)/api/mine: it has the additional header field x-trace",
            ] {
                #expect(watched.errors.contains("note: not in prefetch.json: " + line), "\(watched.errors)")
            }
            let document = try JSONSerialization.jsonObject(with: Data(watched.output.utf8)) as? [String: Any]
            let suggested = document?["suggested"] as? [String: Any]
            let leftOut = try #require((suggested?["leftOut"] as? [[String: Any]])?.first)
            #expect(leftOut.keys.sorted() == ["file", "method", "reason", "url"])
            // The third run opens another page of the same path.
            let before = shop.origin.requests.count
            let report = try await shop.browser.open(page(shop, 7), ["--prefetch", "out/prefetch.json"] + options)
            let sent = shop.origin.requests.dropFirst(before)
            await shop.origin.stop()
            #expect(report.median.requests.prefetch == 3, "\(report.median.requests)")
            for path in ["/api/detail", "/api/items", "/api/query", "/api/advert", "/api/mine"] {
                #expect(sent.count(where: { $0.path == path }) == 1, "\(path): \(sent)")
            }
            #expect(sent.contains { $0.path == "/api/detail" && $0.query == "v=2&id=7" })
        }

        @Test("Files have digests, hosts have counts, and the result lists what was written")
        func lists() async throws {
            let shop = try await Shop()
            try shop.folder.write("out/suggested.incomplete", "prefetch.json\nhosts.json\n".utf8)
            let outcome = try await Program("container-browser").run(
                [
                    "open", page(shop, 1).replacingOccurrences(of: "offers.html?id=1", with: "index.html"), "--mode",
                    "proxy", "--suggest", "out", "--runs", "2", "--json", "--until", Shop.ready,
                ], in: shop.folder.path)
            await shop.origin.stop()
            try #require(outcome.status == 0, "\(outcome.errors)")
            let resources = try file("resources.json", of: shop, as: Resources.self)
            #expect(resources.code == 200 && resources.data.update && !resources.data.version.isEmpty)
            // The product list is data and not a file, because its response has no lifetime.
            let files = Shop.files.filter { $0.key != "data/products.json" }
            let entries = resources.data.resourcemap
            #expect(Set(entries.values.map(\.path)) == Set(files.keys))
            for (url, entry) in entries {
                #expect(entry.download == url && url.hasSuffix("/" + entry.path) && url.hasPrefix("http://localhost:"))
                let bytes = Data(try #require(files[entry.path]).utf8)
                #expect(entry.size == bytes.count)
                #expect(entry.sha256.count == 64 && entry.md5.count == 32 && entry.ctype?.contains("/") == true)
            }
            let hosts = try file("hosts.json", of: shop, as: Hosts.self)
            #expect(hosts.runs == 2 && hosts.hosts.map(\.host) == ["localhost"])
            #expect(hosts.hosts.first?.requests == Shop.files.count && hosts.hosts.first?.runs == 2)
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
            let suggested = try #require(document["suggested"] as? [String: Any])
            #expect(suggested["prefetched"] as? Int == 1 && suggested["resources"] as? Int == files.count)
            #expect(suggested["hosts"] as? Int == 1 && suggested["directory"] as? String == "out")
            #expect(
                document.keys.sorted() == ["engine", "median", "mode", "network", "runs", "suggested", "url", "warm"])
            let run = try #require(document["median"] as? [String: Any])
            #expect(
                run.keys.sorted() == [
                    "bytesFromNetwork", "checkOutMs", "consoleErrors", "domReadyMs", "errorStatuses",
                    "firstContentfulPaintMs", "loadMs", "readyMs", "requests", "responseStartMs", "screenshot",
                    "status",
                ])
            let requests = try #require(run["requests"] as? [String: Any])
            #expect(
                requests.keys.sorted() == [
                    "disk", "failed", "memory", "network", "package", "prefetch", "synthetic",
                ])
            #expect(
                suggested.keys.sorted() == ["directory", "files", "hosts", "leftOut", "prefetched", "resources"])
            let names = try FileManager.default.contentsOfDirectory(atPath: shop.folder.path + "/out").sorted()
            #expect(names == ["hosts.json", "prefetch.json", "resources.json"])
        }

        @Test("A suggested resource table serves later pages", arguments: ["proxy", "scheme", "server"])
        func table(mode: String) async throws {
            let shop = try await Shop()
            let watched = try await Program("container-browser").run(
                ["open", shop.page, "--suggest", "site/out", "--mode", "proxy", "--until", Shop.ready],
                in: shop.folder.path)
            try #require(watched.status == 0, "\(watched.errors)")
            let report = try await shop.browser.open(
                shop.page, "--mode", mode, "--table", shop.origin.url + "/out/resources.json", "--runs", "3", "--until",
                Shop.ready)
            await shop.origin.stop()
            // In the third run at the latest, all files except the product list come from the container.
            #expect(report.runs.last?.requests.package == Shop.files.count - 1, "\(report.runs.map(\.requests))")
            #expect(report.runs.last?.requests.failed == 0)
        }

        @Test("A missing or invalid table gives one error line")
        func noTable() async throws {
            let shop = try await Shop()
            func outcome(_ options: String...) async throws -> Program.Outcome {
                try await Program("container-browser").run(["open", shop.page] + options, in: shop.folder.path)
            }
            let missing = try await outcome("--mode", "scheme", "--table", shop.origin.url + "/none.json")
            #expect(
                missing.status == 69 && missing.errors.contains("error: no-answer: HTTP status 404"),
                "\(missing.errors)")
            let other = try await outcome("--mode", "scheme", "--table", shop.page)
            #expect(other.status == 69 && other.errors.contains("error: bad-json: "), "\(other.errors)")
            await shop.origin.stop()
            let plain = try await outcome("--table", shop.origin.url + "/none.json")
            #expect(plain.status == 64 && plain.errors.hasPrefix("error: usage: "), "\(plain.errors)")
            let place = try await outcome("--mode", "scheme", "--table", "resources.json")
            #expect(place.status == 64 && place.errors.hasPrefix("error: invalid-url: "), "\(place.errors)")
        }

        @Test(
            "Over https, with compressed responses and a second host, no file contains a secret",
            arguments: ["server", "proxy", "scheme"])
        func secure(mode: String) async throws {
            let folder = try TemporaryFolder()
            let packed: @Sendable (String, [UInt8]) -> OriginResponse = { type, bytes in
                OriginResponse(
                    .ok,
                    headers: [
                        .contentType: type, .contentEncoding: "gzip", .accessControlAllowOrigin: "*",
                    ], body: .bytes(Data(bytes)))
            }
            let json: @Sendable (OriginRequest) async throws -> OriginResponse = { _ in
                packed("application/json", Self.packedJSON)
            }
            var configuration = OriginServer.Configuration(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/api/*")), answer: json)
            ])
            configuration.usesTLS = true
            let second = try await OriginServer.start(configuration)
            let html = """
                <!doctype html><link rel="stylesheet" href="style.css"><script>
                const id = new URLSearchParams(location.search).get("id");
                const data = encodeURIComponent(JSON.stringify({ user: { token: "sesame" } }));
                Promise.all([`api/a?v=2&id=${id}`, "api/token/sesame", `api/c?data=${data}`,
                    "https://localhost:\(second.port)/api/b"].map(url => fetch(url).then(answer => answer.json())))
                    .then(() => document.documentElement.dataset.ready = "yes");
                </script>
                """
            configuration.routes = [
                OriginRoute(.get, try #require(OriginPathPattern("/api/*")), answer: json),
                OriginRoute(.get, try #require(OriginPathPattern("/api/token/*")), answer: json),
                OriginRoute(.get, try #require(OriginPathPattern("/style.css"))) { _ in
                    packed("text/css", Self.packedStyle)
                },
                OriginRoute(.get, try #require(OriginPathPattern("/page.html"))) { _ in
                    OriginResponse(.ok, headers: [.contentType: "text/html"], body: .bytes(Data(html.utf8)))
                },
            ]
            let origin = try await OriginServer.start(configuration)
            for (name, server) in [("first", origin), ("second", second)] {
                // The container needs the authority of a server, and the engine needs its certificate.
                try folder.write("\(name)-authority.pem", try #require(server.authorityPEM).utf8)
                let text = Data(try #require(server.certificate)).base64EncodedString(options: .lineLength64Characters)
                try folder.write(
                    "\(name).pem", "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8)
            }
            let outcome = try await Program("container-browser").run(
                [
                    "open", "https://127.0.0.1:\(origin.port)/page.html?id=163", "--mode", mode, "--runs", "2",
                    "--trust", "first-authority.pem", "--trust", "first.pem", "--trust",
                    "localhost=second-authority.pem",
                    "--trust", "localhost=second.pem", "--suggest", "out", "--until",
                    Shop.ready,
                ], in: folder.path)
            await origin.stop()
            await second.stop()
            try #require(outcome.status == 0, "\(outcome.errors)")
            let text: (String) throws -> String = { name in
                try String(contentsOfFile: "\(folder.path)/out/\(name)", encoding: .utf8)
            }
            let rows = try text("prefetch.json").split(separator: "\n").filter { $0.contains(#"{"api""#) }
            #expect(rows.count == 1 && rows.first?.contains(#"/api/a?v=2","method":"GET","urlParam":true"#) == true)
            let resources = try JSONDecoder().decode(Resources.self, from: Data(text("resources.json").utf8))
            #expect(resources.data.resourcemap.values.map(\.path) == ["style.css"])
            // The size is that of the decoded file.
            #expect(resources.data.resourcemap.values.first?.size == 20)
            let hosts = try JSONDecoder().decode(Hosts.self, from: Data(text("hosts.json").utf8))
            #expect(hosts.hosts.map(\.host) == ["localhost"])
            for name in ["prefetch.json", "resources.json", "hosts.json"] {
                #expect(try !text(name).contains("sesame"), "\(name)")
            }
            #expect(!outcome.errors.contains("sesame"), "\(outcome.errors)")
        }

        /// The gzip forms of `body { color: red }` and `{"items":[1,2,3]}`.
        private static let packedStyle: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 202, 79, 169, 84, 168, 86, 72, 206, 207, 201, 47, 178, 82, 40, 74, 77,
            81, 168, 229, 2, 0, 150, 36, 211, 94, 20, 0, 0, 0,
        ]
        private static let packedJSON: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 202, 44, 73, 205, 45, 86, 178, 138, 54, 212, 49, 210, 49, 142,
            173,
            5, 0, 234, 184, 40, 61, 17, 0, 0, 0,
        ]

        @Test("In plain mode only the hosts are written, a note states this, and the other files are unchanged")
        func plain() async throws {
            let shop = try await shop()
            try shop.folder.write("out/prefetch.json", "mine".utf8)
            // The folder contains the marker of a run that was killed between two renames.
            try shop.folder.write("out/suggested.incomplete", "prefetch.json\nresources.json\nhosts.json\n".utf8)
            let outcome = try await Program("container-browser").run(
                ["open", page(shop, 1), "--suggest", "out", "--until", Shop.ready], in: shop.folder.path)
            await shop.origin.stop()
            try #require(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("prefetch.json and resources.json are not written"), "\(outcome.errors)")
            #expect(try file("hosts.json", of: shop, as: Hosts.self).hosts.map(\.host) == ["localhost"])
            let names = try FileManager.default.contentsOfDirectory(atPath: shop.folder.path + "/out").sorted()
            #expect(names == ["hosts.json", "prefetch.json", "suggested.incomplete"])
            let marked = try String(contentsOfFile: shop.folder.path + "/out/suggested.incomplete", encoding: .utf8)
            #expect(marked == "prefetch.json\nresources.json\n")
            let kept = try String(contentsOfFile: shop.folder.path + "/out/prefetch.json", encoding: .utf8)
            #expect(kept == "mine")
        }

        enum MarkerPlace: CaseIterable { case folder, link, brokenLink }

        @Test(
            "If a directory or link has the name of the marker, it is unchanged and nothing is written",
            arguments: MarkerPlace.allCases)
        func markerPlace(_ place: MarkerPlace) async throws {
            let folder = try TemporaryFolder()
            let marker = folder.path + "/out/suggested.incomplete"
            try folder.write("out/hosts.json", "mine".utf8)
            try folder.write("theirs/file", "theirs".utf8)
            switch place {
            case .folder: try folder.write("out/suggested.incomplete/file", "theirs".utf8)
            case .link:
                try FileManager.default.createSymbolicLink(atPath: marker, withDestinationPath: "../theirs/file")
            case .brokenLink:
                try FileManager.default.createSymbolicLink(atPath: marker, withDestinationPath: "../theirs/none")
            }
            let outcome = try await Program("container-browser").run(
                ["open", "http://127.0.0.1:9/", "--suggest", "out"], in: folder.path)
            #expect(outcome.status == 74 && outcome.errors.hasPrefix("error: io: is not a file"), "\(outcome.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/out").sorted()
            #expect(names == ["hosts.json", "suggested.incomplete"])
            let file = place == .folder ? marker + "/file" : folder.path + "/theirs/file"
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "theirs")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/theirs") == ["file"])
        }

        @Test("A directory in place of a file is reported before the page is opened, and nothing is changed")
        func unwritable() async throws {
            let folder = try TemporaryFolder()
            try folder.write("out/hosts.json/file", "".utf8)
            try folder.write("out/prefetch.json", "mine".utf8)
            let outcome = try await Program("container-browser").run(
                ["open", "http://127.0.0.1:9/", "--mode", "scheme", "--suggest", "out"], in: folder.path)
            #expect(outcome.status == 74 && outcome.errors.hasPrefix("error: io: the path of --suggest is a folder"))
            let kept = try String(contentsOfFile: folder.path + "/out/prefetch.json", encoding: .utf8)
            #expect(kept == "mine")
        }

        @Test("--suggest refuses --prefetch, and a URL with user information")
        func usage() async throws {
            let folder = try TemporaryFolder()
            try folder.write(
                "table.json", #"{"code":200,"data":{"version":"1","config":[]}}"#.utf8)
            let both = try await Program("container-browser").run(
                ["open", "http://a.test/", "--mode", "scheme", "--suggest", "out", "--prefetch", "table.json"],
                in: folder.path)
            #expect(both.status == 64 && both.errors.hasPrefix("error: usage: "), "\(both.errors)")
            let user = try await Program("container-browser").run(
                ["open", "http://u:p@a.test/", "--mode", "scheme", "--suggest", "out"], in: folder.path)
            #expect(user.status == 64 && user.errors.hasPrefix("error: invalid-url: "), "\(user.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/out"))
        }
    }
}
