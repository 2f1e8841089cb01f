import PorticoShell
import Terminal

/// `shell plist`: what the app's Info.plist needs for its links and its launch screen.
enum PlistCommand {
    static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        let xml = try InfoPlist.xml(
            scheme: arguments.value("scheme") ?? "shieldai",
            identifier: arguments.value("identifier") ?? "com.example.shieldai",
            color: arguments.value("color") ?? ColorRole.bgPrimary.rawValue, image: arguments.value("image"))
        // The line feed at its end is the terminal's.
        terminal.say(String(xml.dropLast()))
        return ExitCode.success
    }
}
