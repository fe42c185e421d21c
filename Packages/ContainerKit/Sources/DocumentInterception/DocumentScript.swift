// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
@_spi(Facade) internal import SchemeMode

/// The script of a document in the mode `document`. It sends the GET requests that scripts make for held resources to
/// the custom scheme: by `fetch` and `XMLHttpRequest`, and by the elements `<script>`, `<img>` and `<link>`. All other
/// requests are the engine's own: other methods, bodies, `no-cors`, header fields that require a preflight.
///
/// Pages see the real URLs: in `src` and `href`, `Response.url` and `XMLHttpRequest.responseURL`. The script also gives
/// the document its referrer, which an engine does not know for a document that it receives as text.
enum DocumentScript {
    private struct Values: Encodable {
        let page: String
        let schemes: [String: String]
        let hashes: [String: String]
        let folders: [String]
        let imports: [String: String]?
        let referrer: String?
    }

    /// Returns the script.
    /// - Parameters:
    ///   - page: the URL of the document.
    ///   - held: the held URLs.
    ///   - places: the URLs of the folders below which modules are imported from the custom scheme; empty if the
    ///     document has an import map of its own, because engines may support one map only.
    ///   - names: the custom schemes.
    ///   - referrer: the `Referer` of the document's request; `nil` if there was none.
    static func source(
        of page: String, held: HeldPaths, importing places: [String], names: SchemeNames, referrer: String?
    ) -> String {
        let imports = Dictionary(places.compactMap { place in names.name(of: place).map { (place, $0) } }) { $1 }
        let values = Values(
            page: String(page.prefix { $0 != "#" }),
            schemes: ["https:": names.secure, "http:": names.insecure], hashes: held.hashes, folders: held.folders,
            imports: imports.isEmpty ? nil : imports, referrer: referrer)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A dictionary of strings can always be encoded.
        let json = (try? encoder.encode(values)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        return "(\(code))(\(json));"
    }

    /// The function without the indentation and comments of its source; at most 4,096 bytes.
    static let code = written.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("//") }
        .joined(separator: "\n")

    private static let written = #"""
        ({ page, schemes, hashes, folders, imports, referrer }) => {
          // The script may also run in a document that the engine has loaded itself.
          const isTop = self === top;
          if (isTop && location.href.split("#")[0] !== page) return;
          const doc = document, { apply, defineProperty } = Reflect;
          // Wraps a method ("value"), a getter ("get") or a setter ("set"). `run` calls the original.
          const wrap = (owner, key, part, call) => {
            const property = Reflect.getOwnPropertyDescriptor(owner, key);
            property[part] = new Proxy(property[part], {
              apply: (f, self, args) => call(self, args, (...args) => apply(f, self, args)) });
            defineProperty(owner, key, property);
          };
          if (isTop && referrer != null)
            wrap(Document.prototype, "referrer", "get", (self, _, run) => self === doc ? referrer : run());
          const origins = Object.keys(hashes);
          if (!(isTop ? origins[0] : origins.includes(origin))) return;

          // Modules with absolute URLs, also of `import()`. The map stays in effect when its element is removed.
          if (imports) {
            const map = Object.assign(doc.createElement("script"), { type: "importmap", text: JSON.stringify({ imports }) });
            doc.documentElement.append(map);
            map.remove();
          }

          // Returns the custom-scheme URL of a held URL, or undefined.
          const sets = {}, encoder = new TextEncoder();
          const held = text => {
            try {
              const url = new URL(text, doc.baseURI), { href, origin, protocol } = url;
              if (!origins.includes(origin)) return;
              sets[origin] ??= new Set(
                new Uint32Array(Uint8Array.from(atob(hashes[origin]), c => c.charCodeAt()).buffer));
              let hash = 0x811c9dc5;
              for (const byte of encoder.encode(decodeURIComponent(url.pathname)))
                hash = Math.imul(hash ^ byte, 0x1000193);
              if (sets[origin].has(hash >>> 0) || folders.some(start => href.startsWith(start)))
                return schemes[protocol] + href.slice(protocol.length - 1);
            } catch {}
          };
          const real = text => {
            for (const scheme in schemes) text = text?.replace(schemes[scheme] + "://", scheme + "//");
            return text;
          };
          // Request fields that need no CORS preflight.
          const areSafe = fields => fields.every(([name, value]) =>
            /^(accept|(accept|content)-language)$/i.test(name) && /^[\w *,.;=/+-]{0,127}$/.test(value));

          const { fetch } = self;
          wrap(self, "fetch", "value", (_, [input, init], run) => {
            try {
              if (/^get$/i.test(init?.method ?? input.method ?? "get") && init?.body == null) {
                const request = new Request(input, init), { mode, signal } = request;
                const url = mode === "cors" && areSafe([...request.headers])
                  && held(request.url);
                if (url) return fetch(url, request).then(
                  response => (defineProperty(response, "url", { value: real(response.url) }), response),
                  error => { if (signal.aborted) throw error; return run(input, init); });
              }
            } catch {}
            return run(input, init);
          });

          const calls = new WeakMap(), XHR = XMLHttpRequest.prototype, { open, setRequestHeader } = XHR;
          wrap(XHR, "open", "value", (self, args, run) => {
            run(...args);
            const [method, url, async = true, user] = args;
            calls.set(self, /^get$/i.test(method) && user == null && [held(url), async, []]);
          });
          wrap(XHR, "setRequestHeader", "value", (self, args, run) => {
            run(...args);
            calls.get(self)?.[2]?.push(args.map(String));
          });
          wrap(XHR, "send", "value", (self, args, run) => {
            const [url, async, fields] = calls.get(self) || [];
            if (url && areSafe(fields)) {
              apply(open, self, ["GET", url, async]);
              fields.map(field => apply(setRequestHeader, self, field));
            }
            run(...args);
          });
          wrap(XHR, "responseURL", "get", (_, __, run) => real(run()));

          // Returns the value for an attribute that loads a resource.
          const value = (element, text) => {
            const { localName, rel, integrity, type } = element;
            const url = typeof text !== "object" && !(localName === "link" && (integrity
              || !/(^|\s)(stylesheet|(module)?preload|icon)(\s|$)/i.test(rel))) && held(text);
            if (url && element.crossOrigin === null && type !== "module") element.crossOrigin = "anonymous";
            return url || text;
          };
          const keys = { script: "src", img: "src", link: "href" };
          for (const tag in keys) {
            const owner = doc.createElement(tag).constructor.prototype;
            wrap(owner, keys[tag], "get", (_, __, run) => real(run()));
            wrap(owner, keys[tag], "set", (self, [text], run) => run(value(self, text)));
          }
          const loads = (element, key) => keys[element.localName] === String(key).toLowerCase();
          wrap(Element.prototype, "setAttribute", "value", (self, args, run) =>
            args.length > 1 && loads(self, args[0]) ? run(args[0], value(self, args[1])) : run(...args));
          wrap(Element.prototype, "getAttribute", "value", (self, args, run) =>
            loads(self, args[0]) ? real(run(...args)) : run(...args));
        }
        """#
}
