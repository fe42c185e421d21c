// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The version that the programs print.
public enum ProgramVersion {
    public static let current = "0.1.0"
}
