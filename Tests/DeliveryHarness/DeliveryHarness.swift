// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Stands for an app that is killed.
@main
enum DeliveryHarness {
    static func main() {}
}
