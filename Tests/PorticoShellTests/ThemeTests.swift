import PorticoShell
import Testing

@Suite("Themes")
struct ThemeTests {}
