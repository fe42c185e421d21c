// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Glibc

    /// A compiler and cache of content rule lists. The compilation of a list takes about a millisecond.
    ///
    /// The engine writes each compiled list to a file and maps the file. The file is removed immediately, so that it
    /// does not outlive the process.
    ///
    /// Isolation: the main actor.
    @MainActor
    final class ContentRuleStore {
        /// A compiled list.
        struct Compiled {
            let filter: OpaquePointer
            let id: String
        }

        private var compiled: [String: Compiled] = [:]
        private var count = 0

        /// The maximum number of cached lists. Views have their own references to their lists.
        private static let limit = 64

        /// Returns the compiled form of a rule list.
        /// - Throws: `EngineError` with code `storage` if the engine rejects the rules or cannot write them.
        func list(of json: String) async throws -> Compiled {
            if let known = compiled[json] { return known }
            count += 1
            let id = "containerkit-\(count)"
            let filter = try await Self.compile(json, as: id)
            if compiled.count >= Self.limit { removeAll() }
            let list = Compiled(filter: filter, id: id)
            // If two concurrent calls compile the same rules, the later result replaces the earlier one.
            if let other = compiled.updateValue(list, forKey: json) { webkit_user_content_filter_unref(other.filter) }
            return list
        }

        private static func compile(_ json: String, as id: String) async throws -> OpaquePointer {
            var error: UnsafeMutablePointer<GError>?
            // GLib replaces the characters `XXXXXX`.
            guard let folder = g_dir_make_tmp("containerkit-rules-XXXXXX", &error) else {
                throw EngineError(.storage, error.map(message(of:)) ?? "cannot create a folder for content rules")
            }
            defer {
                remove(folder)
                g_free(folder)
            }
            guard let store = webkit_user_content_filter_store_new(folder) else {
                throw EngineError(.storage, "cannot open a store for content rules")
            }
            defer { g_object_unref(gpointer(store)) }
            let bytes = json.withCString { g_bytes_new($0, gsize(strlen($0))) }
            defer { g_bytes_unref(bytes) }
            let address = try await GLibAsync.call(keeping: [gpointer(store)]) { callback, data in
                webkit_user_content_filter_store_save(store, id, bytes, nil, callback, data)
            } finish: { result in
                var error: UnsafeMutablePointer<GError>?
                let filter = webkit_user_content_filter_store_save_finish(store, result, &error)
                if let error { throw EngineError(.storage, message(of: error)) }
                return Int(bitPattern: filter)
            }
            guard let filter = OpaquePointer(bitPattern: address) else {
                throw EngineError(.storage, "no content rules were compiled")
            }
            return filter
        }

        /// Removes a folder and the files in it.
        private static func remove(_ folder: UnsafeMutablePointer<CChar>) {
            if let directory = g_dir_open(folder, 0, nil) {
                while let name = g_dir_read_name(directory) {
                    unlink("\(String(cString: folder))/\(String(cString: name))")
                }
                g_dir_close(directory)
            }
            rmdir(folder)
        }

        private func removeAll() {
            for list in compiled.values { webkit_user_content_filter_unref(list.filter) }
            compiled.removeAll()
        }

        isolated deinit {
            removeAll()
        }
    }

    extension WebKitGTKView {
        /// Applies content rules to the requests of the view's pages, in place of earlier rules.
        /// - Throws: `EngineError` with code `storage` if the engine rejects the rules; the earlier rules then remain.
        ///   After the end of the view the code is `processEnded`.
        public func setContentRules(_ json: String) async throws {
            guard !isDiscarded else { throw Self.viewEnded }
            let list = try await contentRules.list(of: json)
            guard !isDiscarded else { throw Self.viewEnded }
            guard list.id != contentRuleID else { return }
            webkit_user_content_manager_add_filter(contentManager, list.filter)
            // The old rules are removed last, so that no request of a page passes without rules.
            if let contentRuleID { webkit_user_content_manager_remove_filter_by_id(contentManager, contentRuleID) }
            contentRuleID = list.id
        }
    }
#endif
