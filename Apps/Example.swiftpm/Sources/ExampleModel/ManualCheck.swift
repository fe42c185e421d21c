// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A manual check of `docs/apple.md`, by its number there.
public struct ManualCheck: Sendable, Hashable, Identifiable {
    /// The number of the check.
    public let id: Int
    /// The subject of the check.
    public let title: String
    /// The page that decides the check by itself, or helps to do it; `nil` if there is none.
    public let page: String?
    /// The action of the person who does the check; `nil` if the page decides the check alone.
    public let action: String?

    private init(_ id: Int, _ title: String, page: String? = nil, _ action: String? = nil) {
        self.id = id
        self.title = title
        self.page = page
        self.action = action
    }

    /// The base URL of the package that opens in document mode.
    static let documents = "https://checks.example/"
    /// The base URL of the same package in custom-scheme mode.
    static let scheme = "https://scheme-checks.example/"

    /// All checks, by number.
    public static let all: [ManualCheck] = [
        ManualCheck(1, "The package compiles", "This app runs, on iOS and on macOS."),
        ManualCheck(2, "Resources of a given document", page: documents + "2.html"),
        ManualCheck(
            3, "Navigation without a network", page: scheme + "3.html",
            "Turn on flight mode first; the page opens at once."),
        ManualCheck(
            4, "End of the web process", page: documents,
            "End the process com.apple.WebKit.WebContent; the log has processEnded, and Reload works."),
        ManualCheck(
            5, "End of a view", page: documents, "Close the page; its web process disappears within a minute."),
        ManualCheck(
            6, "Cancelled decisions", page: documents, "Open links of the list; the log has no failed page."),
        ManualCheck(7, "History entries of reloads", page: documents + "7.html"),
        ManualCheck(
            8, "Back and forward", page: documents + "8.html", "Repeat it in flight mode; the page is the same."),
        ManualCheck(9, "Fragments", page: documents + "9.html"),
        ManualCheck(
            10, "Redirect to a covered host",
            "Serve a redirect to https://checks.example/ and open it; back leaves it with one step."),
        ManualCheck(11, "Scripts of the app in given documents", page: documents + "11.html"),
        ManualCheck(
            12, "Codes of failures",
            "Open a host that does not exist, and stop a load; the log has load-failed once for each."),
        ManualCheck(
            13, "Large bodies and synchronous requests", page: scheme + "13.html",
            "Then load a body of 500 MB from a server; the memory of the app in Xcode stays level."),
        ManualCheck(14, "Requests with a Blob", page: scheme + "14.html"),
        ManualCheck(
            15, "Unusual responses",
            "Open responses without Content-Type and with 204, 304 and 3xx of a server; compare with Safari."),
        ManualCheck(16, "Values of messages", page: documents + "16.html"),
        ManualCheck(17, "Exceptions of scripts", page: documents, "The app decides it when the page has loaded."),
        ManualCheck(
            18, "Cookies",
            "Open a page that sets a cookie with HttpOnly, SameSite, an expiry and quotes; Log cookies has them."),
        ManualCheck(
            19, "End of the network process",
            "End com.apple.WebKit.Networking; the next page opens, and lasting cookies are there."),
        ManualCheck(20, "Cookie observer", "Set cookies by a page and by a server; the app has both."),
        ManualCheck(
            21, "Names of data records",
            "Open an IP address, localhost and an international name; removing their data leaves the others."),
        ManualCheck(
            22, "Proxy mode", page: documents,
            "Start with --mode proxy; the page opens, also after a suspension, and the log has no unproven."),
        ManualCheck(
            23, "Trusted certificates", page: documents,
            "Start with --mode proxy and --mode server; the page opens only with its exception in the manifest."),
        ManualCheck(
            24, "Dialogs at the end of the process", page: documents,
            "End the process com.apple.WebKit.WebContent while the dialog waits; the app goes on."),
        ManualCheck(
            25, "Camera, microphone and motion", page: documents + "25.html", "Press the buttons and allow the access."),
        ManualCheck(26, "window.close()", page: documents + "26.html", "Press the button; the page closes."),
        ManualCheck(
            27, "Downloads", page: documents + "27.html",
            "Follow each link, find each file as saved in the log, and press a button of the page."),
        ManualCheck(
            28, "Snapshots", page: documents,
            "The app decides the color of a pixel; check-28.png in Downloads shows an orange page."),
        ManualCheck(
            29, "Https takeover: requests",
            "Start with --mode takeover; pages of covered and other hosts load, and the log has their requests."),
        ManualCheck(
            30, "Https takeover: origin and cookies",
            "Start with --mode takeover and open a site with a login; the next page has its cookies."),
        ManualCheck(
            31, "Https takeover: uploads",
            "Start with --mode takeover and upload a file by a form, fetch and XMLHttpRequest; all bytes arrive."),
        ManualCheck(
            32, "Https takeover: redirects",
            "Start with --mode takeover and open a redirected document, image and fetch; the server has each request."),
        ManualCheck(
            33, "Https takeover: requests outside the handler",
            "Start with --mode takeover; WebSockets, workers, sendBeacon and downloads work, and are not in the log."),
        ManualCheck(
            34, "Proxies of the system",
            "Set a proxy in the system's settings and use --mode proxy; the proxy has the container's connections."),
        ManualCheck(
            35, "Low Data Mode", page: documents,
            "Turn on Low Data Mode; the page loads, and an update with whenConvenient fails with not-now."),
        ManualCheck(
            36, "Background downloads",
            "Set a BackgroundDownloadQueue, update with whenConvenient and call exit(0); the archive arrives."),
    ]
}
