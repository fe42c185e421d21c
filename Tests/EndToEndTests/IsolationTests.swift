// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

extension RealEngine {
    /// The access of pages of one site to other sites, in custom-scheme mode and in the plain engine over https.
    @Suite("Isolation of sites", .timeLimit(.minutes(5)))
    struct IsolationTests {
        private struct Report: Decodable {
            var results: [BridgeTests.Value]
            var log: [Arrival]
        }

        private struct Arrival: Decodable {
            var url: String
            var method: String
            var cookie: String?
        }

        private static let page = "https://www.shop.example/"

        /// Functions for the scripts. `S` is the page's scheme for covered hosts.
        private static let helpers = """
            const S = location.protocol + '//';
            const answer = (wanted) => '?' + encodeURIComponent(JSON.stringify(wanted));
            const wait = (time) => new Promise((end) => setTimeout(end, time));
            const element = (type, key, url, more) => new Promise((end) => {
                const element = document.createElement(type);
                element.onload = () => end('loaded');
                element.onerror = () => end('failed');
                Object.assign(element, more);
                element[key] = url;
                document.body.append(element);
                setTimeout(end, 3000, 'nothing');
            });
            const told = (name) => new Promise((end) => {
                addEventListener('message', ({ data }) => { if (data && data.name === name) end(data.value); });
            });

            """

        private func run(
            _ mode: String, _ page: String = Self.page, cookies: [[String]] = [], _ scripts: String...
        ) async throws -> Report {
            let folder = try TemporaryFolder()
            let cookies = String(decoding: try JSONEncoder().encode(cookies), as: UTF8.self)
            let outcome = try await Program("engine-harness").run(
                ["isolation", folder.path, mode, page, cookies] + scripts.map { Self.helpers + $0 }, in: folder.path)
            try #require(outcome.status == 0, "\(outcome.errors)")
            return try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        }

        // MARK: Framing

        private static let frames = """
            const out = {};
            const show = async (name, host, fields) => {
                const frame = document.createElement('iframe');
                const shown = told(name);
                const body = `<script>parent.postMessage({ name: '${name}', value: 'shown' }, '*')</script>`;
                frame.src = S + host + '/framed' + answer({ fields, body });
                const loaded = new Promise((end) => { frame.onload = () => setTimeout(end, 300, 'refused'); });
                document.body.append(frame);
                out[name] = [await Promise.race([shown, loaded, wait(5000)]),
                    frame.contentDocument === null ? 'foreign' : host === 'www.shop.example' && out[name]];
            };
            const own = 'www.shop.example', other = 'ad.example';
            let count = 0;
            const both = (...fields) => Promise.all([own, other].map((host) => show(`${++count}-${host}-${fields}`
                .replaceAll(/[^-a-z0-9.:*]/gi, '_'), host, fields)));
            const X = 'X-Frame-Options', P = 'Content-Security-Policy';
            for (const value of ['DENY', 'SAMEORIGIN', 'ALLOWALL', 'DENY, SAMEORIGIN', 'junk']) await both([X, value]);
            await both([X, 'SAMEORIGIN'], [X, 'DENY']);
            for (const sources of ["'none'", "'self'", 'https://www.shop.example', 'www.shop.example', '*.shop.example',
                '*', 'https:', 'https://else.example']) await both([P, 'frame-ancestors ' + sources]);
            await both([P, 'frame-ancestors *'], [X, 'DENY']);
            await both([P, "frame-ancestors *, frame-ancestors 'none'"]);
            // A page of the site in a frame of another site in a page of the site.
            for (const [name, fields] of [['same', [X, 'SAMEORIGIN']], ['self', [P, "frame-ancestors 'self'"]],
                ['two', [P, `frame-ancestors ${S}ad.example ${S}www.shop.example`
                    .replaceAll('containerkit', 'https')]]]) {
                const body = `<script>top.postMessage({ name: '${name}', value: 'shown' }, '*')</` + 'script>';
                const url = S + own + '/inner' + answer({ fields: [fields], body });
                const frame = document.createElement('iframe');
                frame.src = S + other + '/outer' + answer({ body: `<iframe src="${url.replaceAll('"', '&quot;')}"></iframe>` });
                const shown = told(name);
                document.body.append(frame);
                out[name] = [await Promise.race([shown, wait(1500)]) ?? 'refused', ''];
            }
            return Object.entries(out)
                .map(([name, [shown, document]]) => `${name} ${shown} ${shown === 'refused' ? document : ''}`);
            """

