// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import WebEngine
    internal import WebKit

    /// A compiler and cache of content rule lists, which the views of an engine share.
    ///
    /// WebKit writes each compiled list to the store of the app, under an identifier, and never removes it. The
    /// identifiers are therefore used again: for a list in place of the oldest one, by other engines, and by later
    /// processes. WebKit writes a new file for each list, so that a list in use does not change.
    @MainActor
    final class ContentRuleStore {
        /// The cached lists in the order of their last use.
        private var cached: [(json: String, number: Int, list: WKContentRuleList)] = []
        /// The numbers of identifiers that no cached list has.
        private var free: [Int] = []
        private var lastNumber = 0

        /// The maximum number of cached lists. Views retain their own lists.
        static let limit = 64

        /// Returns the compiled form of a rule list.
        /// - Throws: `EngineError` with code `storage` if WebKit rejects the rules or cannot write them.
        func list(of json: String) async throws -> WKContentRuleList {
            if let list = cachedList(of: json) { return list }
            let number = takeNumber()
            let list: WKContentRuleList
            do {
                list = try await compile(json, as: "containerkit-\(number)")
            } catch {
                free.append(number)
                throw error
            }
            // Another call may have compiled the same list.
            if let list = cachedList(of: json) {
                free.append(number)
                return list
            }
            cached.append((json, number, list))
            return list
        }

        private func cachedList(of json: String) -> WKContentRuleList? {
            guard let index = cached.firstIndex(where: { $0.json == json }) else { return nil }
            cached.append(cached.remove(at: index))
            return cached.last?.list
        }

        /// Returns a number that no list has. It is greater than the limit only if more calls wait for WebKit.
        private func takeNumber() -> Int {
            if let number = free.popLast() { return number }
            if lastNumber >= Self.limit, !cached.isEmpty { return cached.removeFirst().number }
            lastNumber += 1
            return lastNumber
        }

        private func compile(_ json: String, as identifier: String) async throws -> WKContentRuleList {
            let list: WKContentRuleList?
            do {
                list = try await WKContentRuleListStore.default().compileContentRuleList(
                    forIdentifier: identifier, encodedContentRuleList: json)
            } catch {
                let text = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
                throw EngineError(.storage, "the engine rejects the content rules: \(text)")
            }
            guard let list else { throw EngineError(.storage, "no content rules were compiled") }
            return list
        }
    }
#endif
