// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import OfflinePackage

// The mode of a page.
extension Container {
    /// In which mode a page of this URL would open now: what covers it and the rules say whether it is intercepted, and
    /// `Configuration.pageModes`, the switchboard, how its origin was opened before, and `Configuration.mode`, in
    /// that order, how.
    public func mode(ofPageAt url: String) -> InterceptionMode {
        path.mode(ofPageAt: url)
    }

    /// Whether a page's requests do not say whose they are. All plain views go by the proxy, where there is one, so
    /// that any page may come to something that is covered.
    func isShared(_ mode: InterceptionMode) -> Bool {
        mode.isOverLoopback || mode == .plain && proxy != nil
    }

    /// Notes where the document of a page lies. One that came by the custom scheme asks over loopback where its view
    /// has gone on to a real URL: then the page is among those that cannot be told apart.
    func noteDocument(of session: inout PageSession, isByName: Bool) {
        guard proxy != nil, session.mode == .customScheme, RealURL(session.documentURL) != nil else { return }
        sharedPages.place(session.id, isElsewhere: isByName)
        guard !isByName, sharedPages.join(session.id) else { return }
        packages.library.unpin(session.id)
        session.generations = packages.library.pin(session.id, isShared: true)
        engineCaches?.join(session.id)
    }
}