        @Test("Frames show the documents that X-Frame-Options and frame-ancestors permit")
        func framing() async throws {
            let plain = try await run("plain", Self.page, Self.frames)
            let scheme = try await run("scheme", Self.page, Self.frames)
            let texts = try #require(plain.results.first).leaves().values.sorted()
            #expect(try #require(scheme.results.first).leaves().values.sorted() == texts)
            #expect(texts.contains { $0.contains("refused foreign") } && texts.contains { $0.contains(" shown") })
            #expect(texts.count > 30)
        }

        // MARK: Cross-Origin-Resource-Policy

        private static let resources = """
            const out = {};
            for (const host of ['www.shop.example', 'shop.example', 'ad.example', 'api.shop.example', 'bare.example']) {
                for (const policy of ['same-origin', 'same-site', 'cross-origin', 'junk']) {
                    const url = (host.startsWith('api') || host.startsWith('bare') ? 'https://' : S) + host + '/resource'
                        + answer({ fields: [['Cross-Origin-Resource-Policy', policy], ['Content-Type', 'text/css']] });
                    out[host + policy] = [
                        await element('link', 'href', url, { rel: 'stylesheet' }),
                        await fetch(url, { mode: 'no-cors' }).then((answer) => answer.type, () => 'failed')];
                }
            }
            return out;
            """

        @Test("A page loads the cross-origin resources that Cross-Origin-Resource-Policy permits")
        func resourcePolicy() async throws {
            let plain = try await run("plain", Self.page, Self.resources)
            let scheme = try await run("scheme", Self.page, Self.resources)
            #expect(plain.results == scheme.results)
            #expect(try #require(plain.results.first).leaves().values.contains("failed"))
        }

        // MARK: Mixed content

        private static let insecure = """
            const url = (name) => `http://bare.example/bare/${name}`;
            const quiet = (start) => { try { return start(); } catch {} };
            for (const [name, type, key, more] of [
                ['image', 'img', 'src'], ['script', 'script', 'src'], ['style', 'link', 'href', { rel: 'stylesheet' }],
                ['frame', 'iframe', 'src'], ['object', 'object', 'data']]) {
                await Promise.race([element(type, key, url(name), more), wait(1000)]);
            }
            await fetch(url('fetch'), { mode: 'no-cors' }).catch(() => {});
            quiet(() => { const request = new XMLHttpRequest(); request.open('GET', url('xhr')); request.send(); });
            quiet(() => navigator.sendBeacon(url('beacon'), 'x'));
            quiet(() => new EventSource(url('events')));
            quiet(() => new WebSocket('ws://bare.example/socket'));
            const form = document.createElement('form');
            form.method = 'post'; form.action = url('form'); form.target = 'formframe';
            const frame = document.createElement('iframe');
            frame.name = 'formframe';
            document.body.append(frame, form);
            form.submit();
            new Worker(URL.createObjectURL(new Blob([
                `fetch('${url('worker')}', { mode: 'no-cors' }).catch(() => {}); importScripts('${url('import')}')`])));
            document.body.style.backgroundImage = `url(${url('background')})`;
            await wait(1500);
            """

        @Test("An https page loads nothing over http, and upgrades images to https; an http page may load both")
        func mixedContent() async throws {
            let urls = { (report: Report) in
                Set(report.log.map(\.url).filter { $0.contains("/bare/") })
            }
            let plain = urls(try await run("plain", Self.page, Self.insecure))
            #expect(plain == ["https:/bare/image", "https:/bare/background"])
            #expect(urls(try await run("scheme", Self.page, Self.insecure)) == plain)
            let free = urls(try await run("scheme", "http://www.shop.example/", Self.insecure))
            #expect(free.count > 10 && free.allSatisfy { $0.hasPrefix("http:/") })
        }

        // MARK: Cookies of uncovered hosts

        private static let cookies = ["api.shop.example", "bare.example"].flatMap { host in
            [[host, "strict", "Strict"], [host, "lax", "Lax"], [host, "none", "None"]]
        }

