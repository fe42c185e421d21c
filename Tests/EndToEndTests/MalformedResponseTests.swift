// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import ProgramTesting
import Testing

extension RealEngine {
    /// Responses with a head that violates HTTP, in the real engine with a container.
    @Suite("Malformed responses to a page", .timeLimit(.minutes(4)))
    struct MalformedResponseTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        /// Returns the options that make the container and the engine trust a server.
        private func trust(_ origin: MalformedOrigin) throws -> [String] {
            guard let authority = origin.authorityPEM, let certificate = origin.certificate else { return [] }
            let text = Data(certificate).base64EncodedString(options: .lineLength64Characters)
            let leaf = "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
            return [
                "--trust", try folder.write("authority.pem", authority.utf8), "--trust",
                try folder.write("leaf.pem", leaf.utf8),
            ]
        }

        private func lines(of outcome: Program.Outcome) throws -> [[String: Any]] {
            try outcome.output.split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
        }

        @Test(
            "Malformed responses fail, and the request after each succeeds", arguments: ["proxy", "scheme"],
            MalformedOrigin.Version.allCases)
        func subresources(mode: String, version: MalformedOrigin.Version) async throws {
            let names = version.responses.map { "\"\($0.name)\"" }.joined(separator: ",")
            let page = """
                <!DOCTYPE html><title>page</title><script>
                (async () => {
                    const read = url => fetch(url).then(answer => answer.text()).catch(error => error.name);
                    const script = url => new Promise(done => {
                        const element = document.createElement('script');
                        element.onload = () => done('loaded');
                        element.onerror = () => done('error');
                        element.src = url;
                        document.head.append(element);
                    });
                    const values = [];
                    for (const name of [\(names)])
                        values.push([name, await read('/bad/' + name),
                            await script('/bad/' + name + '?script'), await read('/good')].join());
                    window.value = values;
                })();
                </script>
                """
            let files = ["/page.html": MalformedOrigin.File("text/html", page)]
            let outcome = try await MalformedOrigin.with(version, files: files) { origin in
                try await Program("container-browser").run(
                    [
                        "run", "\(origin.url)/page.html", "--mode", mode, "--print", "window.value", "--until",
                        "window.value", "--timeout", "90",
                    ] + trust(origin), in: folder.path)
            }
            #expect(outcome.status == 0, "\(outcome.errors)")
            let values = try lines(of: outcome).first?["value"] as? [String]
            #expect(values == version.responses.map { "\($0.name),TypeError,error,\(MalformedOrigin.good)" })
        }

        @Test(
            "A document fails with a typed error, and the next page opens", arguments: ["proxy", "scheme"],
            MalformedOrigin.Version.allCases)
        func documents(mode: String, version: MalformedOrigin.Version) async throws {
            let responses = version.responses.filter { $0.part == .head }
            let files = ["/page.html": MalformedOrigin.File("text/html", "<title>page</title>")]
            let outcome = try await MalformedOrigin.with(version, files: files) { origin in
                let urls = responses.map { origin.url(of: $0) } + ["\(origin.url)/page.html"]
                return try await Program("container-browser").run(
                    [
                        "run", "--urls", try folder.write("urls.txt", urls.joined(separator: "\n").utf8), "--mode",
                        mode, "--print", "document.title", "--timeout", "20",
                    ] + trust(origin), in: folder.path)
            }
            #expect(outcome.status == 69, "\(outcome.errors)")
            let lines = try lines(of: outcome)
            try #require(lines.count == responses.count + 1, "\(outcome.output)\(outcome.errors)")
            for (line, response) in zip(lines, responses) {
                #expect(line["timedOut"] as? Bool == false && line["error"] is String, "\(response): \(line)")
            }
            #expect(lines.last?["value"] as? String == "page")
        }
    }
}
