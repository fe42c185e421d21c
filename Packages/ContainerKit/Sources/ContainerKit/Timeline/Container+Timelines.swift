// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension Container {
    /// The timelines of pages from now on: each is told when its page has loaded, or when its load has failed, and once
    /// more, whole, when it is closed. A page that is closed before it has loaded is told once.
    ///
    /// A page that has loaded is told as soon as it has said when it was painted: at most
    /// ``TimelineOptions/askingLimit`` after its load. What a page asks for later is in the timeline of its close.
    /// Nobody is waited for: a subscriber that does not keep up loses the oldest of 64, which `droppedEvents` counts.
    /// Where `Configuration.timelines` is `nil` there are none, and the sequence ends at once.
    public func timelines() -> AsyncStream<PageTimeline> {
        timelineRecorder?.subscribe() ?? AsyncStream { $0.finish() }
    }
}
