// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import OfflinePackage
internal import PagePrompts
internal import ResourceLoading

// What dimensions call the kinds of things: words that stay, without what a kind may hold.

extension RequestRecord.Outcome {
    var name: String {
        switch self {
        case .finished: "finished"
        case .failed: "failed"
        case .stopped: "stopped"
        }
    }
}

extension RequestRecord.Asker {
    var name: String {
        switch self {
        case .page: "page"
        case .app: "app"
        }
    }
}

extension PageRequest {
    var name: String {
        switch self {
        case .link: "link"
        case .dialog: "dialog"
        case .permission: "permission"
        case .download: "download"
        }
    }
}

extension PageRequestRecord.Ending {
    var name: String {
        switch self {
        case .answered: "answered"
        case .noDelegate: "no_delegate"
        case .tooMany: "too_many"
        case .ruledOut: "ruled_out"
        case .timedOut: "timed_out"
        case .failed: "failed"
        case .pageGone: "page_gone"
        case .withdrawn: "withdrawn"
        }
    }
}

extension PackageEvent {
    /// Nothing for a part of a download, of which there are many.
    var name: String? {
        switch self {
        case .updateBegan: "update_began"
        case .downloading: nil
        case .staged: "staged"
        case .scopeChanged: "scope_changed"
        case .confirmed: "proven"
        case .quarantined: "quarantined"
        case .fellBack: "fell_back"
        case .fileDamaged: "file_damaged"
        case .repaired: "mended"
        case .updateFailed: "update_failed"
        case .changeFailed: "change_failed"
        }
    }
}
