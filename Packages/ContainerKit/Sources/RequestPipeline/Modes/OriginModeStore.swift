// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import Logging
package import ResourceLoading
package import ResourceStore
package import WebEngine

/// Remembers how origins were opened, over launches.
///
/// Isolation: any. It is kept on a thread of its own, soon after it changes: a process that ends before that has the
/// origin noted anew when it opens the next time.
package final class OriginModeStore: Sendable {
    private static let document = "origin-modes"
    /// The one that gives pages another origin.
    let mode: InterceptionMode
    private let policy: OriginModePolicy
    private let store: BlobStore
    private let logger: Logger
    private let queue = SerialQueue("container.origins")
    private let state: Mutex<OriginModes>
    private let isKept = Atomic(true)

    /// Reads what was kept.
    /// - Parameter mode: the one that changes origins; `nil` for none.
    /// - Returns: `nil` where no mode changes origins, or nothing is to stay.
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
            let kept = try store.document(Self.document)
            state = Mutex(kept.map { OriginModes($0, of: mode) } ?? OriginModes())
        } catch {
            logger.warning("the modes of origins cannot be read", metadata: ["error": "\(error)"])
            state = Mutex(OriginModes())
        }
    }

    /// What the host has decided over an origin.
    func decided(_ origin: WebOrigin) -> OriginMode? { state.withLock { $0.decided[origin] } }

    /// How an origin was opened before.
    func recorded(_ origin: WebOrigin) -> OriginMode? {
        let known = state.withLock { $0[origin] }
        // The policy may have changed since.
        return known == .plain && policy != .asFirstOpened ? nil : known
    }

    /// All that is known, by the origins as texts.
    package var all: [String: OriginMode] { state.withLock(\.all) }

    /// A page opens.
    func record(_ isIntercepted: Bool, of url: String) {
        guard isIntercepted || policy == .asFirstOpened, let origin = WebOrigin(url: url) else { return }
        change { state in
            // What was plain before this policy, and is intercepted now, has moved.
            if isIntercepted, policy != .asFirstOpened, state[origin] == .plain { state.set(nil, of: origin) }
            return state.record(isIntercepted ? .intercepted : .plain, of: origin)
        }
    }

    /// The host decides.
    package func set(_ mode: OriginMode?, of origin: WebOrigin) {
        change { state in
            state.decide(mode, of: origin)
            return true
        }
    }

    private func change(_ body: (inout OriginModes) -> Bool) {
        guard state.withLock({ body(&$0) }) else { return }
        keep()
    }

    private func keep() {
        queue.enqueue { [self] in
            do {
                // As it is by now: of two changes the last one written has both.
                try store.putDocument(state.withLock { $0 }.data(of: mode), as: Self.document)
                isKept.store(true)
            } catch {
                isKept.store(false)
                logger.warning("the mode of an origin is not kept", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Tries again what could not be kept, as while the app was suspended.
    package func resume() {
        if !isKept.load() { keep() }
    }

    /// Returns when all is kept.
    package func waitUntilSaved() async {
        await queue.run {}
    }
}

extension InterceptionMode {
    /// Whether pages see another origin than their true one.
    var changesOrigin: Bool { self == .customScheme || self == .loopbackServer }
}
