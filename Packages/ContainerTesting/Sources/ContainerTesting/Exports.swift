// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// A test that starts servers needs the clocks of this module, too; so it writes one import.
@_exported public import BaseTesting
