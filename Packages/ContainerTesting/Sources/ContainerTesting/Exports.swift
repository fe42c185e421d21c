// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Tests that start servers also need the clocks of BaseTesting.
@_exported public import BaseTesting
