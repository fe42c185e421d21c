// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import LoopbackInterception
public import OfflinePackage
public import SchemeRouter

// What is intercepted: rules, the switch, and previews.
extension Container {
    // MARK: Previews

    /// Lets a folder or a development server stand in for a package until ``unmount(_:)``, so that a site can be tried
    /// in the app before it is packed. For debug builds: nothing of it is verified. Requests that it answers say so in
    /// their provenance; pages that are open get it too.
    public func mount(_ preview: Preview) {
        previewList.mount(preview)
        configuration.logger.notice("mounted", metadata: ["preview": "\(preview)"])
        hub.send(.previewMounted(preview))
    }

    /// Takes a preview away again.
    public func unmount(_ preview: Preview) {
        guard previewList.unmount(preview) else { return }
        configuration.logger.notice("unmounted", metadata: ["preview": "\(preview)"])
        hub.send(.previewUnmounted(preview))
    }

    /// What is mounted now, newest first.
    public var previews: [Preview] {
        previewList.mounted
    }

    // MARK: What is intercepted

    /// The rules that apply to requests that start now.
    public var rules: RouteRules {
        liveRules.rules
    }

    /// Puts other rules in place of those that apply, as a whole: what started before goes on as it began.
    ///
    /// Pages that are open stay in the mode that they opened in. What the new rules pass they get from the network.
    public func setRules(_ rules: RouteRules) {
        liveRules.rules = rules
        loopback?.isUsed = liveRules.isOn
        configuration.logger.notice(
            "rules",
            metadata: ["count": "\(rules.rules.count)", "deny": "\(rules.deny.count)", "on": "\(rules.isEnabled)"])
        hub.send(.rulesChanged)
    }

    /// Whether anything is intercepted at all; true at first. Switched off, pages open as if there were no container,
    /// and those that are open get everything from the network. Requests in flight finish as they began, but over the
    /// proxy: engines break off theirs where their proxy changes, as WebKitGTK does. Remote config has a switch of its
    /// own, and both are needed.
    public var isEnabled: Bool {
        get { liveRules.isEnabled }
        set {
            guard newValue != liveRules.isEnabled else { return }
            liveRules.isEnabled = newValue
            loopback?.isUsed = liveRules.isOn
            configuration.logger.notice("interception", metadata: ["on": "\(newValue)"])
            hub.send(.interceptionSwitched(isEnabled: newValue))
        }
    }

    /// Whether a page of this URL would be intercepted.
    public func covers(_ url: String) -> Bool {
        mode(ofPageAt: url) != .plain
    }
}
