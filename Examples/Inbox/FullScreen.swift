#if Ncurses && os(Linux)
import Foundation
import Portico
import PorticoInbox
import Terminal

/// The inbox on a whole terminal: keys and news go into a `Face`, what it asks for goes to the client.
actor FullScreen {
    private enum Happening: Sendable {
        case key(Key)
        case state(InboxState)
        case fetched(InboxFilter, next: String?)
        case notFetched(Face.Effect, InboxFilter, InboxError)
        case preferences(Preferences)
        case saved
        case failed(Face.Effect, InboxError)
        /// Something that a key asked for is over.
        case done
        /// A second went by, and what counts seconds is drawn anew.
        case second
        case ended
    }

    private let client: InboxClient
    private let screen: Screen
    private let interrupts: Interrupts

    init(_ client: InboxClient, _ screen: Screen) async {
        self.client = client
        self.screen = screen
        interrupts = await Interrupts()
    }

    /// Shows the inbox until the person leaves, or is interrupted.
    func run() async {
        let (client, screen) = (client, screen)
        await interrupts.cancelling {
            await withTaskGroup(of: Void.self) { group in
                // Nothing that was typed or that happened is lost; it is taken as fast as it can be drawn.
                let (happenings, continuation) = AsyncStream.makeStream(
                    of: Happening.self, bufferingPolicy: .unbounded)
                group.addTask {
                    for await key in screen.keys { continuation.yield(.key(key)) }
                    continuation.yield(.ended)
                }
                group.addTask { for await state in client.states() { continuation.yield(.state(state)) } }
                group.addTask {
                    while true {
                        do { try await Task.sleep(nanoseconds: 1_000_000_000) } catch { return }
                        continuation.yield(.second)
                    }
                }
                // Somebody has to ask for updates; what they change arrives as states.
                group.addTask { for await _ in client.updates() {} }
                await Self.loop(client, screen, happenings, continuation)
                continuation.finish()
                group.cancelAll()
            }
        }
        await screen.close()
    }

    private static func loop(
        _ client: InboxClient, _ screen: Screen, _ happenings: AsyncStream<Happening>,
        _ continuation: AsyncStream<Happening>.Continuation
    ) async {
        var face = Face(inbox: await client.state(), now: now, timeZone: .current)
        var underWay = 0
        var isLeaving = false
        await withDiscardingTaskGroup { group in
            func start(_ effects: [Face.Effect]) {
                for effect in effects {
                    underWay += 1
                    face.sendingSince = face.sendingSince ?? now
                    group.addTask {
                        if let happening = await perform(effect, client) { continuation.yield(happening) }
                        continuation.yield(.done)
                    }
                }
            }
            start(face.begin())
            await draw(&face, screen)
            for await happening in happenings {
                face.now = now
                switch happening {
                case .key(let key):
                    let effects = face.press(key, rows: await screen.size.rows)
                    if effects.contains(.quit), !isLeaving, underWay > 0 {
                        // What was changed last is sent first; a service that does not answer holds nobody for long.
                        isLeaving = true
                        face.leaving()
                        group.addTask {
                            do { try await Task.sleep(nanoseconds: leavingNanoseconds) } catch { return }
                            continuation.yield(.ended)
                        }
                    } else if effects.contains(.quit) {
                        return group.cancelAll()
                    } else {
                        start(effects)
                    }
                case .state(let state): face.show(state)
                case .fetched(let filter, let next): face.fetched(filter, next: next)
                case .notFetched(let effect, let filter, let error):
                    face.notFetched(filter)
                    // The bar tells of a service that is away; what the user did himself is told here.
                    if error.code != .unreachable, error.code != .timedOut { face.failed(effect, error) }
                case .preferences(let preferences): face.show(preferences)
                case .saved: face.saved()
                case .failed(let effect, let error): face.failed(effect, error)
                case .second: break
                case .done:
                    underWay -= 1
                    if underWay == 0 { face.sendingSince = nil }
                    if isLeaving, underWay == 0 { return group.cancelAll() }
                case .ended: return group.cancelAll()
                }
                await draw(&face, screen)
            }
            group.cancelAll()
        }
    }

    /// How long the last change may take before the person goes without it.
    private static let leavingNanoseconds: UInt64 = 3_000_000_000

    private static var now: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }

    private static func draw(_ face: inout Face, _ screen: Screen) async {
        let size = await screen.size
        await screen.draw(face.frame(rows: size.rows, columns: size.columns))
    }

    /// Does what the face asks for; what it gave, if anything.
    private static func perform(_ effect: Face.Effect, _ client: InboxClient) async -> Happening? {
        do throws(InboxError) {
            switch effect {
            case .markRead(let id): try await client.markRead(id)
            case .markUnread(let id): try await client.markUnread(id)
            case .archive(let id): try await client.archive(id)
            case .unarchive(let id): try await client.unarchive(id)
            case .markAllRead: try await client.markAllRead()
            case .perform(let action, let id): try await client.perform(action, of: id)
            case .load(let filter, let cursor):
                let page = try await client.page(limit: 50, after: cursor, filter: filter)
                return .fetched(filter, next: page.next)
            case .loadPreferences: return .preferences(try await client.preferences())
            case .savePreferences(let patch):
                if patch != PreferencesPatch() { _ = try await client.savePreferences(patch) }
                return .saved
            case .quit: break
            }
            return nil
        } catch {
            if error.code == .cancelled || error.code == .closed { return nil }
            if case .load(let filter, _) = effect { return .notFetched(effect, filter, error) }
            return .failed(effect, error)
        }
    }
}
#endif
