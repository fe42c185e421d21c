// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
import ProgramTesting
import Testing

extension RealEngine {
    /// A covered page whose server redirects to another origin.
    @Suite("Redirects to another origin, in a page", .timeLimit(.minutes(2)))
    struct ForeignAnswerTests {
        /// Runs a script in a page of a site that redirects `/go/X` to `/X` of another site.
        private func value(of script: String) async throws -> String {
            let picture = try Data(#require(Self.picture))
            let other = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/foreign.html"))) { _ in
                    let page = """
                        <!DOCTYPE html><script>
                        let title = ''
                        try { title = parent.document.title } catch (error) { title = error.name }
                        parent.postMessage([location.protocol, title], '*')
                        </script>
                        """
                    return OriginResponse(.ok, headers: [.contentType: "text/html"], body: .bytes(Data(page.utf8)))
                },
                OriginRoute(.get, try #require(OriginPathPattern("/closed.json"))) { _ in
                    OriginResponse(.ok, headers: [.contentType: "application/json"], body: .bytes(Data("1".utf8)))
                },
                OriginRoute(.get, try #require(OriginPathPattern("/open.json"))) { _ in
                    OriginResponse(
                        .ok, headers: [.contentType: "application/json", .accessControlAllowOrigin: "*"],
                        body: .bytes(Data("2".utf8)))
                },
                OriginRoute(.get, try #require(OriginPathPattern("/dot.png"))) { _ in
                    OriginResponse(.ok, headers: [.contentType: "image/png"], body: .bytes(picture))
                },
            ])
            let target = other.origin.url
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/go/*"))) { request in
                    OriginResponse(.found, headers: [.location: target + request.path.dropFirst(3)])
                }
            ])
            let value = try await shop.browser.value(
                of: "window.value", in: shop.page, until: "window.value", "--mode", "scheme", "--user-script",
                try shop.folder.write("script.js", "if (window === top) { \(script) }".utf8))
            await shop.origin.stop()
            await other.origin.stop()
            return value
        }

        /// One transparent pixel.
        private static let picture = Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")

        @Test("A frame shows the other site in its own origin, without access to the page")
        func frames() async throws {
            let script = """
                addEventListener('message', event => window.value =
                    [event.data[0], event.data[1], event.origin === location.origin])
                addEventListener('load', () => {
                    const frame = document.createElement('iframe')
                    frame.src = '/go/foreign.html'
                    document.body.append(frame)
                })
                """
            #expect(try await value(of: script) == #"["http:","SecurityError",false]"#)
        }

        @Test("An object element has no access to the page either")
        func objects() async throws {
            let script = """
                addEventListener('message', event => window.value =
                    [event.data[0], event.data[1], event.origin === location.origin])
                addEventListener('load', () => {
                    const frame = document.createElement('object')
                    frame.data = '/go/foreign.html'
                    frame.onerror = () => window.value = 'error'
                    document.body.append(frame)
                })
                """
            #expect([#"["http:","SecurityError",false]"#, #""error""#].contains(try await value(of: script)))
        }

        @Test("Scripts read responses that the other site permits, and images are shown")
        func subresources() async throws {
            let script = """
                (async () => {
                    const read = url => fetch(url).then(answer => answer.json()).catch(error => error.name)
                    const values = [await read('/go/closed.json'), await read('/go/open.json')]
                    const picture = new Image()
                    picture.src = '/go/dot.png'
                    await picture.decode().then(() => values.push('shown'), error => values.push(error.name))
                    window.value = values
                })()
                """
            #expect(try await value(of: script) == #"["TypeError",2,"shown"]"#)
        }
    }
}
