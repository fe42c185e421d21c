// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading

/// The part of the container that page recovery uses.
///
/// Isolation: the main actor. Page recovery retains it.
@MainActor
package protocol PageRecoveryHost {
    /// Returns the real URL of a URL in the engine.
    func realURL(of place: String) -> String
    /// Returns a Boolean value that indicates whether the real URL of a URL in the engine has the scheme `http` or
    /// `https`.
    func isWebDocument(at place: String) -> Bool
    /// Returns a Boolean value that indicates whether the container handles requests for a URL in the engine.
    func isCovered(_ place: String) -> Bool
    /// Returns a Boolean value that indicates whether a request that may belong to the page is pending, in addition to
    /// the requests that ``BlankPageMonitor/began(of:)`` counts.
    func isBusy(_ page: PageID) -> Bool
    /// Returns a Boolean value that indicates whether the page waits for an answer of the user or the app.
    func isAwaitingAnswer(_ page: PageID) -> Bool
    /// Reports a step before it is performed. The host may close the page or load another page in the meantime.
    func page(_ page: PageID, willTake step: BlankPageStep)
}

/// The offline packages of the open pages, as page recovery uses them.
///
/// Isolation: the main actor. Page recovery retains it.
@MainActor
package protocol PagePackages {
    /// Returns the page with its document and its current generations; `nil` if it is closed.
    func reference(of page: PageID) -> PageReference?
    /// Returns the generations of a page whose base URL covers a real URL.
    func generations(of page: PageID, covering url: String) -> [GenerationReference]
    /// Returns the generation that serves a real URL for a page; `nil` if there is none.
    func generation(of page: PageID, answering url: String) async -> GenerationReference?
    /// Returns a Boolean value that indicates whether a generation has served a request of the current document.
    func hasRecorded(_ generation: GenerationReference, of page: PageID) -> Bool
    /// Unpins generations from a page. The page then gets the active generations of their packages, unless they are
    /// among the avoided generations.
    /// - Returns: `true` if the page has none of the avoided generations now.
    func repin(_ page: PageID, without avoided: Set<GenerationReference>) -> Bool
    /// Updates the session of a page with its current generations.
    func generationsChanged(of page: PageID)
    /// Reports the generations of a page as failed, and waits for the rollback in bounded time.
    /// - Parameters:
    ///   - page: the page, with the failed generations.
    ///   - reason: the reason, as text.
    ///   - clock: the clock of the time limit.
    func markFailed(_ page: PageReference, because reason: String, clock: any Clock<Duration>) async
    /// Removes files of former generations from the engine's cache, as far as possible in bounded time.
    func invalidateStaleFiles(of page: PageID) async
}
