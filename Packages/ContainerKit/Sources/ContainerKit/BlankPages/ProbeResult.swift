// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a look at a page has shown.
struct ProbeResult: Sendable, Hashable {
    /// Whether the document is one that scripts and style sheets make: no picture, film or text.
    var isHTML = true
    var isHidden = false
    /// Whether someone has typed or pressed something.
    var isUsed = false
    /// Whether there was a first contentful paint.
    var isPainted = false
    /// Whether the document holds nothing at all.
    var isEmpty = false
    var hasScripts = false
    /// Whether the document has a colour or a picture of its own behind it.
    var hasBackground = false
    /// What scripts have thrown.
    var bootErrors: [ScriptFailure] = []
    /// The URLs of scripts and style sheets that could not be had.
    var failedResources: [String] = []
    /// Whether a package has answered the document.
    var isPackaged = false
    /// Whether all of the picture has one colour; `nil` where none was taken.
    var isUniform: Bool?

    /// Whether a picture has to tell.
    func needsPicture(for signals: Set<BlankPageSignal>) -> Bool {
        isHTML && !isHidden && !isUsed && (!isPainted || signals.contains(.uniformPicture))
    }
}

/// An error that a script has not caught.
struct ScriptFailure: Sendable, Hashable, Decodable {
    let text: String
    /// The URL of the script; that of the document where the script is part of it.
    let file: String
}
