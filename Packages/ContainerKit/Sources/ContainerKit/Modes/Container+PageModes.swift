// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import LoopbackInterception
internal import OfflinePackage
internal import PackageUpdates
internal import RequestPipeline
internal import ResourceLoading
public import WebEngine

// The mode of a page.
extension Container {
    /// In which mode a page of this URL would open now: what covers it and the rules say whether it is intercepted, and
    /// `plain` of ``ContainerConfiguration/Pages/modes``, remote config, the rest of that list, how its origin was opened
    /// before, and ``ContainerConfiguration/Pages/mode``, in that order, how.
    public func mode(ofPageAt url: String) -> InterceptionMode {
        path.policy.mode(ofPageAt: url)
    }

    /// Whether a page's requests do not say whose they are. All plain views go by the proxy, where there is one, so
    /// that any page may come to something that is covered.
    func isShared(_ mode: InterceptionMode) -> Bool {
        mode.isOverLoopback || mode == .plain && usesProxy
    }

    /// Notes where the document of a page lies. One that came by the custom scheme asks over loopback where its view
    /// has gone on to a real URL: then the page is among those that cannot be told apart.
    func recordDocument(of session: inout PageSession, isByName: Bool) {
        guard usesProxy, session.mode == .customScheme, RealURL(session.documentURL) != nil else { return }
        loopback?.pages.place(session.id, isElsewhere: isByName)
        guard !isByName else { return }
        join(session.id)
        session = current(session)
    }

    private func join(_ page: PageID) {
        guard loopback?.pages.join(page) == true else { return }
        packages.library.share(page)
        engineCaches?.join(page)
    }

    /// Prepares a page that a small page leads from its name to a real URL, before it asks there, as one that opens there.
    func lead(_ asked: PageSession?, by response: ResourceResponse) async {
        guard usesProxy, response.isInterim, response.movedTo.flatMap({ RealURL($0) }) != nil, let asked,
            let session = sessions[asked.view], session.id == asked.id
        else { return }
        join(session.id)
        await engineCaches?.invalidateStaleFiles(for: current(session))
    }
}
