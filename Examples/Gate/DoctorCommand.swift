import Portico

/// `gate doctor`: every adapter of this machine against its port's contract.
enum DoctorCommand {
    static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        ExitCode.success
    }
}
