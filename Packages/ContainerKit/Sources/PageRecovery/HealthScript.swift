// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebEngine

/// What looks at a page from within, in a world of its own: the page has none of its names, hears nothing of it, and
/// cannot keep from it what it hears.
///
/// It asks what to do by a message, whose reply may wait for long, does it, and asks again.
enum HealthScript {
    /// Of the world, and of the message's handler in it.
    static let name = "containerkit-health"
    static let world = ScriptWorld.isolated(name: name)

    /// What the script is told.
    enum Reply: String {
        /// Look, and tell.
        case look = "\"look\""
        /// Hear when someone presses what tries again.
        case watchRetry = "\"retry\""
        /// Nothing more.
        case end = "null"
    }

    /// What the script says.
    struct Message: Decodable {
        /// A name that the script of one document has given itself.
        var from: String?
        var look: Look?
        var retry: Bool?
        /// Something was painted for the first time.
        var painted: Bool?
        /// Someone has typed or pressed something, before anything was painted.
        var used: Bool?
        /// Whether the page is in sight.
        var visible: Bool?
        /// Whether it tells something, and does not ask what to do.
        var news: Bool?

        var isNotification: Bool { news == true }
    }

    struct Look: Decodable {
        var html: Bool
        var hidden: Bool
        var used: Bool
        var painted: Bool
        var empty: Bool
        var scripts: Bool
        var background: Bool
        var errors: [ScriptFailure]
        var failed: [String]

        var result: ProbeResult {
            ProbeResult(
                isHTML: html, isHidden: hidden, isUsed: used, isPainted: painted, isEmpty: empty, hasScripts: scripts,
                hasBackground: background, bootErrors: errors, failedResources: failed)
        }
    }

    static func message(_ json: String) -> Message? {
        try? JSONDecoder().decode(Message.self, from: Data(json.utf8))
    }

    static let script = UserScript(source, at: .documentStart, in: world, inAllFrames: false)

    /// A script that is `async`, as those are that a script inserts, may be missed: what counts people is such a one.
    /// So may a style sheet that nothing waits for: an alternate one, one for print, one that is disabled.
    ///
    /// Errors without a file are those of another site's script, which say nothing. What a promise is rejected with, a
    /// page goes on after as it likes.
    private static let source = """
        (() => {
            const from = String(Math.random()), errors = [], failed = [];
            let used = false;
            const post = message => webkit.messageHandlers['\(name)'].postMessage({ ...message, from });
            const tell = message => void post({ ...message, news: true }).catch(() => {});
            const clip = text => String(text ?? '').slice(0, 1024);
            const note = (list, item, isSame) => { if (list.length < 32 && !list.some(isSame)) list.push(item); };
            const hasPainted = () => performance.getEntriesByType('paint').length > 0;
            const isPending = link => /(^|\\s)stylesheet(\\s|$)/i.test(link.rel)
                && !/(^|\\s)alternate(\\s|$)/i.test(link.rel) && !link.disabled && matchMedia(link.media).matches;
            const noteFailed = url => note(failed, url, other => other === url);
            const hearError = event => {
                if (!event.isTrusted) return;
                const source = event.target;
                if (source === window || !source) {
                    const file = clip(event.filename);
                    if (file && !file.startsWith('user-script:'))
                        note(errors, { text: clip(event.message), file }, other => other.file === file);
                } else if (source.localName === 'script') {
                    if (!source.async) noteFailed(clip(source.src));
                } else if (source.localName === 'link' && isPending(source)) {
                    noteFailed(clip(source.href));
                }
            };
            const hearUse = event => {
                if (used || !event.isTrusted) return;
                used = true;
                if (!hasPainted()) tell({ used });
            };
            const tellSight = () => tell({ visible: !document.hidden });
            // A document that was opened anew has lost its listeners.
            const listen = () => {
                addEventListener('error', hearError, true);
                for (const type of ['keydown', 'pointerdown', 'input'])
                    addEventListener(type, hearUse, { capture: true, passive: true });
                document.addEventListener('visibilitychange', tellSight);
            };
            listen();
            try {
                const observer = new PerformanceObserver(() => {
                    observer.disconnect();
                    document.removeEventListener('visibilitychange', tellSight);
                    tell({ painted: true });
                });
                observer.observe({ type: 'paint', buffered: true });
            } catch {}
            const look = () => {
                listen();
                const root = document.documentElement, body = document.body, head = document.head;
                const isBare = element => !element || !element.attributes.length;
                return { look: {
                    html: /^(text\\/html|application\\/xhtml\\+xml)$/.test(document.contentType),
                    hidden: document.hidden, used,
                    painted: hasPainted(),
                    empty: isBare(root) && isBare(body) && !head?.childElementCount && !body?.childElementCount
                        && !root?.textContent.trim(),
                    scripts: document.scripts.length > 0,
                    background: [root, body].some(element => {
                        const style = element && getComputedStyle(element);
                        return style && (style.backgroundImage !== 'none'
                            || !['rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)'].includes(style.backgroundColor));
                    }),
                    errors, failed,
                } };
            };
            const hearRetry = () => new Promise(done => {
                const link = document.getElementById('\(ErrorPage.retryID)');
                link?.addEventListener('click', event => {
                    event.preventDefault();
                    done({ retry: true });
                });
                link?.setAttribute('data-heard', '');
            });
            (async () => {
                let message = { visible: !document.hidden };
                for (;;) {
                    const wish = await post(message);
                    if (wish === 'look') message = look();
                    else if (wish === 'retry') message = await hearRetry();
                    else return;
                }
            })().catch(() => {});
        })()
        """
}
