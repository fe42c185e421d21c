// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContainerKit
internal import Foundation
public import Observation

/// The last events of a container as text.
///
/// Isolation: the main actor.
@MainActor
@Observable
public final class EventLog {
    /// A line of the log.
    public struct Line: Sendable, Hashable, Identifiable {
        /// The number of the line, counted from 1.
        public let id: Int
        /// The event, in at most 300 characters.
        public let text: String
    }

    /// The maximum number of lines.
    public static let limit = 300
    /// The lines, newest first.
    public private(set) var lines: [Line] = []
    @ObservationIgnored private var count = 0

    /// Creates an empty log.
    public init() {}

    /// Adds a line for an event.
    public func record(_ event: ContainerEvent) { add(Self.text(of: event)) }

    /// Adds a line.
    public func add(_ text: String) {
        count += 1
        lines.insert(Line(id: count, text: String(text.prefix(300))), at: 0)
        if lines.count > Self.limit { lines.removeLast() }
    }

    /// Returns the text of an event. Requests and pages have a form of their own.
    static func text(of event: ContainerEvent) -> String {
        switch event {
        case .request(let record): "\(record.provenance?.source.rawValue ?? "no response") \(record.url)"
        case .pageOpened(let session): "opened \(session.documentURL) (\(session.mode))"
        case .page(let id, let signal): "page \(id): \(signal)"
        case .pageClosed(let id): "closed page \(id)"
        default: "\(event)"
        }
    }
}
