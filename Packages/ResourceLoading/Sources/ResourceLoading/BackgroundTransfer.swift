// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Requests that no one waits for: prefetched responses, and downloads for later.
///
/// The user can ask the system to spare a network, for example by Low Data Mode. A transport then refuses the requests
/// of background transfers, and sends those of a page.
public enum BackgroundTransfer {
    /// A Boolean value that indicates whether requests of the current task, and of the tasks that it creates, belong to
    /// a background transfer; `false` by default.
    @TaskLocal public static var isCurrent = false
}
