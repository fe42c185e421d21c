// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// webkit/wkdownload [WKDownload]
@MainActor
public class WKDownload: NSObject, ProgressReporting {
    private weak var driver: PageDownload?
    // webkit/wkdownload/originalrequest [WKDownload originalRequest]
    public let originalRequest: URLRequest?
    // webkit/wkdownload/webview [WKDownload webView]
    public private(set) weak var webView: WKWebView?
    // webkit/wkdownload/delegate [WKDownload delegate]
    public weak var delegate: (any WKDownloadDelegate)?
    // foundation/progressreporting/progress [WKDownload progress]
    public nonisolated let progress = Progress(totalUnitCount: -1)

    // webkit/wkdownload/cancel(_:) [WKDownload cancel:]
    public func cancel(_ completionHandler: (@MainActor @Sendable (Data?) -> Void)? = nil) {
        Task {
            let data = await cancel()
            completionHandler?(data)
        }
    }
    // webkit/wkdownload/cancel(_:), async [WKDownload cancel:]
    //
    // Believed: the delegate is not called, and data to resume exists only for some servers. A device shows it by a
    // cancelled download.
    public func cancel() async -> Data? {
        driver?.isEnded = true
        await Task.yield()
        await driver?.beforeCancellation?()
        return nil
    }

    init(_ driver: PageDownload, _ request: URLRequest, _ view: WKWebView?) {
        (self.driver, originalRequest, webView) = (driver, request, view)
    }
}

// webkit/wkdownloaddelegate [WKDownloadDelegate]
//
// The first requirement is required on the real system; the others are required here only.
@MainActor
public protocol WKDownloadDelegate: NSObjectProtocol {
    // webkit/wkdownloaddelegate/download(_:decidedestinationusing:suggestedfilename:completionhandler:)
    // [WKDownloadDelegate download:decideDestinationUsingResponse:suggestedFilename:completionHandler:]
    func download(
        _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String,
        completionHandler: @escaping @MainActor @Sendable (URL?) -> Void)
    // webkit/wkdownloaddelegate/download(_:didreceive:completionhandler:)
    // [WKDownloadDelegate download:didReceiveAuthenticationChallenge:completionHandler:]
    func download(
        _ download: WKDownload, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @MainActor @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    // webkit/wkdownloaddelegate/downloaddidfinish(_:) [WKDownloadDelegate downloadDidFinish:]
    func downloadDidFinish(_ download: WKDownload)
    // webkit/wkdownloaddelegate/download(_:didfailwitherror:resumedata:)
    // [WKDownloadDelegate download:didFailWithError:resumeData:]
    func download(_ download: WKDownload, didFailWithError error: any Error, resumeData: Data?)
}

/// The network's side of a download.
@_spi(Driver)
@MainActor
public final class PageDownload {
    public private(set) lazy var download = WKDownload(self, request, page.view)
    public internal(set) var isEnded = false
    /// A closure that runs before a cancellation completes. A test holds the completion with it.
    public var beforeCancellation: (@MainActor () async -> Void)?
    private let page: PageDriver
    private let request: URLRequest
    private var destination: URL?

    init(_ page: PageDriver, _ request: URLRequest) { (self.page, self.request) = (page, request) }

    /// Asks the delegate for the destination of a response.
    ///
    /// Documented: `nil` cancels; the file must not exist, and its folder must. Believed: the delegate then gets
    /// `URLError.cancelled` or `URLError.cannotCreateFile`. A device shows it by each of the three.
    /// - Returns: the destination; `nil` if the download has ended.
    public func respond(_ response: URLResponse, suggestedFilename: String) async -> URL? {
        guard !isEnded else { return nil }
        guard download.delegate != nil else {
            isEnded = true
            return nil
        }
        // The wait does not retain the delegate.
        let url: URL? = await page.ask("decideDestinationUsing response") { [download] reply in
            download.delegate?.download(
                download, decideDestinationUsing: response, suggestedFilename: suggestedFilename
            ) { reply.call($0) }
        }
        guard !isEnded else { return nil }
        guard let url else {
            fail(URLError(.cancelled))
            return nil
        }
        let files = FileManager.default
        guard !files.fileExists(atPath: url.path), files.createFile(atPath: url.path, contents: nil) else {
            fail(URLError(.cannotCreateFile))
            return nil
        }
        download.progress.totalUnitCount = response.expectedContentLength
        destination = url
        return url
    }

    /// Appends bytes to the destination.
    public func receive(_ data: Data) throws {
        guard !isEnded, let destination else { return }
        let file = try FileHandle(forWritingTo: destination)
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: data)
        download.progress.completedUnitCount += Int64(data.count)
    }

    /// Asks the delegate of the download for credentials or trust.
    public func challenge(_ challenge: URLAuthenticationChallenge) async
        -> (URLSession.AuthChallengeDisposition, URLCredential?)
    {
        guard let delegate = download.delegate else { return (.performDefaultHandling, nil) }
        return await page.ask("download didReceive challenge") { [download] reply in
            delegate.download(download, didReceive: challenge) { reply.call(($0, $1)) }
        }
    }

    public func finish() {
        guard !isEnded else { return }
        isEnded = true
        download.delegate?.downloadDidFinish(download)
    }

    public func fail(_ error: any Error, resumeData: Data? = nil) {
        guard !isEnded else { return }
        isEnded = true
        download.delegate?.download(download, didFailWithError: error, resumeData: resumeData)
    }
}