        private static let requests = """
            const set = ['Strict', 'Lax', 'None']
                .map((mode) => ['Set-Cookie', `new${mode}=1; Secure; Path=/; SameSite=${mode}`]);
            const echo = (host) => fetch(`https://${host}/${host}/echo` + answer({ echo: true }), { credentials: 'include' })
                .then((answer) => answer.text(), (error) => error.name);
            const out = {};
            for (const host of ['api.shop.example', 'bare.example']) {
                const url = (name) => `https://${host}/${host}/${name}`;
                await fetch(url('set') + answer({ fields: set }), { mode: 'no-cors', credentials: 'include' });
                out[host] = (await echo(host)).split('; ').sort().join(' ');
                await element('img', 'src', url('image'));
                await element('script', 'src', url('script'));
                await element('iframe', 'src', url('frame') + answer({ body: '<img src=within>' }));
                navigator.sendBeacon(url('beacon'), 'x');
                new Worker(URL.createObjectURL(new Blob([
                    `fetch('${url('worker')}', { mode: 'no-cors', credentials: 'include' })`])));
                const form = document.createElement('form');
                form.method = 'post'; form.action = url('form'); form.target = 'f' + host;
                const frame = document.createElement('iframe');
                frame.name = form.target;
                document.body.append(frame, form);
                form.submit();
            }
            // A frame of another site requests resources of the page's site.
            await element('iframe', 'src', 'https://bare.example/bare.example/attack' + answer({ body: `
                <img src="https://api.shop.example/api.shop.example/attack-image"><iframe name=inner src="https://api.shop.example/api.shop.example/attack-first"></iframe>
                <form method=post target=inner action="https://api.shop.example/api.shop.example/attack-form"></form>
                <script>setTimeout(() => document.forms[0].submit(), 500)</` + 'script>' }));
            await wait(2000);
            return out;
            """

        @Test("Requests to uncovered hosts contain no cookies that a browser would omit, and store no cookies")
        func bareHosts() async throws {
            let plain = try await run("plain", cookies: Self.cookies, Self.requests)
            let scheme = try await run("scheme", cookies: Self.cookies, Self.requests)
            // Of the cookies of other sites, the plain engine sends those with `SameSite=None`. The scheme mode sends
            // no cookies of other sites.
            let report = { (report: Report) in try #require(report.results.first).leaves() }
            #expect(try report(plain)["/bare.example"] == "none=1")
            #expect(try report(scheme)["/bare.example"] == "none")
            // Within the site, cookies are sent and stored. For the plain engine, names below `.example` are not sites,
            // so it stores no new cookies here.
            #expect(try report(plain)["/api.shop.example"] == "lax=1 none=1 strict=1")
            #expect(
                try report(scheme)["/api.shop.example"] == "lax=1 newLax=1 newNone=1 newStrict=1 none=1 strict=1")
            let sent = { (report: Report, path: String) in report.log.last { $0.url == "https:/\(path)" } }
            for (name, isWhole) in [
                ("image", true), ("script", true), ("beacon", true), ("worker", true), ("within", true),
                // The content rules cannot identify the requester of a frame's document.
                ("frame", false), ("form", false),
            ] {
                let request = try #require(sent(scheme, "api.shop.example/\(name)"), "\(name)")
                #expect((request.cookie?.contains("strict=1") ?? false) == isWhole, "\(name)")
            }
            for request in scheme.log where request.url.hasPrefix("https:/bare.example/") {
                #expect(request.cookie == nil, "\(request)")
            }
            for name in ["attack-image", "attack-first", "attack-form"] {
                let request = try #require(sent(scheme, "api.shop.example/\(name)"), "\(name)")
                #expect(request.cookie == nil, "\(request)")
                let over = try #require(sent(plain, "api.shop.example/\(name)"), "\(name)")
                #expect(over.cookie?.contains("strict=1") != true && over.cookie?.contains("lax=1") != true)
            }
        }

        // MARK: Cookies of the page's own site for a covered frame of another site

        private static let framed = """
            const site = S + 'www.shop.example';
            const echo = async (name, more) => (await (await fetch('/' + name + answer({ echo: true }), more)).text())
                .split('; ').sort().join(' ');
            const out = { before: await echo('before') };
            await element('img', 'src', '/before-image');
            const body = `
                <img src="${site}/attack-image"><link rel=stylesheet href="${site}/attack-style">
                <img src="/redirect${answer({ status: 302, fields: [['Location', 'https://www.shop.example/attack-moved']] })}">
                <iframe name=inner src="${site}/attack-frame"></iframe>
                <form method=post target=inner action="${site}/attack-form"></form>
                <script>
                    for (const referrerPolicy of ['no-referrer', 'unsafe-url']) {
                        fetch('${site}/attack-' + referrerPolicy,
                            { mode: 'no-cors', credentials: 'include', referrerPolicy });
                    }
                    navigator.sendBeacon('${site}/attack-beacon', 'x');
                    setTimeout(() => document.forms[0].submit(), 500);
                </` + 'script>';
            await element('iframe', 'src', S + 'ad.example/attack' + answer({ body }));
            await wait(2000);
            out.after = await echo('after');
            out.quiet = await echo('quiet', { referrerPolicy: 'no-referrer' });
            const form = document.createElement('form');
            Object.assign(form, { method: 'post', action: '/own-form', target: 'own' });
            const frame = document.createElement('iframe');
            frame.name = 'own';
            document.body.append(frame, form);
            form.submit();
            await wait(500);
            return out;
            """

