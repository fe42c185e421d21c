// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar

// Progress of the stores.
extension Reconciliation {
    /// A condition that callers wait for.
    struct Ticket: Sendable {
        /// The numbers of the reads, and of the clear operations, that must have ended in each store.
        var reads: [UInt64]
        var clears: [UInt64]
        /// The last version that all stores must have; `nil` until the reads have ended, because the ticket includes
        /// the changes that the reads find.
        var version: UInt64?
        /// The cookies of the condition; `nil` for all.
        let identities: Set<Cookie.Identity>?
        /// The index of the only store that must have the changes; `nil` for all stores.
        var lane: Int?
    }

    /// The progress of a ticket.
    enum Progress: Sendable, Hashable {
        case waiting
        case done
        /// The stores lack a change and make no further attempt.
        case failed([CookieStoreID])
    }

    /// Returns a ticket for all changes that were signalled before the call.
    func barrier() -> Ticket {
        let reads = lanes.map { lane in
            lane.wantsRead ? lane.readsStarted + 1 : lane.reading?.number ?? (lane.hasBeenRead ? 0 : 1)
        }
        let clears = lanes.map {
            $0.clearing != nil || $0.owed != nil ? $0.clearsStarted + ($0.owed == nil ? 0 : 1) : 0
        }
        return Ticket(reads: reads, clears: clears, version: nil, identities: nil)
    }

    /// Returns a ticket for the current states of some cookies in a store. The store must have been signalled.
    func ticket(for identities: Set<Cookie.Identity>, from store: CookieStoreID) -> Ticket {
        let reads = barrier().reads
        return Ticket(
            reads: lanes.indices.map { lanes[$0].id == store ? reads[$0] : lanes[$0].hasBeenRead ? 0 : 1 },
            clears: lanes.map { _ in 0 }, version: nil, identities: identities)
    }

    /// Returns a ticket for the changes of one store in another store. The first store must have been signalled.
    func ticket(from store: CookieStoreID, to target: CookieStoreID) -> Ticket {
        var ticket = barrier()
        for lane in lanes.indices where ![store, target].contains(lanes[lane].id) {
            (ticket.reads[lane], ticket.clears[lane]) = (0, 0)
        }
        ticket.lane = index(of: target)
        return ticket
    }

    /// The stores that may have changes that another store lacks.
    var sources: Set<CookieStoreID> {
        let areBehind = unsynchronized.contains { entries[$0]?.slots.contains(where: \.isBehind) ?? false }
        return Set(lanes.filter { areBehind || isBeingRead($0) }.map(\.id))
    }

    /// Returns a Boolean value that indicates whether a store may lack a change of another store whose read has begun
    /// or was requested.
    func mayLackChanges(of store: CookieStoreID, in target: CookieStoreID) -> Bool {
        guard let lane = index(of: store), let target = index(of: target) else { return false }
        return isBeingRead(lanes[lane])
            || unsynchronized.contains { entries[$0]?.slots[target].isBehind ?? false }
    }

    private func isBeingRead(_ lane: Lane) -> Bool { lane.reading != nil || lane.wantsRead && !lane.isSilent }

    /// Returns a ticket for all requested clear operations.
    func clearingTicket() -> Ticket {
        Ticket(reads: lanes.map { _ in 0 }, clears: barrier().clears, version: version, identities: [])
    }

    /// Returns the current progress of a ticket.
    func progress(of ticket: inout Ticket) -> Progress {
        var failed: Set<Int> = []
        for (lane, state) in lanes.enumerated() {
            if state.clearsEnded < ticket.clears[lane] {
                guard state.isClearStuck else { return .waiting }
                failed.insert(lane)
            }
            if state.readsEnded < ticket.reads[lane] {
                guard state.isSilent else { return .waiting }
                failed.insert(lane)
            }
        }
        let version = ticket.version ?? self.version
        ticket.version = version
        for identity in ticket.identities ?? unsynchronized {
            guard let entry = entries[identity] else { continue }
            for (lane, slot) in entry.slots.enumerated() where ticket.lane ?? lane == lane {
                guard slot.dirtySince.map({ $0 <= version }) ?? false else { continue }
                let isHopeless =
                    slot.verdict == .abandoned || lanes[lane].isSilent && slot.possible.count != 1
                    || lanes[lane].isClearStuck && lanes[lane].isClearing(identity)
                guard isHopeless, slot.inFlight == nil else { return .waiting }
                failed.insert(lane)
            }
        }
        return failed.isEmpty ? .done : .failed(failed.sorted().map { lanes[$0].id })
    }
}
