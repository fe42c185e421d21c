// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import Logging
package import ResourceLoading
package import ResourceStore
package import WebEngine

/// The store of the modes in which origins were opened, across launches.
///
/// Isolation: any. Changes are written asynchronously on a separate thread. If the process ends before a write, the
/// origin is recorded again when it opens the next time.
package final class OriginModeStore: Sendable {
    private static let document = "origin-modes"
    /// The mode that changes the origin of pages.
    let mode: InterceptionMode
    private let policy: OriginModePolicy
    private let store: BlobStore
    private let logger: Logger
    private let queue = SerialQueue("container.origins")
    private let state: Mutex<OriginModes>
    private let isSaved = Atomic(true)

    /// Opens the store and reads the stored modes.
    /// - Parameters:
    ///   - mode: the mode that changes the origin of pages; `nil` for none.
    ///   - policy: the policy.
    ///   - store: the blob store.
    ///   - logger: the logger.
    /// - Returns: the store, or `nil` if no mode changes the origin of pages or the policy records no mode.
    @concurrent
    package static func open(
        _ mode: InterceptionMode?, _ policy: OriginModePolicy, _ store: BlobStore, logger: Logger
    ) async -> OriginModeStore? {
        guard let mode, policy != .followsInterceptionPolicy else { return nil }
        return OriginModeStore(mode, policy, store, logger)
    }

    private init(_ mode: InterceptionMode, _ policy: OriginModePolicy, _ store: BlobStore, _ logger: Logger) {
        self.mode = mode
        self.policy = policy
        self.store = store
        self.logger = logger
        do {
            let storedDocument = try store.document(Self.document)
            state = Mutex(storedDocument.map { OriginModes($0, of: mode) } ?? OriginModes())
        } catch {
            logger.warning("the modes of origins could not be read", metadata: ["error": "\(error)"])
            state = Mutex(OriginModes())
        }
    }

    /// Returns the mode that the host has set for an origin, or `nil` if it has set none.
    func decided(_ origin: WebOrigin) -> OriginMode? { state.withLock { $0.decided[origin] } }

    /// Returns the recorded mode of an origin, or `nil` if there is none.
    func recorded(_ origin: WebOrigin) -> OriginMode? {
        let known = state.withLock { $0[origin] }
        // The policy may have changed since the mode was recorded.
        return known == .plain && policy != .asFirstOpened ? nil : known
    }

    /// The recorded and the configured modes, by serialized origin.
    package var all: [String: OriginMode] { state.withLock(\.all) }

    /// Records the mode in which a page opened.
    /// - Parameters:
    ///   - isIntercepted: a Boolean value that indicates whether the page is intercepted.
    ///   - url: the real URL of the page.
    func record(_ isIntercepted: Bool, of url: String) {
        guard isIntercepted || policy == .asFirstOpened, let origin = WebOrigin(url: url) else { return }
        change { state in
            // An origin that was recorded as plain under another policy is intercepted now.
            if isIntercepted, policy != .asFirstOpened, state[origin] == .plain { state.set(nil, of: origin) }
            return state.record(isIntercepted ? .intercepted : .plain, of: origin)
        }
    }

    /// Sets the mode of an origin, or removes the origin if `mode` is `nil`.
    package func set(_ mode: OriginMode?, of origin: WebOrigin) {
        change { state in
            state.decide(mode, of: origin)
            return true
        }
    }

    private func change(_ body: (inout OriginModes) -> Bool) {
        guard state.withLock({ body(&$0) }) else { return }
        save()
    }

    private func save() {
        queue.enqueue { [self] in
            do {
                // Write the current state, so that the last write contains all changes.
                try store.putDocument(state.withLock { $0 }.data(of: mode), as: Self.document)
                isSaved.store(true)
            } catch {
                isSaved.store(false)
                logger.warning("the mode of an origin could not be saved", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Retries a failed write, for example a write during the suspension of the app.
    package func resume() {
        if !isSaved.load() { save() }
    }

    /// Waits until all changes are written.
    package func waitUntilSaved() async {
        await queue.run {}
    }
}

extension InterceptionMode {
    /// A Boolean value that indicates whether pages have an origin other than their real origin.
    var changesOrigin: Bool { self == .customScheme || self == .loopbackServer }
}