        @Test("Requests of a foreign frame to the page's site contain no cookies that a browser would omit")
        func foreignFrame() async throws {
            let cookies = [["www.shop.example", "strict", "Strict"], ["www.shop.example", "lax", "Lax"]]
            let plain = try await run("plain", cookies: cookies, Self.framed)
            let scheme = try await run("scheme", cookies: cookies, Self.framed)
            let own = try #require(plain.results.first).leaves()
            #expect(own == ["/before": "lax=1 strict=1", "/after": "lax=1 strict=1", "/quiet": "lax=1 strict=1"])
            #expect(try #require(scheme.results.first).leaves() == own)
            let request = { (report: Report, name: String) in
                try #require(report.log.last { $0.url == "https:/\(name)" }, "\(name)")
            }
            for report in [plain, scheme] {
                for name in ["before-image", "own-form"] {
                    #expect(try request(report, name).cookie?.contains("strict=1") == true, "\(name)")
                }
            }
            // The plain engine treats all names below `.example` as one site.
            for name in ["image", "style", "moved", "frame", "form", "no-referrer", "unsafe-url", "beacon"] {
                #expect(try request(scheme, "attack-\(name)").cookie == nil, "\(name)")
            }
        }

        private static let framedPast = """
            const body = `<meta name=referrer content=no-referrer><iframe src="${S}www.shop.example/attack-frame"></iframe>
                <form target=inner action="${S}www.shop.example/attack-form"></form><iframe name=inner></iframe>
                <img src="${S}www.shop.example/attack-image"><script>document.forms[0].submit()</` + 'script>';
            await element('iframe', 'src', 'https://bare.example/' + answer({ body }));
            await wait(1000);
            await element('img', 'src', '/own-image');
            return 'done';
            """

        @Test("An uncovered frame can load only documents of the page's site, without its SameSite cookies")
        func framePast() async throws {
            let cookies = [["www.shop.example", "strict", "Strict"], ["www.shop.example", "lax", "Lax"]]
            let log = try await run("scheme", cookies: cookies, Self.framedPast).log
            for name in ["attack-frame", "attack-form"] {
                let request = try #require(log.last { $0.url == "https:/\(name)" }, "\(name)")
                #expect(request.cookie == nil, "\(name)")
            }
            #expect(!log.contains { $0.url == "https:/attack-image" })
            let own = try #require(log.last { $0.url == "https:/own-image" })
            #expect(own.cookie?.contains("strict=1") == true)
        }

        // MARK: Cookies by script

