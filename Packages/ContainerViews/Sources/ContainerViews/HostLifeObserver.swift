// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContainerKit
public import Foundation

/// The names of the notifications that a ``HostLifeObserver`` observes.
public struct HostLifeNotifications: Sendable {
    /// The notification that the app has entered the background.
    public var background: Notification.Name
    /// The notification that the app returns to the foreground.
    public var foreground: Notification.Name
    /// The notification that memory is short; `nil` if the system has none.
    public var memoryWarning: Notification.Name?
    /// A Boolean value that indicates whether the system suspends apps in the background.
    public var suspends: Bool

    /// Creates the names for one system.
    public init(
        background: Notification.Name, foreground: Notification.Name, memoryWarning: Notification.Name?, suspends: Bool
    ) {
        self.background = background
        self.foreground = foreground
        self.memoryWarning = memoryWarning
        self.suspends = suspends
    }
}

/// The time that the system grants an app before it suspends it.
protocol SuspensionDelaying: Sendable {
    /// Asks the system to let the app run until a closure is called.
    /// - Parameter expired: a closure that is called when the time is over, on any thread, at most once; not after the
    ///   returned closure was called.
    /// - Returns: the closure that ends the request. The caller calls it once, on any thread.
    func begin(expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

/// The calls of a container for the life of its app.
///
/// Isolation: the main actor.
@MainActor
protocol HostLifeReceiver: AnyObject {
    func hostEnteredBackground() async throws
    func hostEnteredForeground()
    func hostWillSuspend() async throws
    func hostResumed() async throws
    func releaseMemory()
}

extension Container: HostLifeReceiver {}

/// An observer that reports the life of the app to a container, as `docs/app-life.md` requires.
///
/// | notification | calls of the container |
/// | --- | --- |
/// | background | `hostEnteredBackground()`, then `hostWillSuspend()` if the system suspends apps |
/// | foreground | `hostResumed()` if the app was suspended, then `hostEnteredForeground()` |
/// | memory warning | `releaseMemory()` |
///
/// The calls are made in the order of the notifications, one after the other. If the time before the suspension ends,
/// or if the app returns early, the work of `hostEnteredBackground()` is cancelled, and its locks are released.
///
/// Isolation: the main actor. Keep the observer as long as the container. It retains the container until it is
/// released.
@MainActor
public final class HostLifeObserver {
    private let receiver: any HostLifeReceiver
    private let center: NotificationCenter
    private let names: HostLifeNotifications
    private let delay: any SuspensionDelaying
    private let report: @MainActor (any Error) -> Void
    private let registrations: Registrations
    /// The work of the last notification, which the work of the next one awaits.
    private(set) var transition: Task<Void, Never>?
    /// The work of `hostEnteredBackground()` in progress.
    private var backgroundWork: Task<Void, any Error>?
    private var isSuspended = false
    /// The number of the current stay in the background, counted from 1; `nil` in the foreground.
    private var stay: Int?
    private var lastStay = 0

    init(
        receiver: any HostLifeReceiver, center: NotificationCenter, names: HostLifeNotifications,
        delay: any SuspensionDelaying, report: @escaping @MainActor (any Error) -> Void
    ) {
        self.receiver = receiver
        self.center = center
        self.names = names
        self.delay = delay
        self.report = report
        registrations = Registrations(center)
        observe(names.background) { $0.enterBackground() }
        observe(names.foreground) { $0.enterForeground() }
        if let name = names.memoryWarning { observe(name) { $0.receiver.releaseMemory() } }
    }

    /// Starts to observe notifications.
    /// - Parameters:
    ///   - container: the container, which is retained.
    ///   - center: the center that posts the notifications, on the main thread.
    ///   - names: the names of the notifications.
    ///   - report: a closure that receives the errors of the container's calls, such as `StoreError` with code `inUse`
    ///     if another process has locked the directory while the app was suspended.
    public convenience init<Engine>(
        _ container: Container<Engine>, center: NotificationCenter = .default, names: HostLifeNotifications,
        report: @escaping @MainActor (any Error) -> Void
    ) {
        self.init(
            receiver: container, center: center, names: names, delay: SystemSuspensionDelay(), report: report)
    }

    private func observe(_ name: Notification.Name, _ action: @escaping @MainActor (HostLifeObserver) -> Void) {
        registrations.add(
            center.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
                // The systems post these notifications on the main thread. The call is synchronous, because the app may
                // be suspended as soon as the notification has returned.
                MainActor.assumeIsolated {
                    if let self { action(self) }
                }
            })
    }

    private func enterBackground() {
        guard stay == nil else { return }
        lastStay += 1
        stay = lastStay
        let previous = transition
        let work = Task { [receiver] in
            await previous?.value
            try Task.checkCancellation()
            try await receiver.hostEnteredBackground()
        }
        backgroundWork = work
        let end = names.suspends ? delay.begin { work.cancel() } : {}
        transition = Task { [self, own = lastStay] in
            do { try await work.value } catch is CancellationError {} catch { report(error) }
            // The app may have returned in the meantime.
            if stay == own, names.suspends { await suspend() }
            end()
        }
    }

    private func suspend() async {
        isSuspended = true
        do { try await receiver.hostWillSuspend() } catch { report(error) }
    }

    private func enterForeground() {
        guard stay != nil else { return }
        stay = nil
        backgroundWork?.cancel()
        transition = Task { [self, previous = transition] in
            await previous?.value
            if isSuspended {
                isSuspended = false
                do { try await receiver.hostResumed() } catch { report(error) }
            }
            receiver.hostEnteredForeground()
        }
    }
}

/// The registrations at a notification center, which end with this object.
private final class Registrations {
    private let center: NotificationCenter
    private var tokens: [any NSObjectProtocol] = []

    init(_ center: NotificationCenter) {
        self.center = center
    }

    func add(_ token: any NSObjectProtocol) { tokens.append(token) }

    deinit {
        for token in tokens { center.removeObserver(token) }
    }
}
