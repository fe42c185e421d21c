// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import NIOCore
import NIOEmbedded
import Testing
import WebSyntax

@_spi(Facade) @testable import ConnectTunnel

@Suite("Races between addresses", .timeLimit(.minutes(1)))
struct AddressRaceTests {
    /// A race whose attempts and time are those of a test.
    ///
    /// Isolation: the thread of the test.
    private final class Race {
        let book = AddressBook([:])
        private(set) var attempts: [String] = []
        private(set) var closed: [String] = []
        private(set) var lookUps = 0
        private(set) var result: Result<any Channel, any Error>?
        private let loop = EmbeddedEventLoop()
        private var promises: [String: EventLoopPromise<any Channel>] = [:]
        private var channels: [String: EmbeddedChannel] = [:]
        private var lookUp: EventLoopPromise<[IPAddress]>?

        init(_ addresses: [String], limit: TimeAmount = .seconds(10), canLookUp: Bool = false) {
            let me = NIOLoopBound(self, eventLoop: loop)
            let lookUp = { me.value.beginLookUp() }
            AddressRace.run(
                addresses.compactMap { IPAddress($0) }, of: HostPort(host: "shop.test", port: 443),
                recordingIn: book, on: loop, until: loop.now + limit, lookUp: canLookUp ? lookUp : nil
            ) { address, opening in
                me.value.open(address.ipAddress ?? "", opening)
            }
            .whenComplete { me.value.result = $0 }
            loop.run()
        }

        private func open(
            _ address: String, _ opening: @Sendable (any Channel) -> Void
        ) -> EventLoopFuture<any Channel> {
            let me = NIOLoopBound(self, eventLoop: loop)
            let (channel, promise) = (EmbeddedChannel(loop: loop), loop.makePromise(of: (any Channel).self))
            attempts.append(address)
            channels[address] = channel
            promises[address] = promise
            opening(channel)
            channel.closeFuture.whenComplete { _ in
                me.value.closed.append(address)
                me.value.promises.removeValue(forKey: address)?.fail(ChannelError.ioOnClosedChannel)
            }
            return promise.futureResult
        }

        private func beginLookUp() -> EventLoopFuture<[IPAddress]> {
            let promise = loop.makePromise(of: [IPAddress].self)
            lookUps += 1
            lookUp = promise
            return promise.futureResult
        }

        /// Ends the look-up in progress with addresses; `nil` for an error.
        func endLookUp(_ addresses: [String]?) {
            if let addresses {
                lookUp?.succeed(addresses.compactMap { IPAddress($0) })
            } else {
                lookUp?.fail(CancellationError())
            }
            lookUp = nil
            loop.run()
        }

        func advance(by time: TimeAmount) { loop.advanceTime(by: time) }

        func fail(_ address: String, _ error: any Error = IOError(errnoCode: ECONNREFUSED, reason: "connect")) {
            promises.removeValue(forKey: address)?.fail(error)
            // An embedded channel closes in the next turn of the event loop.
            loop.run()
        }

        func connect(_ address: String) {
            guard let channel = channels[address] else { return }
            promises.removeValue(forKey: address)?.succeed(channel)
            loop.run()
        }

        /// A Boolean value that indicates whether the race has the connection to an address.
        func isWon(by address: String) -> Bool {
            guard case .success(let channel) = result else { return false }
            return (channel as? EmbeddedChannel) === channels[address]
        }

        var errors: [any Error]? {
            guard case .failure(let error) = result else { return nil }
            return (error as? AddressRaceError)?.errors
        }

        func recorded(_ outcome: AddressOutcome) -> [String] { book.addresses(outcome).map(\.description) }

        /// Closes the channels that are still open.
        func finish() {
            endLookUp(nil)
            for address in attempts { fail(address) }
            for channel in channels.values { _ = try? channel.finish(acceptAlreadyClosed: true) }
        }
    }

    private let first = "2001:db8::1"
    private let second = "198.51.100.1"
    private let third = "198.51.100.2"

    @Test("The next address is tried after 250 ms, the first connection wins, and the others are closed")
    func delay() {
        let race = Race([first, second, third])
        #expect(race.attempts == [first])
        race.advance(by: .milliseconds(249))
        #expect(race.attempts == [first])
        race.advance(by: .milliseconds(1))
        #expect(race.attempts == [first, second] && race.closed == [])
        race.connect(second)
        #expect(race.isWon(by: second) && race.closed == [first])
        race.advance(by: .seconds(20))
        #expect(race.attempts == [first, second] && race.closed == [first])
        #expect(race.recorded(.connected) == [second] && race.recorded(.failed) == [])
        race.finish()
    }

    @Test("An address that responds after the start of the next one may still win")
    func late() {
        let race = Race([first, second])
        race.advance(by: .milliseconds(250))
        race.connect(first)
        #expect(race.isWon(by: first) && race.closed == [second])
        #expect(race.recorded(.connected) == [first] && race.recorded(.failed) == [])
        race.finish()
    }

    @Test("A failure starts the next attempt at once, and is recorded")
    func failure() {
        let race = Race([first, second, third])
        race.fail(first)
        #expect(race.attempts == [first, second])
        race.advance(by: .milliseconds(249))
        #expect(race.attempts == [first, second])
        race.connect(second)
        #expect(race.isWon(by: second))
        #expect(race.recorded(.failed) == [first] && race.recorded(.connected) == [second])
        race.finish()
    }

