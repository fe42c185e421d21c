// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

struct OpenReport { let summary: OpenSummary; let opening: Opening; func write(to: String) throws {} }
