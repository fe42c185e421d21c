// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SchemeRouter

/// What pages may ask of the app, and how long they wait for it.
public struct PageRequestOptions: Sendable {
    /// The hosts whose documents pages show without asking, beside that of the URL with which the page was opened;
    /// `nil`, and all hosts, by default. Frames may be of any host.
    public var hosts: [HostPattern]?
    /// How long the host may take over dialogs, permissions, windows and other schemes, where a person may be asked; 60
    /// seconds by default.
    public var limit = Duration.seconds(60)
    /// How long it may take over a document of a host outside, whose server waits meanwhile; 10 seconds by default.
    public var documentLimit = Duration.seconds(10)
    /// How many requests of one page may wait for the host; 4 by default. Beyond that they get the default at once.
    public var waitingLimit = 4
    /// Whether the host is asked about links to other schemes that nobody touched; false by default.
    public var asksWithoutGesture = false
    /// What times them. By default the machine's clock without the time in which the machine sleeps.
    public var clock: any Clock<Duration> = SuspendingClock()

    /// The default options.
    public init() {}
}