    @Test("If all addresses fail, the error has all errors, and each failure is recorded")
    func failures() {
        let race = Race([first, second])
        race.fail(first, IOError(errnoCode: ENETUNREACH, reason: "connect"))
        race.fail(second)
        #expect(race.errors?.compactMap { ($0 as? IOError)?.errnoCode } == [ENETUNREACH, ECONNREFUSED])
        #expect(race.recorded(.failed) == [first, second] && race.recorded(.connected) == [])
        race.finish()
    }

    @Test("Without a network nothing is recorded; an unreachable address beside a good one is")
    func unreachable() {
        for hasNetwork in [false, true] {
            let race = Race([first, second])
            race.fail(first, IOError(errnoCode: ENETUNREACH, reason: "connect"))
            if hasNetwork { race.connect(second) } else { race.fail(second, IOError(errnoCode: ENETDOWN, reason: "")) }
            #expect(race.recorded(.failed) == (hasNetwork ? [first] : []))
            #expect(race.recorded(.connected) == (hasNetwork ? [second] : []))
            #expect(race.isWon(by: second) == hasNetwork && (race.errors?.count == 2) == !hasNetwork)
            race.finish()
        }
    }

    @Test("The time limit ends all attempts, which have then failed")
    func limit() {
        let race = Race([first, second, third], limit: .milliseconds(400))
        race.advance(by: .milliseconds(399))
        #expect(race.attempts == [first, second] && race.result == nil)
        race.advance(by: .milliseconds(1))
        #expect(race.closed.sorted() == [second, first].sorted() && race.attempts.count == 2)
        let limits = race.errors?.map { $0 as? ChannelError }
        #expect(limits == [.connectTimeout(.milliseconds(400)), .connectTimeout(.milliseconds(400))])
        #expect(race.recorded(.failed) == [first, second])
        race.finish()
    }

    @Test("After half of the time, further addresses are looked up, and join the attempts in progress")
    func silence() {
        for winner in [first, second, third] {
            let race = Race([first], canLookUp: true)
            race.advance(by: .milliseconds(4_999))
            #expect(race.lookUps == 0 && race.recorded(.failed) == [])
            race.advance(by: .milliseconds(1))
            // The resolver knows the failure before it is asked, and the attempt continues.
            #expect(race.lookUps == 1 && race.recorded(.failed) == [first] && race.closed == [])
            race.endLookUp([second, third])
            #expect(race.attempts == [first, second])
            race.advance(by: .milliseconds(250))
            #expect(race.attempts == [first, second, third] && race.result == nil)
            race.connect(winner)
            #expect(race.isWon(by: winner) && race.closed.count == 2 && !race.closed.contains(winner))
            #expect(race.recorded(.failed) == [first] && race.recorded(.connected) == [winner])
            race.finish()
        }
    }

    @Test("An attempt in progress can win while further addresses are looked up, and after a look-up without any")
    func slowAddress() {
        for further in [nil, []] as [[String]?] {
            for isEnded in [false, true] {
                let race = Race([first], canLookUp: true)
                race.advance(by: .seconds(5))
                if isEnded { race.endLookUp(further) }
                race.advance(by: .seconds(2))
                race.connect(first)
                #expect(race.isWon(by: first) && race.lookUps == 1)
                race.endLookUp([second])
                #expect(race.attempts == [first])
                race.finish()
            }
        }
    }

    @Test("If all addresses fail, further addresses are looked up at once, and only once")
    func lookUpAfterFailures() {
        let race = Race([first], canLookUp: true)
        race.fail(first)
        #expect(race.lookUps == 1 && race.recorded(.failed) == [first] && race.result == nil)
        race.endLookUp([second])
        race.fail(second)
        #expect(race.errors?.count == 2 && race.lookUps == 1)
        #expect(race.recorded(.failed) == [first, second])
        race.finish()

        for further in [nil, []] as [[String]?] {
            let race = Race([first], canLookUp: true)
            race.fail(first)
            race.endLookUp(further)
            #expect(race.errors?.count == 1 && race.recorded(.failed) == [first])
            race.finish()
        }
    }

    @Test("The time limit ends a race whose look-up does not end")
    func endlessLookUp() {
        let race = Race([first], canLookUp: true)
        race.advance(by: .seconds(10))
        #expect(race.errors?.map { $0 as? ChannelError } == [.connectTimeout(.seconds(10))])
        #expect(race.lookUps == 1 && race.recorded(.failed) == [first])
        race.endLookUp([second])
        #expect(race.attempts == [first])
        race.finish()
    }

    @Test("Unreachable addresses of one family are failures: this device may have a network of the other one")
    func oneFamily() {
        for (addresses, hasNetwork) in [([second, third], true), ([first], true), ([first, second], false)] {
            let race = Race(addresses, canLookUp: true)
            for address in addresses { race.fail(address, IOError(errnoCode: ENETUNREACH, reason: "connect")) }
            #expect(race.lookUps == (hasNetwork ? 1 : 0))
            #expect(race.recorded(.failed) == (hasNetwork ? addresses : []))
            race.endLookUp(["64:ff9b::c633:6401"])
            race.connect("64:ff9b::c633:6401")
            #expect(race.isWon(by: "64:ff9b::c633:6401") == hasNetwork)
            #expect((race.errors?.count == 2) == !hasNetwork)
            race.finish()
        }
    }

    @Test("16 addresses at most are tried")
    func manyAddresses() {
        let addresses = (1...20).map { "198.51.100.\($0)" }
        let race = Race(addresses)
        for address in addresses { race.fail(address) }
        #expect(race.attempts == Array(addresses.prefix(16)) && race.errors?.count == 16)
        race.finish()
    }
}
