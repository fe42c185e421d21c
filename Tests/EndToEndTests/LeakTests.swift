// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

extension RealEngine {
    /// Secrecy of the messages between the container and the injected script.
    @Suite("Bytes at the origin", .timeLimit(.minutes(3)))
    struct LeakTests {
        /// A page that sends all kinds of bodies with all senders. The test closes the page, or the page navigates,
        /// while requests are in progress.
        private static let page = """
            <!DOCTYPE html><title>x</title><form method=post enctype=multipart/form-data target=frame action=/form>
            <input type=file name=file><input name=text value=text></form><iframe name=frame></iframe><img src=/image>
            <script>
            addEventListener('pagehide', () => {
                navigator.sendBeacon('/late', 'late');
                fetch('/late-get');
            });
            setInterval(() => fetch('/poll'), 20);
            const blob = (size = 9) => new Blob([new Uint8Array(size).fill(97)]);
            const post = (url, body, more) => fetch(url, { method: 'POST', body, ...more })
                .then((answer) => answer.text());
            const xhr = (url, body, isAsync = true) => new Promise((end) => {
                const request = new XMLHttpRequest();
                request.open('POST', url, isAsync);
                request.onloadend = end;
                request.send(body);
            });
            const worker = (url, type) => new Promise((end) => {
                const worker = new Worker(url, { type });
                worker.onmessage = worker.onerror = end;
            });
            (async () => {
                const far = location.origin.replace(location.hostname, 'localhost').replace('containerkit-', '');
                document.cookie = 'script=1';
                await fetch('/set');
                const files = new FormData();
                files.append('file', new File(['file'], 'name'));
                await post('/text', 'text');
                await post('/blob', blob());
                await post('/large', blob(3 << 20));
                await post('/files', files);
                await post('/simple', blob(), { mode: 'no-cors' });
                await post('/redirect', blob());
                await post('/kept', blob(), { keepalive: true });
                await post('/omitted', blob(), { credentials: 'omit' });
                await fetch('/redirect', { redirect: 'manual' });
                await post(far + '/far', blob(), { mode: 'no-cors' }).catch(() => {});
                await post(far + '/far', files, { mode: 'no-cors', credentials: 'include' }).catch(() => {});
                await xhr('/xhr', blob());
                await xhr('/sync', blob(), false);
                await xhr('/sync', 'text', false);
                navigator.sendBeacon('/beacon', blob());
                navigator.sendBeacon(far + '/beacon', 'text');
                const form = document.forms[0];
                const transfer = new DataTransfer();
                transfer.items.add(new File(['file'], 'name'));
                form.elements.file.files = transfer.files;
                const sent = new Promise((end) => frames.frame.frameElement.onload = end);
                form.submit();
                await sent;
                await worker('/worker.js');
                await worker('/module.js', 'module');
                await new Promise((end) => { new EventSource('/events').onerror = end; });
                // These requests get no response.
                post('/never', blob(1 << 20)); xhr('/never', blob()); post(far + '/never', blob(), { mode: 'no-cors' });
                await fetch('/waiting');
                if (location.pathname === '/closed') window.DONE = true; else location = '/second';
            })();
            </script>
            """

        private static let worker = """
            const post = (body) => fetch('/worker', { method: 'POST', body });
            const request = new XMLHttpRequest();
            request.open('POST', '/worker', false);
            request.send(new Blob(['blob']));
            post(new Blob(['blob'])).then(() => post('text')).then(() => postMessage('done'));
            """

        @Test("No field, token or name of the container reaches the network, not even from closed pages")
        func bytes() async throws {
            let folder = try TemporaryFolder()
            let server = try RawServer { request in
                switch request.path {
                case "/", "/closed": .answer(Self.page, type: "text/html")
                case "/second":
                    .answer("<script>fetch('/gate').then(() => window.DONE = true)</script>", type: "text/html")
                case "/gate": .waiting(for: "/late")
                case "/waiting": .waiting(for: "/never")
                case "/never": .none
                case "/set": .answer("", fields: "Set-Cookie: server=1\r\n")
                case "/redirect": .answer("", status: "307 Temporary Redirect", fields: "Location: /text\r\n")
                case "/worker.js", "/module.js": .answer(Self.worker, type: "text/javascript")
                default: .answer("ok")
                }
            }
            let urls = try folder.write("urls", "\(server.url)/closed\n\(server.url)/\n".utf8)
            let outcome = try await Program("container-browser").run(
                [
                    "run", "--urls", urls, "--print", "window.DONE", "--until", "window.DONE", "--mode", "scheme",
                ], in: folder.path)
            let text = String(decoding: server.stop(), as: UTF8.self)
            #expect(outcome.output.split(separator: "\n").count { $0.contains("\"value\":true") } == 2, "\(outcome)")
            for path in [
                "/text", "/blob", "/large", "/files", "/simple", "/kept", "/omitted", "/far", "/xhr", "/sync",
                "/beacon",
                "/form", "/worker", "/worker.js", "/module.js", "/events", "/never", "/late",
            ] {
                #expect(text.contains(" \(path) HTTP/1.1\r\n"), "\(path) has not arrived")
            }
            for line in text.split(separator: "\n") where line.utf8.count < 10_000 {
                // The engine sends the page's origin to uncovered hosts.
                if line.hasPrefix("Origin: containerkit-http://127.0.0.1:") { continue }
                #expect(!line.lowercased().contains("containerkit"), "\(line)")
                #expect(!line.lowercased().contains("x-wkwebview"), "\(line)")
                let ids = try Regex("(?:^|[^0-9A-Za-z])(?:[0-9a-f]{32}|[0-9]{32})(?:$|[^0-9A-Za-z])")
                #expect(line.firstMatch(of: ids) == nil, "\(line)")
            }
        }
    }
}
