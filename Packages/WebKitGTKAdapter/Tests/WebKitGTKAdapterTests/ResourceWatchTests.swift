// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import WebEngine

#if os(Linux)
    import CWebKitGTK
    import Testing

    @testable import WebKitGTKAdapter

    /// Tests with engine resources that the test creates and releases.
    @MainActor
    @Suite("Resource watch", .timeLimit(.minutes(1)))
    struct ResourceWatchTests {
        /// An object that the report closure retains.
        private final class Token {}

        private func makeResource() throws -> gpointer {
            try #require(g_object_new_with_properties(webkit_web_resource_get_type(), 0, nil, nil)).withMemoryRebound(
                to: GObject.self, capacity: 1
            ) { gpointer($0) }
        }

        @Test("A watch is released with a resource whose load never ended")
        func unfinished() throws {
            let resource = try makeResource()
            var token: Token? = Token()
            weak var held: Token?
            held = token
            ResourceWatch.start(resource) { [token] _ in
                Issue.record("reported")
                _ = token
            }
            token = nil
            #expect(held != nil)
            g_object_unref(resource)
            #expect(held == nil)
        }

        @Test("A resource that ends is reported once, and its watch is released")
        func finished() throws {
            let resource = try makeResource()
            var token: Token? = Token()
            weak var held: Token?
            held = token
            var reports: [EngineResource] = []
            ResourceWatch.start(resource) { [token] in
                _ = token
                reports.append($0)
            }
            token = nil
            for _ in 0..<2 { emit("finished", of: resource) }
            #expect(reports == [EngineResource(url: "", status: nil, length: nil, failure: nil)])
            #expect(held == nil)
            g_object_unref(resource)
        }

        private func emit(_ signal: String, of resource: gpointer) {
            var value = GValue()
            g_value_init(&value, webkit_web_resource_get_type())
            g_value_set_object(&value, resource)
            g_signal_emitv(&value, g_signal_lookup(signal, webkit_web_resource_get_type()), 0, nil)
            g_value_unset(&value)
        }
    }
#endif
