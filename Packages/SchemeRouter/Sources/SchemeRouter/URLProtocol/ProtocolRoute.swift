// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a class of protocols stands for: a face, and the settings of the sessions that use it.
final class ProtocolRoute: Sendable {
    let settings: SessionSettings
    /// Gone when the app let go of it: its sessions then ask the network themselves.
    weak let face: URLProtocolFace?

    init(_ face: URLProtocolFace, _ settings: SessionSettings) {
        self.face = face
        self.settings = settings
    }
}
