// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

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
        case hearRetry = "\"retry\""
        /// Nothing more.
        case end = "null"
    }

    /// What the script says.
    struct Message: Decodable {
        var look: Look?
        var retry: Bool?
        /// Something was painted for the first time.
        var painted: Bool?
        /// A page that was hidden when it was looked at is shown.
        var shown: Bool?
    }

    struct Look: Decodable {
        var html: Bool
        var hidden: Bool
        var used: Bool
        var painted: Bool
        var empty: Bool
        var scripts: Bool
        var background: Bool
        var errors: [String]
        var failed: [String]

        var examination: PageExamination {
            PageExamination(
                isHTML: html, isHidden: hidden, isUsed: used, isPainted: painted, isEmpty: empty, hasScripts: scripts,
                hasBackground: background, bootErrors: errors, failedResources: failed)
        }
    }

    static func message(_ json: String) -> Message? {
        try? JSONDecoder().decode(Message.self, from: Data(json.utf8))
    }

    static let script = UserScript(source, at: .documentStart, in: world, inAllFrames: false)

    /// A script that is `async`, as those are that a script inserts, may be missed: what counts people is such a one.
    ///
    /// A rejection's reason is not read: to turn it into text would run what the page has written.
    private static let source = """
        (() => {
            const errors = [], failed = [];
            let used = false, wasHidden = false;
            const post = message => webkit.messageHandlers['\(name)'].postMessage(message);
            const note = (list, text) => { if (list.length < 4) list.push(String(text ?? '').slice(0, 256)); };
            addEventListener('error', event => {
                const from = event.target;
                if (from === window || !from) {
                    if (!String(event.filename ?? '').startsWith('user-script:')) note(errors, event.message);
                } else if (from.localName === 'script') {
                    if (!from.async) note(failed, from.src);
                } else if (from.localName === 'link' && /(^|\\s)stylesheet(\\s|$)/i.test(from.rel)) {
                    note(failed, from.href);
                }
            }, true);
            addEventListener('unhandledrejection', () => note(errors, 'a promise was rejected'), true);
            for (const type of ['keydown', 'pointerdown', 'input'])
                addEventListener(type, event => { used ||= event.isTrusted; }, { capture: true, passive: true });
            try {
                const observer = new PerformanceObserver(() => {
                    observer.disconnect();
                    post({ painted: true }).catch(() => {});
                });
                observer.observe({ type: 'paint', buffered: true });
            } catch {}
            const tellWhenShown = () => document.addEventListener('visibilitychange', () => {
                wasHidden = false;
                post({ shown: true }).catch(() => {});
            }, { once: true });
            const look = () => {
                if (document.hidden && !wasHidden) {
                    wasHidden = true;
                    tellWhenShown();
                }
                const root = document.documentElement, body = document.body, head = document.head;
                const isBare = element => !element || !element.attributes.length;
                return { look: {
                    html: /^(text\\/html|application\\/xhtml\\+xml)$/.test(document.contentType),
                    hidden: document.hidden, used,
                    painted: performance.getEntriesByType('paint').length > 0,
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
                let message = {};
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
