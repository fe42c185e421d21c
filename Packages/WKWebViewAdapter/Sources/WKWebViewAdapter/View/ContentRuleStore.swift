// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import WebEngine
    internal import WebKit

    /// A compiler and cache of content rule lists, which the views of an engine share.
    ///
    /// WebKit writes each compiled list to the store of the app, under an identifier. The identifiers are counted from
    /// 1 in each process, so that the files of earlier processes are replaced.
    @MainActor
    final class ContentRuleStore {
        private var compiled: [String: WKContentRuleList] = [:]
        private var count = 0

        /// The maximum number of cached lists. Views retain their own lists.
        private static let limit = 64

        /// Returns the compiled form of a rule list.
        /// - Throws: `EngineError` with code `storage` if WebKit rejects the rules or cannot write them.
        func list(of json: String) async throws -> WKContentRuleList {
            if let known = compiled[json] { return known }
            count += 1
            let list: WKContentRuleList?
            do {
                list = try await WKContentRuleListStore.default().compileContentRuleList(
                    forIdentifier: "containerkit-\(count)", encodedContentRuleList: json)
            } catch {
                let text = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
                throw EngineError(.storage, "the engine rejects the content rules: \(text)")
            }
            guard let list else { throw EngineError(.storage, "no content rules were compiled") }
            if compiled.count >= Self.limit { compiled.removeAll() }
            compiled[json] = list
            return list
        }
    }
#endif
