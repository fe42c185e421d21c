// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import WebEngine

#if os(Linux)
    import CWebKitGTK
    import Testing

    @testable import WebKitGTKAdapter

    /// Resources of the engine, made and let go by the test.
    @MainActor
    @Suite("Watch of a resource", .timeLimit(.minutes(1)))
    struct ResourceWatchTests {
        /// What a report holds on to.
        private final class Token {}

        private func makeResource() throws -> gpointer {
            try #require(g_object_new_with_properties(webkit_web_resource_get_type(), 0, nil, nil)).withMemoryRebound(
                to: GObject.self, capacity: 1
            ) { gpointer($0) }
        }

        @Test("A resource that never ends takes its watch with it")
        func unfinished() throws {
            let resource = try makeResource()
            var token: Token? = Token()
            weak let held = token
            ResourceWatch.start(resource) { [token] _ in
                Issue.record("reported")
                _ = token
            }
            token = nil
            #expect(held != nil)
            g_object_unref(resource)
            #expect(held == nil)
        }

        @Test("A resource that ends is reported once, and its watch goes with it")
        func finished() throws {
            let resource = try makeResource()
            var token: Token? = Token()
            weak let held = token
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
