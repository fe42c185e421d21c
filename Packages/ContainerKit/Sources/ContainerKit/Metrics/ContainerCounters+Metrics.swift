// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Prefetch
internal import ResourceStore
internal import WebEngine
internal import WebViewPool

extension ContainerCounters {
    /// What no event tells, by the series in which the metrics backend has it.
    var totals: [MetricKey: Int] {
        var totals: [MetricKey: Int] = [
            MetricKey(.checkOuts, ["warm": "true"]): pool.warmCheckOuts,
            MetricKey(.checkOuts, ["warm": "false"]): pool.coldCheckOuts,
            MetricKey(.drops): droppedEvents,
            MetricKey(.damage, ["of": "file"]): unreadableFiles,
            MetricKey(.damage, ["of": "blob"]): store.damagedBlobs,
            MetricKey(.damage, ["of": "resource"]): store.damagedResources,
            MetricKey(.damage, ["of": "document"]): store.damagedDocuments,
        ]
        totals.merge(viewEnds) { $1 }
        if let prefetch { totals.merge(prefetch.totals) { $1 } }
        return totals
    }

    private var viewEnds: [MetricKey: Int] {
        var sums: [MetricKey: Int] = [:]
        for (reason, count) in pool.ended {
            // A reason may say what remained, in as many words as there are combinations.
            let name = reason.isQuarantine ? "quarantined" : "\(reason)"
            sums[MetricKey(.viewEnds, ["reason": name]), default: 0] += count
        }
        return sums
    }
}

extension PrefetchCounters {
    var totals: [MetricKey: Int] {
        [
            MetricKey(.prefetch, ["outcome": "hit"]): hits, MetricKey(.prefetch, ["outcome": "join"]): joins,
            MetricKey(.prefetch, ["outcome": "miss"]): misses,
            MetricKey(.prefetch, ["outcome": "stranger"]): mismatches,
            MetricKey(.prefetch, ["outcome": "wasted"]): wasted,
            MetricKey(.prefetch, ["outcome": "failed"]): failures,
            MetricKey(.prefetch, ["outcome": "abandoned"]): abandoned,
            MetricKey(.prefetch, ["outcome": "skipped"]): skipped,
            MetricKey(.prefetchSaved): Int(saved / .milliseconds(1)),
            MetricKey(.prefetchWastedBytes): wastedBytes,
        ]
    }
}
