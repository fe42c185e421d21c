// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import OfflinePackage
internal import PackageFormat
package import ResourceLoading
package import WebEngine

/// The interfaces of all open pages.
///
/// Isolation: the main actor.
@MainActor
package final class PageInterfaceController {
    private let options: PageInterfaceOptions
    private let conditions: any HostConditioning
    private let clock: any Clock<Duration>
    /// The pages and packages; not retained.
    package weak var host: (any PageInterfaceHost)?
    private var channels: [ViewID: PageInterfaceChannel] = [:]
    /// The versions that wait for their activation.
    private var staged: [PackageID: PackageVersion] = [:]
    private var watch: Task<Void, Never>?

    /// Creates a controller without pages.
    /// - Parameters:
    ///   - options: the options of the interface.
    ///   - conditions: the conditions of the device.
    ///   - clock: the clock of the rate limit of messages.
    package init(_ options: PageInterfaceOptions, conditions: any HostConditioning, clock: any Clock<Duration>) {
        self.options = options
        self.conditions = conditions
        self.clock = clock
    }

    deinit { watch?.cancel() }

    /// Starts to notify pages of the network.
    package func start() {
        let changes = conditions.changes()
        let first = PageInterfaceNotifications.Network(conditions.conditions)
        watch = Task { [weak self] in
            var last = first
            for await changed in changes {
                let next = PageInterfaceNotifications.Network(changed)
                guard next != last else { continue }
                last = next
                for channel in (self?.channels ?? [:]).values { channel.networkChanged(changed) }
            }
        }
    }

    /// Adds the script and its message handler to the view of a page that opens.
    /// - Parameters:
    ///   - page: the page.
    ///   - view: its view; not retained.
    ///   - places: the origins whose documents get the object.
    /// - Throws: `EngineError` if the view refuses the message handler. The page then has no interface.
    package func begin(_ page: PageSession, in view: any EngineView, at places: PageInterfacePlaces) throws {
        let channel = PageInterfaceChannel(page.id, in: view, host: host, clock: clock) { [conditions] in
            conditions.conditions
        }
        try view.scripting.setMessageHandler(named: PageInterfaceScript.handler, in: .page) { [weak channel] message in
            guard let channel else { throw PageInterfaceRefusal.closed }
            return try await channel.reply(to: message)
        }
        view.scripting.add(PageInterfaceScript.script(named: options.name, token: channel.token, at: places))
        channel.staged = staged
        channels.updateValue(channel, forKey: page.view)?.end()
    }

    /// Records that the view of a page shows another document, or that its web process ended.
    package func documentChanged(in view: ViewID) { channels[view]?.documentChanged() }

    /// Records an event of the packages.
    package func receive(_ event: PackageEvent) {
        switch event {
        case .staged(let id, let version, _): staged[id] = version
        case .scopeChanged(let change):
            if host?.activePackage(change.package).map({ $0.version == staged[$0.id] }) ?? true {
                staged[change.package] = nil
            }
        default: return
        }
        for channel in channels.values { channel.staged = staged }
    }

    /// Notifies pages of active versions that they do not use.
    package func packagesDidChange() {
        for channel in channels.values { channel.announceVersions() }
    }

    /// Ends the interface of the page in a view.
    package func end(in view: ViewID) { channels.removeValue(forKey: view)?.end() }

    /// Ends all interfaces, and waits for the end of work in progress.
    package func shutDown() async {
        for view in Array(channels.keys) { end(in: view) }
        watch?.cancel()
        await watch?.value
    }
}
