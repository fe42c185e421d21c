// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebEngine
internal import WebKitGTKAdapter

// Pages in document mode.
extension EngineCheck {
    /// Checks that the container loads a document in place of the engine, and that its origin, cookies, bodies and
    /// policies are those of a plain page.
    @MainActor
    func checkDocumentMode(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let site = try await DocumentSite.start()
        let container = try await site.container(engine, in: folder)
        let records = container.events
        let page = DocumentPage(try await open("\(site.url)/redirect", in: container))
        for await case .request(let record) in records where record.isMainDocument {
            try expect(record.provenance?.source == .network && record.url == "\(site.url)/redirect", "\(record)")
            break
        }
        let seen = try await page.run(
            "return [location.href, document.cookie, packaged, document.documentElement.lang, document.head.className]")
        let packaged = "\(site.url)/app/packaged.js"
        try expect(
            seen == #"["\#(site.url)/b?redirected","hop=1","\#(packaged)","en","h"]"#, "the document: \(seen)")
        try expect(page.page.session.mode == .document, "the mode is \(page.page.session.mode)")
        try expect(site.count("/redirect") == 1 && site.count("/b") == 1, "requests: \(site.count("/b"))")
        try expect(site.count("/app/packaged.js") == 0, "a packaged file was requested from the server")
        // The engine has the cookies of the document, also those that scripts cannot read, and sends them.
        let cookies = try await page.run("return (await (await fetch('/cookies')).text()).split('; ').sort().join()")
        try expect(cookies == #""document=1,hop=1""#, "cookies: \(cookies)")
        let length = try await page.run(
            "return await (await fetch('/echo', {method: 'POST', body: new Blob(['x'.repeat(100000)])})).text()")
        try expect(length == #""100000""#, "the body: \(length)")
        // The container sends the engine's cookies with the request for the next document.
        _ = try await page.navigate("location.href = '/policy'")
        try expect(site.fields("/policy")?[.cookie]?.contains("hop=1") == true, "no cookies for the document")
        try expect(
            site.fields("/policy")?[.referer] == "\(site.url)/b?redirected", "Referer: \(site.fields("/policy") ?? [:])"
        )
        let policy = try await page.run(
            """
            const blocked = await new Promise(done => {
                document.addEventListener('securitypolicyviolation', event => done(event.effectiveDirective));
                document.body.append(Object.assign(new Image(), { src: '/image.png' }));
            });
            return [blocked, typeof packaged, document.referrer];
            """)
        try expect(policy == #"["img-src","string","\#(site.url)/b?redirected"]"#, "the policy: \(policy)")
        // The policy forbids blobs, so the engine loads a packaged worker. The server has no script for it.
        _ = try await page.run(
            "await new Promise(done => { new Worker('/app/packaged.js').onerror = done; })")
        try expect(site.count("/app/packaged.js") == 1, "the engine has not loaded the worker")
        // Without a delegate, the app does not allow documents of another host.
        let outside = try await page.navigate("location.href = 'http://localhost:\(site.origin.port)/b'")
        let path = try await page.run("return location.href")
        try expect(outside == "stopped" && path == "\"\(site.url)/policy\"", "another host: \(outside), \(path)")
        // A response of another type is the engine's own navigation.
        let text = try await page.navigate("location.href = '/plain'")
        let type = try await page.run("return document.contentType")
        try expect(text == "\(site.url)/plain" && type == #""text/plain""#, "\(text) is \(type)")
        await container.shutDown()
        await site.origin.stop()
    }

    /// Checks the history, the scroll position and the frames of pages.
    @MainActor
    func checkDocumentNavigation(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let site = try await DocumentSite.start()
        let container = try await site.container(engine, in: folder)
        let page = DocumentPage(try await open("\(site.url)/app/", in: container))
        func expectPlace(_ path: String, _ length: Int, _ what: String) async throws {
            let seen = try await page.run("return [location.href, history.length]")
            try expect(seen == #"["\#(site.url)\#(path)",\#(length)]"#, "\(what): \(seen)")
        }
        try await expectPlace("/app/", 1, "the first document")
        _ = try await page.run("scrollTo(0, 321)")
        _ = try await page.navigate("document.querySelector('#link').click()")
        try await expectPlace("/b", 2, "a link")
        _ = try await page.run("scrollTo(0, 123)")
        _ = try await page.navigate("location.replace('/replaced#end')")
        try await expectPlace("/replaced#end", 2, "location.replace")
        _ = try await page.navigate("document.querySelector('#form').submit()")
        try await expectPlace("/c?q=1", 3, "a form with GET")
        _ = try await page.navigate("history.back()")
        try await expectPlace("/replaced#end", 3, "back")
        _ = try await page.navigate("history.back()")
        try await expectPlace("/app/", 3, "back to the first document")
        try await page.waitForScroll(to: 321)
        _ = try await page.navigate("history.go(2)")
        try await expectPlace("/c?q=1", 3, "forward by two")
        _ = try await page.run("scrollTo(0, 77)")
        _ = try await page.navigate("location.reload()")
        try await expectPlace("/c?q=1", 3, "a reload")
        try await page.waitForScroll(to: 77)
        // A frame loads by itself, and its navigation does not concern the page.
        _ = try await page.navigate("location.href = '/frames'")
        let frame = try await page.run(
            """
            const frame = document.querySelector('#frame');
            const load = navigate => new Promise(done => { frame.onload = done; navigate(); });
            if (frame.contentDocument.URL === 'about:blank') await load(() => {});
            await load(() => frame.contentWindow.location.href = '/app/');
            // The engine has loaded the frame, whose policy the container does not know.
            const image = new frames[1].Image();
            image.src = '/app/index.html';
            return [
                location.pathname, frame.contentWindow.location.pathname, frames[1].document.title,
                image.getAttribute('src'),
            ];
            """)
        try expect(frame == #"["/frames","/app/","/app/","/app/index.html"]"#, "the frame: \(frame)")
        try expect(site.count("/inner") == 1, "the frame was requested \(site.count("/inner")) times")
        // The engine follows the redirect of its own request, and the document is requested once.
        let account = try await page.navigate(
            """
            const form = Object.assign(document.createElement('form'), { method: 'post', action: '/login' });
            document.body.append(form);
            form.submit();
            """)
        try expect(account == "\(site.url)/account" && site.count("/account") == 1, "after a POST: \(account)")
        // A handler of `beforeunload` runs once for each navigation.
        _ = try await page.run(
            "sessionStorage.asked = 0; addEventListener('beforeunload', () => { sessionStorage.asked++ })")
        _ = try await page.navigate("location.href = '/b'")
        let asked = try await page.run("return sessionStorage.asked")
        try expect(asked == #""1""#, "beforeunload ran \(asked) times")
        await container.shutDown()
        await site.origin.stop()
    }

    /// Checks that a packaged site opens whole although its host does not exist.
    @MainActor
    func checkDocumentOffline(_ engine: WebKitGTKEngine, in folder: String) async throws {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = .document
        let container = try await Container(engine: engine, configuration: configuration)
        let image = "<svg xmlns='http://www.w3.org/2000/svg' width='7' height='7'></svg>"
        let files = [
            "index.html": """
            <!doctype html><meta charset=utf-8><title>offline</title><link rel=stylesheet href="css/a.css">
            <script src="/classic.js"></script><script type=module src="module.js"></script>
            <img id=image src="image.svg"><p id=text>text</p><iframe id=frame src="frame/#x"></iframe>
            """,
            "frame/index.html": """
            <!doctype html><meta charset=utf-8><title>frame</title><img src="../image.svg">
            <script src="frame.js"></script>
            """,
            "frame/frame.js": "globalThis.place = [location.href, origin, history.length].join();",
            "worker.js": """
            importScripts('late.js');
            onmessage = async ({ data }) => postMessage(
                [data, late, location.href, (await (await fetch('data.json')).json()).data].join());
            """,
            "worker.mjs": "import { value } from './deep/value.js'; onmessage = () => postMessage(value);",
            "css/a.css": "@import 'b.css'; #text { width: 11px }", "css/b.css": "#text { height: 12px }",
            "classic.js": "globalThis.classic = 1;",
            "module.js": "import { value } from './deep/value.js'; globalThis.module = value;",
            "deep/value.js": "export const value = 2;", "late.js": "globalThis.late = 3;", "data.json": "{\"data\":4}",
            "image.svg": image, "next/index.html": "<!doctype html><meta charset=utf-8><title>next</title>",
        ]
        try await DocumentSite.install(
            files, at: "https://nowhere.example/", isComplete: true, into: container, folder)
        let place = "https://nowhere.example"
        let page = DocumentPage(try await open("\(place)/", in: container))
        let seen = try await page.run(
            """
            const script = src => new Promise((done, fail) => document.head.append(
                Object.assign(document.createElement('script'), { src, onload: done, onerror: fail })));
            await script('/late.js');
            const request = new XMLHttpRequest();
            await new Promise(done => { request.onload = done; request.open('GET', '/data.json'); request.send(); });
            const answer = await fetch('/data.json');
            const picture = new Image();
            picture.src = '/image.svg';
            await picture.decode();
            const { value } = await import('/deep/value.js');
            const missing = await fetch('/missing.json');
            const text = getComputedStyle(document.querySelector('#text'));
            return [origin, isSecureContext, classic, globalThis.module, late, request.responseText,
                request.responseURL, (await answer.json()).data, answer.url, picture.src, picture.naturalWidth, value,
                missing.status, document.querySelector('#image').naturalWidth, text.width, text.height].join();
            """)
        try expect(
            seen == "\"\(place),true,1,2,3,{\\\"data\\\":4},\(place)/data.json,4,\(place)/data.json,\(place)/image.svg,"
                + "7,2,404,7,11px,12px\"", "the page: \(seen)")
        let workers = try await page.run(
            """
            const answer = (url, options) => new Promise((done, fail) => {
                const worker = Object.assign(new Worker(url, options), { onmessage: done, onerror: fail });
                worker.postMessage("sent");
            });
            const classic = (await answer('/worker.js')).data;
            return [classic, (await answer(new URL('worker.mjs', location), { type: 'module' })).data].join();
            """)
        try expect(workers == "\"sent,3,\(place)/worker.js,4,2\"", "the workers: \(workers)")
        // The engine fails to load the document of the frame, and then shows that of the package.
        try await page.wait(for: "frame.contentDocument.querySelector('img')?.naturalWidth === 7", "no frame")
        let frame = try await page.run("return frame.contentWindow.place")
        try expect(frame == "\"\(place)/frame/#x,\(place),1\"", "the frame: \(frame)")
        let texts = try await page.run(
            """
            const part = document.createElement('div');
            document.body.append(part);
            part.innerHTML = "<img src='/image.svg' onerror='globalThis.hasFailed = true'>";
            const inner = part.firstChild, set = new Image();
            await new Promise(done => inner.onload = done);
            set.srcset = '/image.svg 1x, /image.svg?2 2x';
            await set.decode();
            const marks = [inner.crossOrigin];
            inner.src = 'data:image/png,';
            const mixed = new Image();
            mixed.srcset = '/image.svg 1x, https://other.example/image.png 2x';
            marks.push(mixed.crossOrigin, mixed.getAttribute('src') === null);
            return [globalThis.hasFailed, set.currentSrc, inner.naturalWidth, ...marks, inner.crossOrigin].join();
            """)
        try expect(
            texts == "\",\(place)/image.svg,0,anonymous,,true,\"", "other elements: \(texts)")
        let next = try await page.navigate("location.href = '/next/'")
        try expect(next == "\(place)/next/", "the next document: \(next)")
        let back = try await page.navigate("history.back()")
        try expect(back == "\(place)/", "back: \(back)")
        await container.shutDown()
    }
}
