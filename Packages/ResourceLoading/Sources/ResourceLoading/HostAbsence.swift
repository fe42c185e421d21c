// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A reason for which the app is not there, as its host tells it. The app is back when no reason is left.
public enum HostAbsence: Sendable {
    /// The app is in the background.
    case background
    /// The system has suspended the app, or is about to.
    case suspension
}
