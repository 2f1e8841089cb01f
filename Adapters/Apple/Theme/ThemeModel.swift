#if canImport(SwiftUI)
import Combine
import Portico
import PorticoShell
import SwiftUI

/// A `ThemeController` for SwiftUI.
///
/// ```swift
/// #if canImport(SwiftUI)
/// @available(iOS 16, macOS 13, *)
/// struct AppearancePicker: View {
///     @ObservedObject var themes: ThemeModel
///
///     var body: some View {
///         Picker("Appearance", selection: themes.selection) {
///             ForEach(ThemePreference.allCases, id: \.self) { Text($0.rawValue) }
///         }
///     }
/// }
/// #endif
/// ```
@available(iOS 16, macOS 13, *)
@MainActor
public final class ThemeModel: ObservableObject {
    private let controller: ThemeController
    /// What views were told of last.
    private var announced: ThemeState

    /// A model of that controller.
    public init(_ controller: ThemeController) {
        self.controller = controller
        announced = controller.state
    }

    /// The choice, and how far it is stored.
    public var state: ThemeState { controller.state }

    /// The choice, for a picker.
    public var selection: Binding<ThemePreference> {
        Binding(get: { @MainActor in self.state.preference }, set: { @MainActor in self.choose($0) })
    }

    /// What `preferredColorScheme` takes; nil where it is left to the system.
    public var colorScheme: ColorScheme? {
        switch state.preference {
        case .light: .light
        case .dark: .dark
        case .system: nil
        }
    }

    /// How the app looks where SwiftUI says this of a place.
    public func appearance(_ colorScheme: ColorScheme, _ contrast: ColorSchemeContrast) -> Appearance {
        controller.appearance(systemIsDark: colorScheme == .dark, hasIncreasedContrast: contrast == .increased)
    }

    /// Chooses; the same again tries again to store it.
    public func choose(_ preference: ThemePreference) {
        // Before, as views expect it: the controller's own stream comes one turn after the change.
        objectWillChange.send()
        controller.choose(preference)
        announced = controller.state
    }

    /// Reads what is stored.
    public func load() async {
        await controller.load()
        announce()
    }

    /// Waits until the last choice is stored.
    ///
    /// - Throws: Why it could not be stored.
    public func saved() async throws(DocumentStoreError) { try await controller.saved() }

    /// Tells views of what changes besides, as that a choice is stored, until the task is cancelled.
    ///
    /// `themed` does it; only a host with a root view of its own calls it.
    public func follow() async {
        for await _ in controller.states { announce() }
    }

    private func announce() {
        guard controller.state != announced else { return }
        objectWillChange.send()
        announced = controller.state
    }
}
#endif
