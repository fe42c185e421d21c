// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The flag that marks the requests of background transfers, and the flag of prefetches.
///
/// No one waits for a background transfer, such as a download for later. A transport refuses its requests on a network
/// in Low Data Mode and on an expensive network. A page that is opening needs a prefetch soon: only Low Data Mode
/// refuses it. The requests of a page are always sent.
public enum BackgroundTransfer {
    /// A Boolean value that indicates whether requests of the current task, and of the tasks that it creates, belong to
    /// a background transfer; `false` by default.
    @TaskLocal public static var isCurrent = false

    /// A Boolean value that indicates whether requests of the current task, and of the tasks that it creates, are
    /// prefetches; `false` by default.
    @TaskLocal public static var isPrefetch = false

    /// A Boolean value that indicates whether a transport may refuse requests of the current task because of the kind
    /// of the network.
    public static var isRefusable: Bool { isCurrent || isPrefetch }

    /// A Boolean value that indicates whether refusable requests of the current task may use expensive networks.
    public static var allowsExpensiveNetworks: Bool { isPrefetch && !isCurrent }
}
