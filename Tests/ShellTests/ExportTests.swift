import PorticoShell
import Testing

@Suite("Exports")
struct ExportTests {}