        private static let attack = """
            const out = {};
            document.cookie = 'own=1; Secure; Path=/; Domain=shop.example';
            // The frame of another site fills the window of its own empty frame, looks for the token and uses it.
            const look = `
                const inner = document.createElement('iframe');
                document.body.append(inner);
                const world = inner.contentWindow;
                const seen = new Set();
                const keep = (value) => {
                    for (const text of String(value).match(/[0-9a-f]{32}/g) ?? []) seen.add(text);
                };
                world.prompt = (text) => { keep(text); return null };
                world.Object.defineProperty(world.Object.prototype, 'token', {
                    configurable: true, set(value) { keep(value) }, get() {} });
                const apply = world.Reflect.apply;
                world.Reflect.apply = (f, self, args) => {
                    for (const one of args ?? []) keep(one); return apply(f, self, args) };
                const assign = world.encodeURIComponent;
                world.encodeURIComponent = (text) => { keep(text); return assign(text) };
                inner.onload = () => setTimeout(() => {
                    try { world.document.cookie } catch {}
                    const answers = [];
                    for (const token of seen) {
                        for (const host of ['www.shop.example', 'shop.example']) {
                            const ask = (values) => prompt(token + ' ' + encodeURIComponent(JSON.stringify({
                                place: 'containerkit://' + host + '/', ...values })));
                            answers.push(ask({ ask: 'cookies' }));
                            ask({ ask: 'setCookie', text: 'planted=1; Secure; Path=/; SameSite=None' });
                        }
                    }
                    top.postMessage({ name: 'attack', value: { seen: seen.size, answers } }, '*');
                }, 300);
                inner.src = '/empty';`;
            const frame = document.createElement('iframe');
            frame.src = S + 'ad.example/attack' + answer({ body: '<body><script>' + look + '</' + 'script>' });
            const attacked = told('attack');
            document.body.append(frame);
            const found = await Promise.race([attacked, wait(5000)]);
            out.answers = JSON.stringify(found ?? {});
            out.after = document.cookie;
            // Frames of the site, with and without URLs of their own.
            const read = `<script>parent.postMessage({ name: NAME, value: document.cookie }, '*')</` + 'script>';
            const inFrame = async (name, place) => {
                const value = told(name);
                const frame = document.createElement('iframe');
                place(frame, read.replace('NAME', `'${name}'`));
                document.body.append(frame);
                return Promise.race([value, wait(3000)]);
            };
            out.sub = await inFrame('sub', (frame, body) => frame.src = S + 'shop.example/sub' + answer({ body }));
            out.same = await inFrame('same', (frame, body) => frame.src = '/same' + answer({ body }));
            out.srcdoc = await inFrame('srcdoc', (frame, body) => frame.srcdoc = body);
            out.blob = await inFrame('blob', (frame, body) =>
                frame.src = URL.createObjectURL(new Blob([body], { type: 'text/html' })));
            const blank = document.createElement('iframe');
            document.body.append(blank);
            out.blank = blank.contentDocument.cookie;
            blank.contentDocument.cookie = 'blank=1; Secure; Path=/';
            out.set = document.cookie.split('; ').sort().join(' ');
            const sandboxed = `<script>let value; try { value = document.cookie } catch (error) { value = error.name }
                parent.postMessage({ name: 'sandboxed', value }, '*')</` + 'script>';
            out.sandboxed = await inFrame('sandboxed', (frame) => {
                frame.sandbox = 'allow-scripts allow-modals';
                frame.src = '/sandboxed' + answer({ body: sandboxed });
            });
            // Attempts to bypass the isolation between origins of one site and between sites.
            const relaxed = `<script>let value; try { document.domain = 'shop.example'; value = 'set' }
                catch (error) { value = error.name }
                parent.postMessage({ name: 'domain', value }, '*')</` + 'script>';
            out.domain = await inFrame('domain',
                (frame) => frame.src = S + 'shop.example/domain' + answer({ body: relaxed }));
            try { document.domain = 'shop.example'; out.ownDomain = 'set' } catch (error) { out.ownDomain = error.name }
            const reach = [...document.querySelectorAll('iframe')].find((frame) => frame.src.includes('/domain'));
            try { out.reach = typeof reach.contentWindow.document.cookie } catch (error) { out.reach = error.name }
            const access = `<script>(async () => {
                let value = [];
                try { value.push(await document.hasStorageAccess()) } catch (error) { value.push(error.name) }
                try { await document.requestStorageAccess(); value.push('granted') }
                    catch (error) { value.push('denied') }
                value.push(document.cookie);
                parent.postMessage({ name: 'access', value: JSON.stringify(value) }, '*') })()</` + 'script>';
            out.access = await inFrame('access',
                (frame) => frame.src = S + 'ad.example/access' + answer({ body: access }));
            return out;
            """

        @Test(
            "A foreign frame neither reads nor sets cookies of the page's site, even with the values that it finds in its window"
        )
        func scripts() async throws {
            let plain = try #require(try await run("plain", Self.page, Self.attack).results.first).leaves()
            let scheme = try #require(
                try await run("scheme", Self.page, cookies: [["ad.example", "lax", "Lax"]], Self.attack).results.first
            ).leaves()
            for (place, value) in plain where !["/answers", "/sandboxed", "/access"].contains(place) {
                #expect(scheme[place] == value, "\(place): \(scheme[place] ?? "nothing"), plain: \(value)")
            }
            // For documents of custom schemes, the engine may report storage access (docs/differences.md). A request
            // for it is still denied, and the frame has no cookies.
            #expect(plain["/access"]?.hasSuffix(#","denied",""]"#) == true)
            #expect(scheme["/access"]?.hasSuffix(#","denied",""]"#) == true)
            // The engine treats documents of custom schemes as cookie-averse, whatever their origin is.
            #expect(plain["/sandboxed"] == "SecurityError" && scheme["/sandboxed"] == "")
            // The messages of the attack received no response with a cookie.
            let answers = try #require(scheme["/answers"])
            #expect(!answers.contains("own=1"), "\(answers)")
            #expect(scheme["/after"] == "own=1")
        }
    }
}
