// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContainerKit
internal import Foundation
public import Observation

/// The decisions of the example app: permissions are granted, files are saved, and a person answers dialogs. Links get
/// the safe decision.
///
/// Isolation: the main actor.
@MainActor
@Observable
public final class ExampleDelegate: PageDelegate {
    /// A dialog that waits for a person.
    public struct Dialog: Sendable, Identifiable {
        /// The number of the dialog, counted from 1.
        public let id: Int
        /// The text of the dialog.
        public let message: String
        /// The kind of the dialog.
        public let kind: DialogKind
        fileprivate let decision: AsyncStream<DialogDecision>.Continuation
    }

    /// The dialogs that wait for a person, oldest first.
    public private(set) var dialogs: [Dialog] = []
    /// The path of the folder for downloads. The first download creates it.
    @ObservationIgnored public let downloads: String
    @ObservationIgnored private let log: EventLog
    @ObservationIgnored private var count = 0

    /// Creates a delegate.
    /// - Parameters:
    ///   - downloads: the absolute path of the folder for downloads.
    ///   - log: the log of granted permissions.
    init(downloads: String, log: EventLog) {
        (self.downloads, self.log) = (downloads, log)
    }

    /// Ends a dialog. Does nothing if it has ended.
    /// - Parameters:
    ///   - dialog: a dialog of ``dialogs``.
    ///   - decision: the decision of the person.
    public func end(_ dialog: Dialog, with decision: DialogDecision) {
        dialog.decision.yield(decision)
    }

    /// Waits for ``end(_:with:)``.
    /// - Throws: `CancellationError` if the page, its process or the time limit ends first.
    public func dialog(_ request: DialogRequest) async throws -> DialogDecision {
        let (decisions, decision) = AsyncStream<DialogDecision>.makeStream()
        count += 1
        let id = count
        dialogs.append(Dialog(id: id, message: request.message, kind: request.kind, decision: decision))
        defer { dialogs.removeAll { $0.id == id } }
        for await decision in decisions { return decision }
        throw CancellationError()
    }

    /// Grants the permissions. The system asks the person for those of devices.
    public func permission(_ request: PermissionRequest) async throws -> PermissionDecision {
        log.add("granted \(request.permissions.map(\.rawValue).sorted().joined(separator: ", "))")
        return .allow
    }

    /// Saves the file in ``downloads``.
    /// - Throws: the error of Foundation if the folder cannot be created.
    public func download(_ request: DownloadRequest) async throws -> DownloadDecision {
        .save(folder: try makeFolder().path)
    }

    /// Creates the folder for downloads if it does not exist.
    func makeFolder() throws -> URL {
        let folder = URL(fileURLWithPath: downloads)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
