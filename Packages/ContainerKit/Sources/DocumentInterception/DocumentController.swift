// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
package import Logging
internal import ResourceLoading
@_spi(Facade) package import SchemeMode
package import WebEngine

/// The controller of the mode `document`: it loads the documents of navigations in place of the engine, and gives them
/// to the engine with the custom-scheme URLs of the resources that the container holds.
///
/// The engine loads a document itself if the container cannot give it without a change of its meaning: another type or
/// charset, an error, a header field without an equivalent in HTML, a redirect to a host that is not covered. This does
/// not apply to a response that a route rule determines: the navigation fails if the container cannot give it, and the
/// engine does not request the document.
///
/// Isolation: the main actor. Rewriting runs on other threads.
@MainActor
package final class DocumentController {
    private let pipeline: any DocumentPipeline
    private let names: SchemeNames
    private let host: any DocumentHost
    private let logger: Logger
    private let now: () -> ContinuousClock.Instant
    /// The held paths of the packages that were used last, and of the URLs that rules answer.
    private var held: (generations: [GenerationReference], answered: [String], paths: HeldPaths)?
    /// The blocked requests of open pages.
    private var blocks: [ViewID: ViewBlocks] = [:]
    /// The URLs, without fragments, whose last response could not be given, with its time; oldest first.
    private var refused: [(url: String, time: ContinuousClock.Instant)] = []

    /// The maximum number of URLs in ``refused``.
    static let refusedLimit = 256
    /// The time for which the engine loads such a URL without a request of the container.
    static let refusedLife = Duration.seconds(600)

    /// Creates a controller.
    /// - Parameters:
    ///   - names: the custom schemes.
    ///   - pipeline: the request pipeline of the mode.
    ///   - host: the container's side.
    ///   - logger: the logger.
    ///   - now: a closure that returns the current time.
    package init(
        names: SchemeNames, pipeline: any DocumentPipeline, host: any DocumentHost, logger: Logger,
        now: @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        self.names = names
        self.pipeline = pipeline
        self.host = host
        self.logger = logger
        self.now = now
    }

    /// Starts to give documents to the view of a page, and blocks the requests of the view that route rules block. Must
    /// be called before the view loads a document.
    /// - Parameter url: the real URL of the document.
    /// - Throws: `EngineError` if the engine rejects the content rules.
    package func begin(in view: some EngineView, forPageAt url: String) async throws {
        let id = view.id
        let blocks = ViewBlocks(view, pipeline)
        self.blocks[id] = blocks
        try await blocks.set(forPageAt: url)
        view.loading.documents?.answerNavigations { [weak self] navigation throws(EngineError) in
            guard let self, let page = host.session(of: id), page.mode == .document else { return nil }
            try await blocks.set(forPageAt: navigation.url, after: page.documentURL)
            guard pipeline.givesDocument(at: navigation.url),
                // Of a frame, only a document that the container holds is worth a second request.
                !navigation.mayBeOfFrame && !isRefused(navigation.url)
                    || pipeline.holds(navigation.url, for: page.reference)
            else { return nil }
            let document = try await document(for: navigation, in: page)
            // Another document may have been shown meanwhile.
            try await blocks.set(forPageAt: navigation.url, after: page.documentURL)
            return document
        }
    }

    /// Adapts the blocked requests to a document that the view of a page shows, also to one that the engine has loaded
    /// without a question.
    package func shows(_ page: PageSession) {
        // Most apps have no such rules. A task would retain the pipeline, and with it the store.
        guard let blocks = blocks[page.view], blocks.mayChange(forPageAt: page.documentURL) else { return }
        Task { [logger] in
            do {
                try await blocks.set(forPageAt: page.documentURL)
            } catch {
                logger.error("the content rules of a page were not changed", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Removes the records of a view that ends or is used by another page.
    package func end(in view: ViewID) { blocks[view] = nil }

    /// Returns the document of a navigation, or `nil` if the engine must load it itself.
    /// - Throws: the error with which the navigation fails, because a route rule has no document for the page.
    private func document(
        for navigation: EngineNavigation, in page: PageSession
    ) async throws(EngineError) -> EngineDocument? {
        guard var head = HTTPRequest(urlText: navigation.url) else { return nil }
        head.headerFields = navigation.fields
        if let name = HTTPField.Name("Upgrade-Insecure-Requests") { head.headerFields[name] = "1" }
        // As engines do, so that caches validate the document (RFC 9111, section 5.2.1.1).
        if navigation.isReload, head.headerFields[.cacheControl] == nil {
            head.headerFields[.cacheControl] = "max-age=0"
        }
        var reference = page.reference
        // No page navigates, so that the cookies are those of the site itself.
        if navigation.isOfApp { reference.documentURL = head.urlText }
        let request = ResourceRequest(
            head, destination: .document, page: PageAttribution(reference, confidence: .exact))
        let asked = EngineRequest(head: head, view: page.view, isMainDocument: true)
        host.requested(asked, of: page)
        let recorder = DocumentRecorder(asked, of: page, isMainDocument: !navigation.mayBeOfFrame, host)
        var redirected = RedirectedRequest(request)
        do {
            let isOfPage = !navigation.isReload && !navigation.isOfApp && page.documentURL != head.urlText
            let opener = isOfPage ? page.documentURL : nil
            let response = try await redirected.response { [pipeline] in
                pipeline.givesDocument(at: $0)
            } load: { [pipeline] request in
                // A rule that changes meanwhile counts with its new action.
                defer { recorder.record(isOfRule: pipeline.hasRuledResponse(request)) }
                let response = try await pipeline.answer(inPlaceOfEngine: request, opener: opener)
                if let response { recorder.record(response) }
                return response
            }
            try Task.checkCancellation()
            let fragment = redirected.fragment ?? navigation.url.fragment ?? ""
            if let target = redirected.refusedTarget, recorder.hasRule || navigation.continues(at: target) {
                return interim(of: navigation, to: target, fragment, recorder)
            }
            guard let response,
                let text = try await text(of: response, at: navigation.url, isOfRule: recorder.isOfRule)
            else {
                if recorder.isOfRule {
                    throw ResourceError(.blocked, "a rule responds with no HTML document", at: navigation.url)
                }
                if recorder.hasRule {
                    return interim(of: navigation, to: redirected.request.head.urlText, fragment, recorder)
                }
                if response != nil || redirected.refusedTarget != nil { refuse(navigation.url) }
                return nil
            }
            forget(navigation.url)
            let url = redirected.request.head.urlText
            let places = host.packages(of: page.id).map(\.url)
            let hasMap = text.html.utf8.contains("importmap".utf8)
            let script = DocumentScript.source(
                of: url, held: await paths(of: page, at: url),
                importing: hasMap ? [] : places, names: names,
                referrer: navigation.referrer(at: url))
            let html = await rewritten(text, at: url, modulesIn: places, of: page)
            try Task.checkCancellation()
            let bytes = Int64(text.html.utf8.count)
            return EngineDocument(url: url + fragment, html: html, script: script) {
                recorder.recordShown(bytes: bytes)
            }
        } catch {
            let failure = error as? ResourceError
            if let failure { recorder.record(failure) }
            if recorder.hasRule, !Task.isCancelled {
                guard recorder.isOfRule else {
                    let fragment = redirected.fragment ?? navigation.url.fragment ?? ""
                    return interim(of: navigation, to: redirected.request.head.urlText, fragment, recorder)
                }
                throw EngineError(.blocked, failure?.message ?? "\(error)", at: navigation.url)
            }
            // The engine's own navigation reports the error.
            logger.debug(
                "the engine loads a document itself", metadata: ["url": "\(navigation.url)", "error": "\(error)"])
            if failure?.code == .tooLarge { refuse(navigation.url) }
            return nil
        }
    }

    /// Returns a document that leads to a URL, which the engine loads itself.
    /// - Parameter fragment: the fragment for a target that has none.
    private func interim(
        of navigation: EngineNavigation, to target: String, _ fragment: String, _ recorder: DocumentRecorder
    ) -> EngineDocument {
        forget(navigation.url)
        let html = EngineNavigation.interimDocument(to: target.fragment == nil ? target + fragment : target)
        return EngineDocument(url: navigation.url, html: html, script: "") {
            recorder.recordShown(bytes: 0, isInterim: true)
        }
    }

    // MARK: Refused documents

    private func isRefused(_ url: String) -> Bool {
        let url = url.withoutFragment
        return refused.contains { $0.url == url && $0.time.duration(to: now()) < Self.refusedLife }
    }

    private func refuse(_ url: String) {
        forget(url)
        refused.append((url.withoutFragment, now()))
        if refused.count > Self.refusedLimit { refused.removeFirst() }
    }

    private func forget(_ url: String) {
        let url = url.withoutFragment
        refused.removeAll { $0.url == url }
    }

    // MARK: Text

    private struct Text: Sendable {
        let html: String
        let fields: DocumentFields
    }

    /// Returns the text of a response, or `nil` if the engine must load the document itself. If the head decides that,
    /// the body is not read, and its transfer ends. A response that a rule determines is shown with any status, except
    /// for those that leave the page as it is (HTML, section "Navigate"). Without a body, it is an empty document.
    /// - Throws: `ResourceError`, with code `tooLarge` for a body that exceeds the limit.
    private func text(of response: ResourceResponse, at url: String, isOfRule: Bool) async throws -> Text? {
        let isOfPackage = response.provenance.source == .package
        let status = response.head.status
        var head = response.head.headerFields
        if isOfRule, head[.contentType] == nil, response.body.length == 0 { head[.contentType] = "text/html" }
        // A complete package has a page for missing files. Without the network, the engine would have none.
        guard status == .ok || isOfPackage && status == .notFound || isOfRule && ![204, 205].contains(status.code),
            let fields = DocumentFields(head), isOfPackage || fields.mayBeUTF8
        else { return nil }
        if let field = fields.inexpressible, !isOfPackage {
            logger.debug("a document with \(field) is loaded by the engine", metadata: ["url": "\(url)"])
            return nil
        }
        let bytes = try await response.body.collect(upTo: DocumentText.limit)
        guard
            let html = DocumentText.text(
                of: Array(bytes), encoding: fields.encoding, assumesUTF8: isOfPackage || isOfRule)
        else { return nil }
        return Text(html: html, fields: fields)
    }

    /// Runs on the concurrent executor, because rewriting a document takes time.
    @concurrent
    private nonisolated func rewritten(
        _ text: Text, at url: String, modulesIn places: [String], of page: PageSession
    ) async -> String {
        let rewriter = HeldResourceRewriter(names: names, moduleFolders: places) { [pipeline] in
            pipeline.holds($0, for: page.reference)
        }
        let fields = text.fields
        let html = rewriter.document(
            Data(text.html.utf8), at: url, policies: fields.policies, referrerPolicy: fields.referrerPolicy,
            contentLanguage: fields.contentLanguage, refresh: fields.refresh)
        return String(decoding: html, as: UTF8.self)
    }

    // MARK: Held paths

    /// Returns the paths of the files that the packages of a page have, of the prefetched responses that wait for the
    /// page, and of the responses that rules determine. Other than files of packages, those of other origins are left
    /// out, because a request does not show its credentials mode.
    private func paths(of page: PageSession, at url: String) async -> HeldPaths {
        let origin = WebOrigin(url: url)
        let prefetched = host.prefetchedURLs(of: page.id).filter { WebOrigin(url: $0) == origin }.map {
            String($0.prefix { $0 != "?" })
        }
        let answered = pipeline.answeredURLs(ofPageAt: url)
        let generations = page.generations
        if let held, held.generations == generations, held.answered == answered, prefetched.isEmpty {
            return held.paths
        }
        let folders = host.packages(of: page.id).filter(\.isComplete).map(\.url)
        let files = prefetched + answered + (await host.fileURLs(of: page.id))
        let paths = HeldPaths(files: files, folders: folders)
        if prefetched.isEmpty { held = (generations, answered, paths) }
        return paths
    }
}

extension EngineNavigation {
    /// Returns the referrer of the document at a URL, to which the navigation may have been redirected: the default of
    /// Referrer Policy, `strict-origin-when-cross-origin`, after the policy of the former document.
    fileprivate func referrer(at url: String) -> String? {
        guard let text = fields[.referer], let origin = WebOrigin(url: text), origin != WebOrigin(url: url) else {
            return fields[.referer]
        }
        return origin.scheme == "https" && !url.hasPrefix("https:") ? nil : "\(origin)/"
    }

    /// Returns a Boolean value that indicates whether an interim document at the URL of the navigation can lead to the
    /// target of its redirect. The document of a page would be lost if the target is a download.
    ///
    /// Measured with WebKitGTK 2.50: like the engine's own redirect of a load by the app, the interim document sends no
    /// `SameSite=Strict` cookies to another site.
    /// - Parameter target: the target, of an origin that the container does not cover.
    fileprivate func continues(at target: String) -> Bool {
        isOfApp && fields[.referer] == nil && WebOrigin(url: target) != WebOrigin(url: url)
    }

    /// Returns a document that navigates to a URL without a history entry and without a referrer.
    fileprivate static func interimDocument(to target: String) -> String {
        // A string can always be encoded. The literal cannot end the enclosing script element.
        let literal = (try? JSONEncoder().encode(target)).map { String(decoding: $0, as: UTF8.self) } ?? "''"
        return "<!DOCTYPE html><meta charset=utf-8><meta name=referrer content=no-referrer>"
            + "<script>location.replace(\(literal.replacing("<", with: "\\u003c")))</script>"
    }
}
