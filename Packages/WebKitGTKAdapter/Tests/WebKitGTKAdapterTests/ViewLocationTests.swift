// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import Testing

    @testable import WebKitGTKAdapter

    /// Tests with event sequences that were observed in the engine.
    @Suite("View location", .timeLimit(.minutes(1)))
    struct ViewLocationTests {
        private var location = ViewLocation()

        private mutating func check(
            _ url: String, isCancelled: Bool = false, isStale expected: Bool,
            at place: SourceLocation = #_sourceLocation
        ) {
            let isStale = location.fail(url, isCancelled: isCancelled)
            #expect(isStale == expected, sourceLocation: place)
        }

        @Test("The document URL is that of the committed document, not of the navigation in progress")
        mutating func committed() {
            location.recordLoad(for: "a://h/1")
            #expect(location.documentURL.isEmpty && location.isLoadWaiting)
            location.start()
            #expect(location.documentURL.isEmpty && location.isNavigating && !location.isLoadWaiting)
            #expect(location.commit(url: "a://h/1", mainResource: "a://h/1") == .document(url: "a://h/1"))
            location.recordLoad(for: "a://bank/")
            location.start()
            #expect(location.documentURL == "a://h/1")
            check("a://bank/", isStale: false)
            #expect(location.documentURL == "a://h/1" && !location.isNavigating)
        }

        @Test("While the host's load waits, a commit of the earlier page does not get the URL of that load")
        mutating func overtaken() {
            location.start()
            location.recordLoad(for: "a://bank/")
            #expect(location.commit(url: "a://bank/", mainResource: "a://evil/") == .document(url: "a://evil/"))
            #expect(location.commit(url: "a://bank/", mainResource: nil) == .document(url: "about:blank"))
            #expect(location.documentURL == "about:blank" && location.isLoadWaiting)
            location.start()
            #expect(location.commit(url: "a://bank/", mainResource: "a://bank/") == .document(url: "a://bank/"))
        }

        @Test("A failure of an earlier load does not end the waiting load")
        mutating func stale() {
            location.recordLoad(for: "a://h/1")
            location.start()
            location.recordLoad(for: "a://h/2")
            // The load may have been redirected to another URL.
            check("a://elsewhere/", isStale: true)
            check("a://h/2", isStale: false)
            location.recordLoad(for: "a://h/1")
            location.start()
            _ = location.commit(url: "a://h/1", mainResource: "a://h/1")
            location.recordLoad(for: "a://h/3")
            // A failure of the committed document.
            check("a://h/1", isStale: true)
            // A failure before the start, with the URL in the engine's form.
            check("a://h/3/", isStale: false)
        }

        @Test("The start and end of an overtaken load are not attributed to the current load")
        mutating func begunLate() {
            location.recordLoad(for: "a://h/1")
            location.recordLoad(for: "a://h/2")
            // The engine reports the start of the first load.
            location.start()
            check("a://h/1", isCancelled: true, isStale: true)
            #expect(location.isLoadWaiting && !location.isNavigating)
            location.start()
            // The host stops the load after a redirect.
            check("a://h/1", isCancelled: true, isStale: false)
            location.recordLoad(for: "a://h/1")
            location.recordLoad(for: "a://h/2")
            location.start()
            #expect(location.commit(url: "a://h/2", mainResource: "a://h/2") == .document(url: "a://h/2"))
            check("a://h/1", isCancelled: true, isStale: false)
            // A URL that was overtaken once can be requested again.
            location.recordLoad(for: "a://h/1")
            location.recordLoad(for: "a://h/2")
            location.start()
            location.recordLoad(for: "a://h/1")
            check("a://h/2", isCancelled: true, isStale: true)
            location.start()
            check("a://h/1", isCancelled: true, isStale: false)
            // A stop is reported, even if the same URL was requested twice.
            location.recordLoad(for: "a://h/1")
            location.recordLoad(for: "a://h/1")
            location.start()
            #expect(location.cancelLoad() == nil)
            check("a://h/1", isCancelled: true, isStale: false)
        }

        @Test("A blank page in place of the requested URL is a refusal; a requested blank page is not")
        mutating func refused() {
            location.recordLoad(for: "http://h:25/")
            location.start()
            #expect(location.commit(url: "about:blank", mainResource: nil) == .refusal(of: "http://h:25/"))
            #expect(location.documentURL == "about:blank")
            // The page itself navigates to a blank page.
            location.start()
            #expect(location.commit(url: "about:blank", mainResource: nil) == .document(url: "about:blank"))
            location.recordLoad(for: "ABOUT:blank")
            location.start()
            #expect(location.commit(url: "about:blank", mainResource: nil) == .document(url: "about:blank"))
        }

        @Test("A load is one of the host from its request to its commit, and all later navigations are the page's")
        mutating func loadOfHost() {
            #expect(!location.isLoadOfHost)
            location.recordLoad(for: "a://h/1")
            #expect(location.isLoadOfHost)
            location.start()
            #expect(location.isLoadOfHost)
            _ = location.commit(url: "a://h/1", mainResource: "a://h/1")
            // The load continues after the commit: stopping it is no failure.
            #expect(!location.isLoadOfHost)
            check("a://h/1", isCancelled: true, isStale: false)
            // A navigation of the page.
            location.start()
            #expect(!location.isLoadOfHost)
            check("a://h/2", isCancelled: true, isStale: false)
            #expect(!location.isNavigating && location.documentURL == "a://h/1")
            // A load of the host that ends before its commit.
            location.recordLoad(for: "a://h/3")
            location.start()
            #expect(location.isLoadOfHost)
            check("a://h/3", isCancelled: true, isStale: false)
            #expect(!location.isLoadOfHost)
        }

        @Test("A load that is stopped before the engine begins it is forgotten")
        mutating func givenUp() {
            #expect(location.cancelLoad() == nil)
            location.recordLoad(for: "a://h/1")
            #expect(location.cancelLoad() == "a://h/1" && !location.isLoadWaiting)
            location.start()
            #expect(location.cancelLoad() == nil)
            #expect(location.commit(url: "about:blank", mainResource: nil) == .document(url: "about:blank"))
        }

        @Test("A request is for the document during its navigation, regardless of the fragment")
        mutating func documents() {
            location.recordLoad(for: "a://h/1#x")
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
