// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Tests that start servers need the clocks of BaseTesting too, so that one import is enough.
@_exported public import BaseTesting
