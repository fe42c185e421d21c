// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

extension OriginServer {
    /// The file of a folder that contains rules for response fields.
    @_spi(Packaging) public struct FieldSource: Sendable {
        /// The name of the file in the root of the folder. The file is not served.
        public var fileName: String
        /// A closure that returns the fields of the response for a file, by its percent-decoded path relative to the
        /// folder. It is also called for a missing file. An error results in status 500.
        ///
        /// `folder` is the path of the folder whose files are served, without links: a link to it may have changed
        /// since the server was started.
        public var fields: @Sendable (_ path: String, _ folder: String) throws -> HTTPFields

        /// Creates a source of fields.
        public init(
            fileName: String, fields: @escaping @Sendable (_ path: String, _ folder: String) throws -> HTTPFields
        ) {
            self.fileName = fileName
            self.fields = fields
        }
    }

    /// The options of an ``OriginServer``.
    public struct Configuration: Sendable {
        /// The folder whose files are served; `nil`, the default, for a server with routes only. Files and folders
        /// whose names begin with a dot are not served, except `.well-known`. Neither is a path with an escaped slash
        /// or an empty segment.
        public var folder: String?
        /// The source of additional fields of the responses for files and for missing files; `nil`, the default, for
        /// none. Redirects have no additional fields.
        @_spi(Packaging) public var fieldSource: FieldSource?
        /// The routes, which take precedence over files; none by default.
        public var routes: [OriginRoute] = []
        /// The faults; none by default.
        public var faults: [Fault] = []
        /// The network in front of the server; ``NetworkProfile/none``, the default, for no relay.
        public var profile = NetworkProfile.none
        /// A Boolean value that indicates whether the server uses TLS, with a certificate that is created at the
        /// start; `false` by default.
        public var usesTLS = false
        /// The host names and addresses that the certificate is valid for; the names of this machine by default.
        public var certificateNames = OriginCertificate.loopbackNames
        /// A Boolean value that indicates whether HTTP/2 is offered over TLS; `false` by default. In HTTP/2, a fault
        /// that ends a connection ends all of its requests.
        public var offersHTTP2 = false
        /// The port; 0, the default, lets the system choose.
        public var port = 0
        /// A Boolean value that indicates whether requests for hosts other than this machine get status 421; `false` by
        /// default. A page of another site can otherwise read the files by DNS rebinding.
        @_spi(Packaging) public var refusesForeignHosts = false
        /// The number of latest requests in the log; 10,000 by default.
        public var logLimit = 10_000
        /// The limit of a request body for a route, in bytes; 16 MiB by default. A larger body results in status 413.
        var requestBodyLimit = 16 * 1_048_576
        /// The clock that measures delays; the machine's clock by default.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// Creates a configuration with default values for all other options.
        public init(folder: String? = nil, routes: [OriginRoute] = []) {
            self.folder = folder
            self.routes = routes
        }
    }
}
