// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import WebEngine

extension PageMonitor {
    /// What the container does for it.
    struct Host {
        /// Whether anything is to be done at all.
        let isOn: @MainActor () -> Bool
        /// Whether how a document looks counts, by its URL in the engine.
        let isWatched: @MainActor (String) -> Bool
        /// Whether a request of the page waits for its answer.
        let isBusy: @MainActor () -> Bool
        /// Whether the page waits for what someone says to it.
        let isAsking: @MainActor () -> Bool
        /// Leaves of what a look has shown what a package is behind.
        let attribute: @MainActor (ProbeResult) async -> ProbeResult
        /// Takes what is behind the page's document from the page for a step, as long as the second closure says that
        /// this is wanted; says whether there was such. It ends in bounded time.
        let dropPackage: @MainActor (BlankPageStep, @escaping @MainActor () -> Bool) async -> Bool
        /// A step was taken.
        let send: @MainActor (BlankPageStep) -> Void
    }
}

extension EngineError {
    /// Whether a document could not be had, and was not stopped, refused or saved instead.
    var isOfNetwork: Bool {
        [.unknownHost, .cannotConnect, .connectionLost, .badAnswer, .timedOut, .tls].contains(code)
    }
}
