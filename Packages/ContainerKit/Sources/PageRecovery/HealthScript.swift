// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebEngine

/// The script that examines a page. It runs in an isolated world, so that the page shares no names with it, receives
/// none of its messages and cannot intercept its events.
///
/// The script sends a message and waits for the reply, which may take long. It performs the action of the reply and
/// sends the next message.
enum HealthScript {
    /// The name of the isolated world and of its message handler.
    static let name = "containerkit-health"
    static let world = ScriptWorld.isolated(name: name)

    /// The reply to a message of the script.
    enum Reply: String {
        /// Examine the page and send the result.
        case examine = "\"look\""
        /// Send a message when the user retries on the error page.
        case watchRetry = "\"retry\""
        /// Send no more messages that wait for a reply.
        case end = "null"
    }

    /// A message of the script.
    struct Message: Decodable {
        /// The random identifier of the script in one document.
        var from: String?
        /// The result of an examination.
        var look: ProbeResult?
        var retry: Bool?
        /// A Boolean value that indicates whether the page painted something for the first time.
        var painted: Bool?
        /// A Boolean value that indicates whether the user typed or pressed something before the first paint.
        var used: Bool?
        /// A Boolean value that indicates whether the page is visible.
        var visible: Bool?
        /// A Boolean value that indicates whether the message is a notification, which needs no reply.
        var news: Bool?

        var isNotification: Bool { news == true }
    }

    /// Decodes a message; returns `nil` if it is not a message of the script.
    static func message(_ json: String) -> Message? {
        try? JSONDecoder().decode(Message.self, from: Data(json.utf8))
    }

    static let script = UserScript(source, at: .documentStart, in: world, inAllFrames: false)

    /// The source of the script.
    ///
    /// The script ignores the failure of an `async` script, because a page works without it; scripts that a script
    /// inserts are `async`. It also ignores the failure of a style sheet that does not block rendering: an alternate,
    /// disabled or print style sheet.
    ///
    /// It ignores errors without a file, which come from scripts of another origin and have no details. It ignores
    /// rejected promises, because pages continue after them.
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
            // `document.open()` removes the listeners.
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
                    const reply = await post(message);
                    if (reply === 'look') message = look();
                    else if (reply === 'retry') message = await hearRetry();
                    else return;
                }
            })().catch(() => {});
        })()
        """
}
