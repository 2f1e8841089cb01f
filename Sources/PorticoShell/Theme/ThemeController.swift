import Portico

/// Which theme an app has: reads the choice at the start, and keeps it when somebody chooses.
///
/// ```swift
/// @MainActor func start(_ documents: any DocumentStore) async {
///     let themes = ThemeController(DocumentThemeStore(documents))
///     await themes.load()  // before the first frame
///     themes.setDark()
///     let appearance = themes.appearance(systemIsDark: false)  // dark
///     print(appearance.isDark)
/// }
/// ```
///
/// A choice holds at once and in any case; whether it could be stored is in `state`. What was stored and cannot be read,
/// or is of a later version, counts as `system` and is overwritten only by a choice.
///
/// ## Concurrency
/// It lives on the main actor, because views read it while they are drawn; what is stored is stored beside it. Of choices
/// that follow fast on each other the last is stored, those between need not be.
@MainActor
public final class ThemeController {
    /// The choice, and how far it is stored.
    public private(set) var state = ThemeState() {
        didSet { if state != oldValue { watchers.send(state) } }
    }

    private let store: any ThemeStore
    private var watchers = Watchers<ThemeState>()
    private var unsaved: ThemePreference?
    private var saving: Task<Void, Never>?
    private var choices: UInt64 = 0
    private var isClosed = false

    /// A controller that knows nothing yet: `system`, until `load`.
    public init(_ store: any ThemeStore) {
        self.store = store
    }

    deinit {
        watchers.finish()
    }

    /// What holds now.
    public var preference: ThemePreference { state.preference }

    /// How the app looks now.
    ///
    /// - Parameters:
    ///   - systemIsDark: Whether the system is dark.
    ///   - hasIncreasedContrast: Whether the system asks for more contrast.
    public func appearance(systemIsDark: Bool, hasIncreasedContrast: Bool = false) -> Appearance {
        Appearance(
            isDark: preference.isDark(systemIsDark: systemIsDark), hasIncreasedContrast: hasIncreasedContrast)
    }

    /// Reads what is stored; again, to see what another process chose.
    ///
    /// A choice that was made meanwhile, or is not stored yet, holds against what is read.
    public func load() async {
        let before = choices
        let read: ThemeState
        do throws(DocumentStoreError) {
            read = Self.state(of: try await store.load())
        } catch {
            // Damage is no choice; a failure that passes takes none back.
            let preference = if case .corrupt = error { ThemePreference.system } else { state.preference }
            read = ThemeState(preference: preference, storage: .unreadable(error))
        }
        guard choices == before, !isUnsaved, !isClosed else { return }
        state = read
    }

    /// Chooses light.
    public func setLight() { choose(.light) }

    /// Chooses dark.
    public func setDark() { choose(.dark) }

    /// Chooses what the system says.
    public func setSystem() { choose(.system) }

    /// Chooses; the same again tries again to store it.
    public func choose(_ preference: ThemePreference) {
        guard !isClosed else { return }
        choices += 1
        unsaved = preference
        state = ThemeState(preference: preference, storage: .saving)
        if saving == nil { saving = Task { await save() } }
    }

    /// Waits until the last choice is stored; for the moment before an app is suspended.
    ///
    /// - Throws: Why it could not be stored.
    public func saved() async throws(DocumentStoreError) {
        while let saving { await saving.value }
        if case .notSaved(let error) = state.storage { throw error }
    }

    /// The states from now on, the present one first; a consumer of its own for each call.
    ///
    /// Buffered is the newest alone: a slow consumer misses states in between and never the last.
    public var states: AsyncStream<ThemeState> { watchers.add(beginningWith: state) }

    /// Waits for what is being stored and ends every stream; afterwards nothing can be chosen.
    public func close() async {
        isClosed = true
        while let saving { await saving.value }
        watchers.end()
    }

    private var isUnsaved: Bool {
        switch state.storage {
        case .saving, .notSaved: true
        case .notLoaded, .stored, .unreadable, .unknown: false
        }
    }

    private func save() async {
        while let preference = unsaved {
            unsaved = nil
            var storage = ThemeStorage.stored
            do throws(DocumentStoreError) {
                try await store.save(preference.rawValue)
            } catch {
                storage = .notSaved(error)
            }
            if unsaved == nil { state.storage = storage }
        }
        saving = nil
    }

    private static func state(of name: String?) -> ThemeState {
        guard let name else { return ThemeState(preference: .system, storage: .stored) }
        guard let preference = ThemePreference.named(name) else {
            return ThemeState(preference: .system, storage: .unknown(name))
        }
        return ThemeState(preference: preference, storage: .stored)
    }
}
