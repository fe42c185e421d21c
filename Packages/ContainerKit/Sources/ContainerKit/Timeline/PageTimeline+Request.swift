// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading
internal import WebEngine

extension PageTimeline {
    /// One request of a page. Times are durations since the call of open.
    public struct Request: Sendable, Hashable {
        /// Who asked, by way of whom.
        public enum Asker: Sendable, Hashable {
            /// The page; the container answered, or failed to.
            case page
            /// The page; the engine loaded it past the container.
            case engine
        }

        /// Who asked.
        public var asker: Asker
        /// The method.
        public var method: String
        /// The real URL.
        public var url: String
        /// Whether it is what the view navigated to.
        public var isMainDocument: Bool
        /// The status of the answer; `nil` where there was none.
        public var status: Int?
        /// Who answered; `nil` where nobody did, and where the engine does not say.
        public var provenance: Provenance.Source?
        /// One line for people: why the answer came from there, or why there was none; `nil` where that is not known.
        public var reason: String?
        /// The answer's `Content-Type`; `nil` where it is not known.
        public var mediaType: String?
        /// Bytes of the body that reached the engine, or that were announced where the engine loaded it.
        public var bytes: Int64?
        /// When it was asked for.
        public var started: Duration?
        /// When the head of the answer was there.
        public var responded: Duration?
        /// When it was over.
        public var ended: Duration?

        /// A request of which no more is known than this.
        public init(asker: Asker, method: String, url: String, isMainDocument: Bool = false) {
            self.asker = asker
            self.method = method
            self.url = url
            self.isMainDocument = isMainDocument
        }
    }
}

extension PageTimeline.Request {
    init(_ record: RequestRecord, since called: ContinuousClock.Instant) {
        self.init(
            asker: .page, method: record.method.rawValue, url: record.url, isMainDocument: record.isMainDocument)
        status = record.status?.code
        provenance = record.provenance?.source
        reason =
            switch record.outcome {
            case .finished: record.provenance?.reason
            case .failed(let error): error.description
            case .stopped: "dropped by the page"
            }
        mediaType = record.mediaType
        bytes = record.responded == nil ? nil : record.bytes
        started = called.duration(to: record.started)
        responded = record.responded.map(called.duration(to:))
        ended = called.duration(to: record.ended)
    }

    /// The engine says what it loaded when that has ended, and nothing of when it began, nor how it asked.
    init(_ resource: EngineResource, ended: Duration) {
        self.init(asker: .engine, method: "GET", url: resource.url)
        // An engine may say 0 where there was no answer.
        status = resource.status.flatMap { $0 > 0 ? $0 : nil }
        reason = resource.failure
        bytes = resource.length
        self.ended = ended
    }
}
