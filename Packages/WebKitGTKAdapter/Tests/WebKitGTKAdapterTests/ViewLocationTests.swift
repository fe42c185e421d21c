// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import Testing

    @testable import WebKitGTKAdapter

    /// Where a view is, concluded from what engines were seen to say.
    @Suite("Location of a view", .timeLimit(.minutes(1)))
    struct ViewLocationTests {
        private var location = ViewLocation()

        private mutating func check(
            _ url: String, isCancelled: Bool = false, isStale expected: Bool,
            at place: SourceLocation = #_sourceLocation
        ) {
            let isStale = location.fail(url, isCancelled: isCancelled)
            #expect(isStale == expected, sourceLocation: place)
        }

        @Test("The URL is that of the document that is there, not of the one on its way")
        mutating func committed() {
            location.ask(for: "a://h/1")
            #expect(location.documentURL.isEmpty && location.isLoadWaiting)
            location.start()
            #expect(location.documentURL.isEmpty && location.isNavigating && !location.isLoadWaiting)
            #expect(location.commit(url: "a://h/1", mainResource: "a://h/1") == .document(url: "a://h/1"))
            location.ask(for: "a://bank/")
            location.start()
            #expect(location.documentURL == "a://h/1")
            check("a://bank/", isStale: false)
            #expect(location.documentURL == "a://h/1" && !location.isNavigating)
        }

        @Test("A commit of the page before, while the host's load waits, is not labelled with what the host asked for")
        mutating func overtaken() {
            location.start()
            location.ask(for: "a://bank/")
            #expect(location.commit(url: "a://bank/", mainResource: "a://evil/") == .document(url: "a://evil/"))
            #expect(location.commit(url: "a://bank/", mainResource: nil) == .document(url: "about:blank"))
            #expect(location.documentURL == "about:blank" && location.isLoadWaiting)
            location.start()
            #expect(location.commit(url: "a://bank/", mainResource: "a://bank/") == .document(url: "a://bank/"))
        }

        @Test("A failure of what the host has given up for a load that waits is not that load's")
        mutating func stale() {
            location.ask(for: "a://h/1")
            location.start()
            location.ask(for: "a://h/2")
            // Where it led to by a redirect, perhaps.
            check("a://elsewhere/", isStale: true)
            check("a://h/2", isStale: false)
            location.ask(for: "a://h/1")
            location.start()
            _ = location.commit(url: "a://h/1", mainResource: "a://h/1")
            location.ask(for: "a://h/3")
            // The rest of a document that is there.
            check("a://h/1", isStale: true)
            // Before the engine begins with it, as the engine writes it.
            check("a://h/3/", isStale: false)
        }

        @Test("A load that began when the host had asked for another one is not that one, and its end not that one's")
        mutating func begunLate() {
            location.ask(for: "a://h/1")
            location.ask(for: "a://h/2")
            // The engine had been about to say so of the first.
            location.start()
            check("a://h/1", isCancelled: true, isStale: true)
            #expect(location.isLoadWaiting && !location.isNavigating)
            location.start()
            // Stopped by the host, where a redirect led.
            check("a://h/1", isCancelled: true, isStale: false)
            location.ask(for: "a://h/1")
            location.ask(for: "a://h/2")
            location.start()
            #expect(location.commit(url: "a://h/2", mainResource: "a://h/2") == .document(url: "a://h/2"))
            check("a://h/1", isCancelled: true, isStale: false)
            // And back again: what was overtaken once is not for ever.
            location.ask(for: "a://h/1")
            location.ask(for: "a://h/2")
            location.start()
            location.ask(for: "a://h/1")
            check("a://h/2", isCancelled: true, isStale: true)
            location.start()
            check("a://h/1", isCancelled: true, isStale: false)
            // A stop is told of, even where the same was asked for twice.
            location.ask(for: "a://h/1")
            location.ask(for: "a://h/1")
            location.start()
            #expect(location.giveUp() == nil)
            check("a://h/1", isCancelled: true, isStale: false)
        }

        @Test("A blank page in place of what was asked for is a refusal, and one that was asked for is not")
        mutating func refused() {
            location.ask(for: "http://h:25/")
            location.start()
            #expect(location.commit(url: "about:blank", mainResource: nil) == .refusal(of: "http://h:25/"))
            #expect(location.documentURL == "about:blank")
            // The page's own way to a blank page.
            location.start()
            #expect(location.commit(url: "about:blank", mainResource: nil) == .document(url: "about:blank"))
            location.ask(for: "ABOUT:blank")
            location.start()
            #expect(location.commit(url: "about:blank", mainResource: nil) == .document(url: "about:blank"))
        }

        @Test("A load that is given up before the engine began is nobody's any more")
        mutating func givenUp() {
            #expect(location.giveUp() == nil)
            location.ask(for: "a://h/1")
            #expect(location.giveUp() == "a://h/1" && !location.isLoadWaiting)
            location.start()
            #expect(location.giveUp() == nil)
            #expect(location.commit(url: "about:blank", mainResource: nil) == .document(url: "about:blank"))
        }

        @Test("A request is for the document while that is on its way, whatever its fragment")
        mutating func documents() {
            location.ask(for: "a://h/1#x")
            #expect(!location.isDocument("a://h/1", mainResource: "a://h/1"))
            location.start()
            #expect(location.isDocument("a://h/1", mainResource: "a://h/1#x"))
            #expect(!location.isDocument("a://h/2", mainResource: "a://h/1"))
            #expect(!location.isDocument("a://h/1", mainResource: nil))
            _ = location.commit(url: "a://h/1#x", mainResource: "a://h/1#x")
            #expect(!location.isDocument("a://h/1", mainResource: "a://h/1#x"))
        }
    }
#endif
