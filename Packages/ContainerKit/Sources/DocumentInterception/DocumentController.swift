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
/// charset, an error, a header field without an equivalent in HTML, a redirect to a host that is not covered.
///
/// Isolation: the main actor. Rewriting runs on other threads.
@MainActor
package final class DocumentController {
    private let pipeline: any DocumentPipeline
    private let names: SchemeNames
    private let host: any DocumentHost
    private let logger: Logger
    /// The held paths of the packages that were used last.
    private var held: (generations: [GenerationReference], paths: HeldPaths)?

    /// Creates a controller.
    /// - Parameters:
    ///   - names: the custom schemes.
    ///   - pipeline: the request pipeline of the mode.
    ///   - host: the container's side.
    ///   - logger: the logger.
    package init(
        names: SchemeNames, pipeline: any DocumentPipeline, host: any DocumentHost, logger: Logger
    ) {
        self.names = names
        self.pipeline = pipeline
        self.host = host
        self.logger = logger
    }

    /// Starts to give documents to the view of a page. Must be called before the view loads a document.
    package func begin(in view: some EngineView) {
        let id = view.id
        view.loading.documents?.answerNavigations { [weak self] navigation in
            guard let self, let page = host.session(of: id), page.mode == .document,
                pipeline.givesDocument(at: navigation.url),
                // Of a frame, only a document that the container holds is worth a second request.
                !navigation.mayBeOfFrame || pipeline.holds(navigation.url, for: page.reference)
            else { return nil }
            return await document(for: navigation, in: page)
        }
    }

    /// Returns the document of a navigation, or `nil` if the engine must load it itself.
    private func document(for navigation: EngineNavigation, in page: PageSession) async -> EngineDocument? {
        guard var head = HTTPRequest(urlText: navigation.url) else { return nil }
        head.headerFields = navigation.fields
        if let name = HTTPField.Name("Upgrade-Insecure-Requests") { head.headerFields[name] = "1" }
        let request = ResourceRequest(
            head, destination: .document, page: PageAttribution(page.reference, confidence: .exact))
        let asked = EngineRequest(head: head, view: page.view, isMainDocument: true)
        host.requested(asked, of: page)
        var record = RequestRecord(
            from: .page, of: request.page, .get, head.urlText, isMainDocument: true)
        var redirected = RedirectedRequest(request)
        do {
            let opener = navigation.isReload || page.documentURL == head.urlText ? nil : page.documentURL
            let response = try await redirected.response { [pipeline] in
                pipeline.givesDocument(at: $0)
            } load: { [pipeline] in
                try await pipeline.answer(inPlaceOfEngine: $0, opener: opener)
            }
            try Task.checkCancellation()
            guard let response else { return nil }
            record.record(response.head, from: response.provenance)
            let fragment = redirected.fragment ?? navigation.fragment
            guard let text = try await text(of: response, at: navigation.url) else { return nil }
            let url = redirected.request.head.urlText
            let hasMap = text.html.utf8.contains("importmap".utf8)
            let script = DocumentScript.source(
                of: url, held: await paths(of: page),
                importing: hasMap ? [] : host.packages(of: page.id).map(\.url), names: names,
                referrer: navigation.referrer(at: url))
            let html = await rewritten(text, at: url, in: page)
            try Task.checkCancellation()
            host.received(response, to: asked, of: page)
            record.record(.finished, bytes: Int64(text.html.utf8.count))
            host.requestEnded(record, pendingFor: nil)
            return EngineDocument(url: url + fragment, html: html, script: script)
        } catch {
            // The engine's own navigation reports the error.
            logger.debug(
                "the engine loads a document itself", metadata: ["url": "\(navigation.url)", "error": "\(error)"])
            return nil
        }
    }

    // MARK: Text

    private struct Text: Sendable {
        let html: String
        let fields: DocumentFields
    }

    /// Returns the text of a response, or `nil` if the engine must load the document itself.
    private func text(of response: ResourceResponse, at url: String) async throws -> Text? {
        let isOfPackage = response.provenance.source == .package
        let status = response.head.status
        // A complete package has a page for missing files. Without the network, the engine would have none.
        guard status == .ok || isOfPackage && status == .notFound,
            let fields = DocumentFields(response.head.headerFields)
        else { return nil }
        if let field = fields.inexpressible, !isOfPackage {
            logger.debug("a document with \(field) is loaded by the engine", metadata: ["url": "\(url)"])
            return nil
        }
        let bytes = try await response.body.collect(upTo: DocumentText.limit)
        guard let html = DocumentText.text(of: Array(bytes), charset: fields.charset, assumesUTF8: isOfPackage) else {
            return nil
        }
        return Text(html: html, fields: fields)
    }

    /// Runs on the concurrent executor, because rewriting a document takes time.
    @concurrent
    private nonisolated func rewritten(_ text: Text, at url: String, in page: PageSession) async -> String {
        let rewriter = HeldResourceRewriter(names: names) { [pipeline] in pipeline.holds($0, for: page.reference) }
        let fields = text.fields
        let html = rewriter.document(
            Data(text.html.utf8), at: url, policies: fields.policies, referrerPolicy: fields.referrerPolicy,
            contentLanguage: fields.contentLanguage, refresh: fields.refresh)
        return String(decoding: html, as: UTF8.self)
    }

    // MARK: Held paths

    /// Returns the paths of the files that the packages of a page have.
    private func paths(of page: PageSession) async -> HeldPaths {
        let generations = page.generations
        if let held, held.generations == generations { return held.paths }
        let folders = host.packages(of: page.id).filter(\.isComplete).map(\.url)
        let paths = HeldPaths(files: await host.fileURLs(of: page.id), folders: folders)
        held = (generations, paths)
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

    /// The fragment of the URL with its `#`; empty if there is none.
    fileprivate var fragment: String {
        url.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(url[$0...]) } ?? ""
    }
}
